// Matrices whose rows begin anywhere are padded where the time of the library that this saves is worth the copies.
// RUN: coil-opt %s --target-attach=target=cuda:sm_90a --graph-align-matmuls=library=cublaslt --remarks-filter=graph-align-matmuls --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --target-attach=target=cuda:sm_90a --graph-align-matmuls | FileCheck %s --check-prefix=NONE
// RUN: coil-opt %s --graph-align-matmuls=library=cublaslt | FileCheck %s --check-prefix=NONE

// (C3) Without the library, and without a target.
// NONE-NOT: graph.pad

// Logits: the weight is padded, and what is returned is copied.
// REMARK: a matrix multiplication of 4096 by 50257 by 768 is one of 4096 by 50264 by 768, whose rows are whole vectors
// CHECK-LABEL: @logits
// CHECK: %[[P:.*]] = graph.pad %arg1 low [0, 0] high [7, 0] value 0.000000e+00
// CHECK: %[[T:.*]] = graph.permute %[[P]] [1, 0]
// CHECK: %[[Y:.*]] = graph.matmul %arg0, %[[T]] : {{.*}} -> tensor<4096x50264xbf16>
// CHECK: graph.slice %[[Y]] starts <[0, 0]> steps [1, 1] : {{.*}} -> tensor<4096x50257xbf16>
func.func @logits(%x: tensor<4096x768xbf16>, %w: tensor<50257x768xbf16>) -> tensor<4096x50257xbf16> {
  %t = graph.permute %w [1, 0] : (tensor<50257x768xbf16>) -> tensor<768x50257xbf16>
  %y = graph.matmul %x, %t : (tensor<4096x768xbf16>, tensor<768x50257xbf16>) -> tensor<4096x50257xbf16>
  return %y : tensor<4096x50257xbf16>
}

// Gradients: rows that the product sums, and rows of a result, which stay without gaps; and a bias.
// CHECK-LABEL: @gradients
// CHECK-DAG: graph.matmul {{.*}} : (tensor<4096x50264xbf16>, tensor<50264x768xbf16>) -> tensor<4096x768xbf16>
// CHECK-DAG: %[[W:.*]] = graph.matmul {{.*}} : (tensor<50264x4096xbf16>, tensor<4096x768xbf16>) -> tensor<50264x768xbf16>
// CHECK-DAG: graph.slice %[[W]] {{.*}} -> tensor<50257x768xbf16>
// CHECK-DAG: graph.pad %arg3 low [0] high [3] value 0.000000e+00
// CHECK-DAG: graph.matmul %arg1, %{{.*}} bias %{{.*}} : {{.*}} -> tensor<4096x5000xf32>
func.func @gradients(%g: tensor<4096x50257xbf16>, %x: tensor<4096x768xbf16>, %w: tensor<50257x768xbf16>, %c: tensor<4997xf32>, %u: tensor<768x4997xbf16>)
    -> (tensor<4096x768xbf16>, tensor<50257x768xbf16>, tensor<4096x1xf32>) {
  %a = graph.matmul %g, %w : (tensor<4096x50257xbf16>, tensor<50257x768xbf16>) -> tensor<4096x768xbf16>
  %t = graph.permute %g [1, 0] : (tensor<4096x50257xbf16>) -> tensor<50257x4096xbf16>
  %b = graph.matmul %t, %x : (tensor<50257x4096xbf16>, tensor<4096x768xbf16>) -> tensor<50257x768xbf16>
  %d = graph.matmul %x, %u bias %c : (tensor<4096x768xbf16>, tensor<768x4997xbf16>, tensor<4997xf32>) -> tensor<4096x4997xf32>
  %m = graph.reduce max, %d dims [1] keepdims : (tensor<4096x4997xf32>) -> tensor<4096x1xf32>
  return %a, %b, %m : tensor<4096x768xbf16>, tensor<50257x768xbf16>, tensor<4096x1xf32>
}

// f32 that may be rounded to TF32, in batches; and what an elementwise operator computes is padded for nothing.
// CHECK-LABEL: @batches
// CHECK: %[[X:.*]] = graph.relu
// CHECK: graph.pad %[[X]] low [0, 0, 0] high [0, 0, 1]
// CHECK: graph.matmul {{.*}} tf32 : (tensor<64x512x1024xf32>, tensor<64x1024x512xf32>) -> tensor<64x512x512xf32>
func.func @batches(%x: tensor<64x512x1023xf32>, %w: tensor<64x1023x512xf32>) -> tensor<64x512x512xf32> {
  %r = graph.relu %x : (tensor<64x512x1023xf32>) -> tensor<64x512x1023xf32>
  %y = graph.matmul %r, %w tf32 : (tensor<64x512x1023xf32>, tensor<64x1023x512xf32>) -> tensor<64x512x512xf32>
  return %y : tensor<64x512x512xf32>
}

// (C1) f32 as it is, and a size that only the run knows. (C2) Few operations for each element. Whole vectors.
// CHECK-LABEL: @stays
// CHECK-NOT: graph.pad
// CHECK: return
func.func @stays(%x: tensor<4096x767xf32>, %w: tensor<767x5001xf32>, %s: tensor<?x767xbf16, #sym.shape<[s0, 767]>>, %u: tensor<767x5001xbf16>,
                 %n: tensor<4096x8xbf16>, %m: tensor<8x50257xbf16>, %e: tensor<4096x768xbf16>, %f: tensor<768x5000xbf16>)
    -> (tensor<4096x5001xf32>, tensor<?x5001xbf16, #sym.shape<[s0, 5001]>>, tensor<4096x50257xbf16>, tensor<4096x5000xbf16>) {
  %a = graph.matmul %x, %w : (tensor<4096x767xf32>, tensor<767x5001xf32>) -> tensor<4096x5001xf32>
  %b = graph.matmul %s, %u : (tensor<?x767xbf16, #sym.shape<[s0, 767]>>, tensor<767x5001xbf16>) -> tensor<?x5001xbf16, #sym.shape<[s0, 5001]>>
  %c = graph.matmul %n, %m : (tensor<4096x8xbf16>, tensor<8x50257xbf16>) -> tensor<4096x50257xbf16>
  %d = graph.matmul %e, %f : (tensor<4096x768xbf16>, tensor<768x5000xbf16>) -> tensor<4096x5000xbf16>
  return %a, %b, %c, %d : tensor<4096x5001xf32>, tensor<?x5001xbf16, #sym.shape<[s0, 5001]>>, tensor<4096x50257xbf16>, tensor<4096x5000xbf16>
}
