// RUN: coil-opt %s --convert-graph-to-loop | FileCheck %s

// So few numbers take one element of each group: the even one of its pair, with a sine. The words
// differ in the last bit of their number.
// CHECK-LABEL: @first
// CHECK:         loop.kernel "random_normal" [1000]
// CHECK:         %[[W:.*]] = loop.index <d0 * 4>
// CHECK:         loop.philox %[[K:.*]], %[[C:.*]], %[[W]]
// CHECK:         %[[NEXT:.*]] = arith.ori %[[W]]
// CHECK:         %[[ANGLE:.*]] = loop.philox %[[K]], %[[C]], %[[NEXT]]
// CHECK:         %[[LOG:.*]] = math.log %{{.*}} : f32
// CHECK:         math.sqrt
// CHECK:         math.fma
// CHECK:         math.sin %{{.*}} fastmath<afn> : f32
// CHECK-NOT:     math.cos
// CHECK:         loop.store
func.func @first(%s: tensor<2xi64>) -> tensor<1000xf32> {
  %0 = graph.random normal, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// More numbers take the other one, too.
// CHECK-LABEL: @both
// CHECK:         math.sin
// CHECK:         math.cos
// CHECK:         arith.select
// CHECK:         loop.store
func.func @both(%s: tensor<2xi64>) -> tensor<1000000xf32> {
  %0 = graph.random normal, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
}

// A number of 64 bits has four words, and exact functions.
// CHECK-LABEL: @wide
// CHECK-COUNT-4: loop.philox
// CHECK-NOT:     loop.philox
// CHECK:         math.log %{{.*}} : f64
// CHECK:         math.roundeven
// CHECK:         math.sin %{{.*}} : f64
// CHECK:         math.cos %{{.*}} : f64
func.func @wide(%s: tensor<2xi64>) -> tensor<8xf64> {
  %0 = graph.random normal, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// CHECK-LABEL: @others
// CHECK:         loop.kernel "random_bits" [8]
// CHECK-COUNT-2: loop.philox
// CHECK:         arith.shli
// CHECK:         arith.ori
// CHECK:         loop.kernel "random_uniform" [8]
// CHECK-COUNT-2: loop.philox
// CHECK:         arith.xori
// CHECK:         loop.kernel "random_log" [8]
// CHECK:         math.log %{{.*}} fastmath<afn> : f32
// CHECK:         loop.kernel "random_exponential" [8]
// CHECK:         arith.cmpf oge
// CHECK:         math.log %{{.*}} fastmath<afn> : f32
// CHECK:         arith.select
// CHECK:         loop.kernel "random_cauchy" [8]
// CHECK:         math.sin %{{.*}} fastmath<afn> : f32
// CHECK:         math.cos %{{.*}} fastmath<afn> : f32
// CHECK:         loop.kernel "random_cauchy" [8]
// CHECK:         math.tan %{{.*}} : f64
func.func @others(%s: tensor<2xi64>) -> (tensor<8xui64>, tensor<8xf64>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>) {
  %0 = graph.random bits, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xui64>
  %1 = graph.random uniform, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xf64>
  %2 = graph.random log, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xf32>
  %3 = graph.random exponential, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xf32>
  %4 = graph.random cauchy, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xf32>
  %5 = graph.random cauchy, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<8xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<8xui64>, tensor<8xf64>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>
}
