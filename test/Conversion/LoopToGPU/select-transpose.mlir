// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s

#cuda = #wrapper.device<"cuda">
#rows = #sym.shape<[16384, 1]>
#columns = #sym.shape<[1, 16384]>

// Two accesses along d1, one along d0: tiles of 64 x 64, two vectors a thread.
// CHECK-LABEL: wrapper.kernel @f32
// CHECK: schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 1, vector_width = 4, transpose_dim = 0, threads_p = 16, threads_r = 32, items_r = 2, index_bits = 32>
wrapper.kernel @f32(%x: tensor<16384x16384xf32>, %y: tensor<16384x16384xf32>) attributes {device = #cuda, input_strides = [#rows, #rows], output_strides = [#rows], symbols = []} {
  %0 = loop.kernel "add" [16384, 16384] (%a = %x, %b = %y) : (tensor<16384x16384xf32>, tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
    %1 = loop.load %a[d1, d0] : tensor<16384x16384xf32> -> f32
    %2 = loop.load %b[d0, d1] : tensor<16384x16384xf32> -> f32
    %3 = arith.addf %1, %2 : f32
    loop.store %3, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<16384x16384xf32>
}

// A copy goes along its output; halves come in tiles of 128 x 128.
// CHECK-LABEL: wrapper.kernel @bf16
// CHECK: schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 0, vector_width = 8, transpose_dim = 1, threads_p = 16, threads_r = 32, items_r = 4, index_bits = 32>
wrapper.kernel @bf16(%x: tensor<16384x16384xbf16>, %y: tensor<16384x16384xbf16>) attributes {device = #cuda, input_strides = [#columns, #rows], output_strides = [#columns], symbols = []} {
  %0 = loop.kernel "add" [16384, 16384] (%a = %x, %b = %y) : (tensor<16384x16384xbf16>, tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
    %1 = loop.load %a[d0, d1] : tensor<16384x16384xbf16> -> bf16
    %2 = loop.load %b[d0, d1] : tensor<16384x16384xbf16> -> bf16
    %3 = arith.addf %1, %2 : bf16
    loop.store %3, 0[d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<16384x16384xbf16>
}

// A mere copy of halves has smaller tiles, of which more are under way.
// CHECK-LABEL: wrapper.kernel @copy_of_halves
// CHECK: schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 1, vector_width = 8, transpose_dim = 0, threads_p = 16, threads_r = 32, items_r = 2, index_bits = 32>
wrapper.kernel @copy_of_halves(%x: tensor<16384x16384xbf16>) attributes {device = #cuda, input_strides = [#rows], output_strides = [#rows], symbols = []} {
  %0 = loop.kernel "copy" [16384, 16384] (%a = %x) : (tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
    %1 = loop.load %a[d1, d0] : tensor<16384x16384xbf16> -> bf16
    loop.store %1, 0[d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<16384x16384xbf16>
}

// Nothing is known of the sizes: single elements, every access along its lines.
// CHECK-LABEL: wrapper.kernel @dynamic
// CHECK: schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 1, transpose_dim = 0,
// CHECK-NOT: vector_width
wrapper.kernel @dynamic(%x: tensor<?x?xf32, #sym.shape<[n, m]>>) attributes {device = #cuda, input_strides = [#sym.shape<[m, 1]>], output_strides = [#sym.shape<[n, 1]>], symbols = ["m", "n"]} {
  %0 = loop.kernel "copy" [m, n] (%a = %x) : (tensor<?x?xf32, #sym.shape<[n, m]>>) -> tensor<?x?xf32, #sym.shape<[m, n]>> {
    %1 = loop.load %a[d1, d0] : tensor<?x?xf32, #sym.shape<[n, m]>> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<?x?xf32, #sym.shape<[m, n]>>
}

// Tiles of so few points would be mostly empty.
// CHECK-LABEL: wrapper.kernel @small
// CHECK: schedule #loop.gpu_schedule<vector_dim = 2
wrapper.kernel @small(%x: tensor<4096x8x8xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[64, 8, 1]>], output_strides = [#sym.shape<[64, 8, 1]>], symbols = []} {
  %0 = loop.kernel "copy" [4096, 8, 8] (%a = %x) : (tensor<4096x8x8xf32>) -> tensor<4096x8x8xf32> {
    %1 = loop.load %a[d0, d2, d1] : tensor<4096x8x8xf32> -> f32
    loop.store %1, 0[d0, d1, d2] : f32
  }
  wrapper.yield %0 : tensor<4096x8x8xf32>
}
