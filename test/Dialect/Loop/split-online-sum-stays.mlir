// A sum of exponentials whose terms something else needs, too, is not found in chunks (C1).
// RUN: coil-opt %s --loop-split-reduction="chunks=64" --remarks-filter=loop-split-reduction --remark-policy=all 2>&1 | FileCheck %s

func.func @loop_split_reduction_c1_terms(%x: tensor<2x1048576xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: not split: 'sum': values along the reduced dimensions need a reduction
  %s:2 = loop.kernel "sum" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %r = loop.reduce sum %e over [1] : f32
    %q = loop.reduce max %e over [1] : f32
    loop.store %r, 0[d0] : f32
    loop.store %q, 1[d0] : f32
  }
  return %s#0, %s#1 : tensor<2xf32>, tensor<2xf32>
}
