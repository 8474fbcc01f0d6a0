// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --input=1009xf64=0.23796462709189137 --expected-output=f64=177.18996258856495 --rtol=0 --atol=0

// A sum of products of f64 is rounded once: what rounding takes from each of 1009
// equal products would add up.
func.func @main(%x: tensor<1009xf64>) -> tensor<f64> {
  %half = graph.full 5.000000e-01 : f64 -> tensor<f64>
  %y = graph.add %x, %half : (tensor<1009xf64>, tensor<f64>) -> tensor<1009xf64>
  %p = graph.mul %x, %y : (tensor<1009xf64>, tensor<1009xf64>) -> tensor<1009xf64>
  %s = graph.reduce sum, %p dims [0] : (tensor<1009xf64>) -> tensor<f64>
  return %s : tensor<f64>
}
