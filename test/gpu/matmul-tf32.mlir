// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s

// Products that may round to TF32, of factors that TF32 has all bits of: results
// are those of f32.
// CHECK-COUNT-2: instruction = m16n8k8
func.func @main(%x: tensor<65x33xf32>, %y: tensor<33x47xf32>, %z: tensor<47x129xf32>) -> (tensor<65x47xf32>, tensor<129x33xf32>) {
  %two = graph.full 2.0 : f32 -> tensor<f32>
  %0 = graph.convert %x : (tensor<65x33xf32>) -> tensor<65x33xbf16>
  %1 = graph.convert %0 : (tensor<65x33xbf16>) -> tensor<65x33xf32>
  %2 = graph.mul %1, %two : (tensor<65x33xf32>, tensor<f32>) -> tensor<65x33xf32>
  %3 = graph.convert %y : (tensor<33x47xf32>) -> tensor<33x47xbf16>
  %4 = graph.convert %3 : (tensor<33x47xbf16>) -> tensor<33x47xf32>
  %5 = graph.mul %4, %two : (tensor<33x47xf32>, tensor<f32>) -> tensor<33x47xf32>
  %6 = graph.matmul %2, %5 tf32 : (tensor<65x33xf32>, tensor<33x47xf32>) -> tensor<65x47xf32>
  %7 = graph.convert %z : (tensor<47x129xf32>) -> tensor<47x129xbf16>
  %8 = graph.convert %7 : (tensor<47x129xbf16>) -> tensor<47x129xf32>
  %9 = graph.mul %8, %two : (tensor<47x129xf32>, tensor<f32>) -> tensor<47x129xf32>
  %10 = graph.permute %9 [1, 0] : (tensor<47x129xf32>) -> tensor<129x47xf32>
  %11 = graph.permute %5 [1, 0] : (tensor<33x47xf32>) -> tensor<47x33xf32>
  %12 = graph.matmul %10, %11 tf32 : (tensor<129x47xf32>, tensor<47x33xf32>) -> tensor<129x33xf32>
  return %6, %12 : tensor<65x47xf32>, tensor<129x33xf32>
}
