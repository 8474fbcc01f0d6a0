// RUN: coil-opt %s --loop-split-reduction="chunks=64 min-elements=4096" --loop-select-schedule=vector-bits=512 | FileCheck %s

// Cutting a reduction over joined dimensions takes the chunk out of the upper
// digits of positions. Their sum is still one walk through memory: vectors go
// along it, not along the chunks.
// CHECK-LABEL: @joined
// CHECK: loop.kernel "sum_chunks" [64000, 64] {{.*}} schedule<vector_dim = 0, vector_width = 16
// CHECK: loop.load %{{.*}}[(d0 + d1 * 64000) floordiv 25600, (d1 * 400 + d0 floordiv 160) mod 160, d0 mod 160]
func.func @joined(%x: tensor<160x160x160xf32>) -> tensor<f32> {
  %y = loop.kernel "sum" [4096000] (%a = %x) : (tensor<160x160x160xf32>) -> tensor<f32> {
    %v = loop.load %a[d0 floordiv 25600, (d0 floordiv 160) mod 160, d0 mod 160] : tensor<160x160x160xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %y : tensor<f32>
}

// Digits of two numbers are no walk.
// CHECK-LABEL: @apart
// CHECK: loop.kernel "sum_chunks" [64000, 64] {{.*}} schedule<vector_dim = 1
func.func @apart(%x: tensor<160x160x160xf32>) -> tensor<f32> {
  %y = loop.kernel "sum" [4096000] (%a = %x) : (tensor<160x160x160xf32>) -> tensor<f32> {
    %v = loop.load %a[d0 floordiv 25600, d0 mod 160, (d0 floordiv 160) mod 160] : tensor<160x160x160xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %y : tensor<f32>
}
