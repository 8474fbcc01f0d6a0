// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Two reductions of one row in one kernel: short rows and long ones.
func.func @main(%x: tensor<67x129xf32>, %y: tensor<3x9001xf32>) -> (tensor<67x129xf32>, tensor<3x9001xf32>) {
  %m = graph.reduce max, %x dims [1] keepdims : (tensor<67x129xf32>) -> tensor<67x1xf32>
  %c = graph.sub %x, %m : (tensor<67x129xf32>, tensor<67x1xf32>) -> tensor<67x129xf32>
  %e = graph.exp %c : (tensor<67x129xf32>) -> tensor<67x129xf32>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<67x129xf32>) -> tensor<67x1xf32>
  %r = graph.div %e, %s : (tensor<67x129xf32>, tensor<67x1xf32>) -> tensor<67x129xf32>
  %m2 = graph.reduce max, %y dims [1] keepdims : (tensor<3x9001xf32>) -> tensor<3x1xf32>
  %c2 = graph.sub %y, %m2 : (tensor<3x9001xf32>, tensor<3x1xf32>) -> tensor<3x9001xf32>
  %e2 = graph.exp %c2 : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %s2 = graph.reduce sum, %e2 dims [1] keepdims : (tensor<3x9001xf32>) -> tensor<3x1xf32>
  %r2 = graph.div %e2, %s2 : (tensor<3x9001xf32>, tensor<3x1xf32>) -> tensor<3x9001xf32>
  return %r, %r2 : tensor<67x129xf32>, tensor<3x9001xf32>
}
