// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s

#cuda = #wrapper.device<"cuda">
#rows = #sym.shape<[16000, 320, 8, 1]>
#other = #sym.shape<[1, 8000, 200, 25]>

// Each operand has runs of a line: d3 and d2 in the one, d0 and d3 in the other.
// CHECK-LABEL: wrapper.kernel @two_orders
// CHECK: schedule #loop.gpu_schedule<strategy = box, vector_dim = 3, threads_p = {{[0-9]+}}, index_bits = 32, box_dims = [3, 2, 0], box = [8, {{[0-9]+}}, 25]>
wrapper.kernel @two_orders(%x: tensor<25x50x40x8xf32>, %y: tensor<25x50x40x8xf32>) attributes {device = #cuda, input_strides = [#rows, #other], output_strides = [#rows], symbols = []} {
  %0 = loop.kernel "add" [25, 50, 40, 8] (%a = %x, %b = %y) : (tensor<25x50x40x8xf32>, tensor<25x50x40x8xf32>) -> tensor<25x50x40x8xf32> {
    %1 = loop.load %a[d0, d1, d2, d3] : tensor<25x50x40x8xf32> -> f32
    %2 = loop.load %b[d0, d1, d2, d3] : tensor<25x50x40x8xf32> -> f32
    %3 = arith.addf %1, %2 : f32
    loop.store %3, 0[d0, d1, d2, d3] : f32
  }
  wrapper.yield %0 : tensor<25x50x40x8xf32>
}

// Rows of three bytes that become planes are a tile of two dimensions.
// CHECK-LABEL: wrapper.kernel @planes
// CHECK: schedule #loop.gpu_schedule<strategy = transpose
wrapper.kernel @planes(%x: tensor<262144x3xi8>) attributes {device = #cuda, input_strides = [#sym.shape<[3, 1]>], output_strides = [#sym.shape<[262144, 1]>], symbols = []} {
  %0 = loop.kernel "copy" [3, 262144] (%a = %x) : (tensor<262144x3xi8>) -> tensor<3x262144xi8> {
    %1 = loop.load %a[d1, d0] : tensor<262144x3xi8> -> i8
    loop.store %1, 0[d0, d1] : i8
  }
  wrapper.yield %0 : tensor<3x262144xi8>
}
