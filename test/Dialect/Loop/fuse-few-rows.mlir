// RUN: coil-opt %s --loop-fuse --loop-split-reduction --cse | FileCheck %s

// One block for a row of 1,021,346 elements would compute 70 operations for each
// of them while the other multiprocessors are idle: its sum is made in chunks,
// and what follows runs on the whole device. Of 264 rows each has a block.

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// CHECK-LABEL: @one_row
// CHECK:     loop.kernel "{{[a-z_+]*}}_chunks" [{{[0-9, ]+}}]
// CHECK:     loop.reduce sum
// CHECK:     loop.reduce sum
// CHECK:     loop.kernel
// CHECK-NOT: loop.reduce
// CHECK:     return
func.func @one_row(%x: tensor<1x1021346xf32>) -> tensor<1x1021346xf32> {
  %s = loop.kernel "sum" [1, 1021346] (%in = %x) : (tensor<1x1021346xf32>) -> tensor<1xf32> {
    %v = loop.load %in[d0, d1] : tensor<1x1021346xf32> -> f32
    %t = math.tanh %v : f32
    %e = math.exp %t : f32
    %u = math.tanh %e : f32
    %w = loop.reduce sum %u over [1] : f32
    loop.store %w, 0[d0] : f32
  }
  %y = loop.kernel "scale" [1, 1021346] (%in = %x, %sum = %s) : (tensor<1x1021346xf32>, tensor<1xf32>) -> tensor<1x1021346xf32> {
    %v = loop.load %in[d0, d1] : tensor<1x1021346xf32> -> f32
    %w = loop.load %sum[d0] : tensor<1xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<1x1021346xf32>
}

// CHECK-LABEL: @many_rows
// CHECK:       loop.kernel "sum+scale"
// CHECK-NOT:   loop.kernel
func.func @many_rows(%x: tensor<264x21346xf32>) -> tensor<264x21346xf32> {
  %s = loop.kernel "sum" [264, 21346] (%in = %x) : (tensor<264x21346xf32>) -> tensor<264xf32> {
    %v = loop.load %in[d0, d1] : tensor<264x21346xf32> -> f32
    %t = math.tanh %v : f32
    %e = math.exp %t : f32
    %u = math.tanh %e : f32
    %w = loop.reduce sum %u over [1] : f32
    loop.store %w, 0[d0] : f32
  }
  %y = loop.kernel "scale" [264, 21346] (%in = %x, %sum = %s) : (tensor<264x21346xf32>, tensor<264xf32>) -> tensor<264x21346xf32> {
    %v = loop.load %in[d0, d1] : tensor<264x21346xf32> -> f32
    %w = loop.load %sum[d0] : tensor<264xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<264x21346xf32>
}

// Few operations: the launches would take longer.
// CHECK-LABEL: @few_operations
// CHECK:       loop.kernel "sum+scale"
// CHECK-NOT:   loop.kernel
func.func @few_operations(%x: tensor<1x21346xf32>) -> tensor<1x21346xf32> {
  %s = loop.kernel "sum" [1, 21346] (%in = %x) : (tensor<1x21346xf32>) -> tensor<1xf32> {
    %v = loop.load %in[d0, d1] : tensor<1x21346xf32> -> f32
    %w = loop.reduce sum %v over [1] : f32
    loop.store %w, 0[d0] : f32
  }
  %y = loop.kernel "scale" [1, 21346] (%in = %x, %sum = %s) : (tensor<1x21346xf32>, tensor<1xf32>) -> tensor<1x21346xf32> {
    %v = loop.load %in[d0, d1] : tensor<1x21346xf32> -> f32
    %w = loop.load %sum[d0] : tensor<1xf32> -> f32
    %q = arith.subf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<1x21346xf32>
}
}
