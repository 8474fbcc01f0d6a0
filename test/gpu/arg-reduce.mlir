// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// The place of the largest element, of rows and of columns.
func.func @main(%x: tensor<19x1029xf32>) -> (tensor<19xi64>, tensor<1029xi64>) {
  %0, %1 = graph.arg_reduce max, %x dim 1 : (tensor<19x1029xf32>) -> (tensor<19xf32>, tensor<19xi64>)
  %2, %3 = graph.arg_reduce max, %x dim 0 : (tensor<19x1029xf32>) -> (tensor<1029xf32>, tensor<1029xi64>)
  return %1, %3 : tensor<19xi64>, tensor<1029xi64>
}
