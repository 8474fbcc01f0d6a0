// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CUDA kernels round each step of an exponent to the type of the result: the difference of the ends, the step,
// its product with the position, and the sum. On the CPU the exponents are f32.
// CHECK-LABEL: func @cuda
// CHECK-COUNT-6: graph.convert {{.*}} -> tensor<{{(5x)?}}bf16>
// CHECK: graph.pow
// CHECK-LABEL: func @cpu
// CHECK-NOT: graph.convert {{.*}} -> tensor<5xbf16>
// CHECK: %[[POWERS:.*]] = graph.pow
// CHECK: graph.convert %[[POWERS]] {{.*}} -> tensor<5xbf16>
func.func @cuda(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<5xbf16> {
  %0 = graph.aten "aten.logspace.Tensor_Tensor"(%a, %b) ["start", "end"] {steps = 5 : i64, base = 2.0 : f64, device = "cuda:0"} : (tensor<bf16>, tensor<bf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

func.func @cpu(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<5xbf16> {
  %0 = graph.aten "aten.logspace.Tensor_Tensor"(%a, %b) ["start", "end"] {steps = 5 : i64, base = 2.0 : f64, device = "cpu"} : (tensor<bf16>, tensor<bf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}
