// Where each result has a block, chunks are worth another kernel by what the blocks compute and by how many processors have
// none: a logarithm of each element of 1,048,576 for 72 results, not one sum of them, and no function where all have a block.
// RUN: coil-opt %s --loop-split-reduction | FileCheck %s

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// CHECK-LABEL: func.func @long_function
// CHECK: loop.kernel "log+sum_chunks"
func.func @long_function(%x: tensor<72x1048576xf32>) -> tensor<72xf32> {
  %y = loop.kernel "log+sum" [72, 1048576] (%a = %x) : (tensor<72x1048576xf32>) -> tensor<72xf32> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0, d1] : tensor<72x1048576xf32> -> f32
    %u = arith.mulf %v, %v : f32
    %w = arith.addf %u, %one : f32
    %l = math.log %w : f32
    %s = loop.reduce sum %l over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %y : tensor<72xf32>
}

// CHECK-LABEL: func.func @sum
// CHECK: loop.kernel "sum" [72, 65536]
func.func @sum(%x: tensor<72x65536xf32>) -> tensor<72xf32> {
  %y = loop.kernel "sum" [72, 65536] (%a = %x) : (tensor<72x65536xf32>) -> tensor<72xf32> {
    %v = loop.load %a[d0, d1] : tensor<72x65536xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %y : tensor<72xf32>
}

// CHECK-LABEL: func.func @enough_blocks
// CHECK: loop.kernel "log+sum" [250, 65536]
func.func @enough_blocks(%x: tensor<250x65536xf32>) -> tensor<250xf32> {
  %y = loop.kernel "log+sum" [250, 65536] (%a = %x) : (tensor<250x65536xf32>) -> tensor<250xf32> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0, d1] : tensor<250x65536xf32> -> f32
    %u = arith.mulf %v, %v : f32
    %w = arith.addf %u, %one : f32
    %l = math.log %w : f32
    %s = loop.reduce sum %l over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %y : tensor<250xf32>
}

// Two blocks on most processors and three on some, for which the others wait; but not where memory takes as long.
// CHECK-LABEL: func.func @uneven
// CHECK: loop.kernel "log+sum_chunks" [266, {{[0-9]+}}, 9]
func.func @uneven(%x: tensor<266x667013xbf16>) -> tensor<266xf32> {
  %y = loop.kernel "log+sum" [266, 667013] (%a = %x) : (tensor<266x667013xbf16>) -> tensor<266xf32> {
    %v = loop.load %a[d0, d1] : tensor<266x667013xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %l = math.log %f : f32
    %e = math.erf %l : f32
    %s = loop.reduce sum %e over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %y : tensor<266xf32>
}

// CHECK-LABEL: func.func @uneven_sum
// CHECK: loop.kernel "sum" [266, 667013]
func.func @uneven_sum(%x: tensor<266x667013xbf16>) -> tensor<266xf32> {
  %y = loop.kernel "sum" [266, 667013] (%a = %x) : (tensor<266x667013xbf16>) -> tensor<266xf32> {
    %v = loop.load %a[d0, d1] : tensor<266x667013xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %s = loop.reduce sum %f over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %y : tensor<266xf32>
}

// The blocks of a cluster share rows that they keep, where processors would have none.
// CHECK-LABEL: func.func @shared_rows
// CHECK: loop.kernel "log+sum" [60, 65536]
func.func @shared_rows(%x: tensor<60x65536xf32>) -> tensor<60xf32> {
  %y = loop.kernel "log+sum" [60, 65536] (%a = %x) : (tensor<60x65536xf32>) -> tensor<60xf32> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0, d1] : tensor<60x65536xf32> -> f32
    %u = arith.mulf %v, %v : f32
    %w = arith.addf %u, %one : f32
    %l = math.log %w : f32
    %s = loop.reduce sum %l over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %y : tensor<60xf32>
}


// 49 results of runs of an odd length, which no cluster keeps: blocks alone draw a third more than their part of the bandwidth.
// CHECK-LABEL: func.func @few_of_odd_runs
// CHECK: loop.kernel "max_chunks"
func.func @few_of_odd_runs(%x: tensor<64x49x6237xbf16>) -> tensor<49xbf16> {
  %y = loop.kernel "max" [64, 49, 6237] (%a = %x) : (tensor<64x49x6237xbf16>) -> tensor<49xbf16> {
    %v = loop.load %a[d0, d1, d2] : tensor<64x49x6237xbf16> -> bf16
    %s = loop.reduce max %v over [0, 2] : bf16
    loop.store %s, 0[d1] : bf16
  }
  return %y : tensor<49xbf16>
}

}
