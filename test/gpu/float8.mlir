// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Rows in 8 bits with the scale of each, and back.
func.func @main(%x: tensor<37x1032xbf16>, %y: tensor<129x67xf8E5M2>) -> (tensor<37x1032xf8E4M3FN>, tensor<37x1xf32>, tensor<67x129xf32>) {
  %f = graph.convert %x : (tensor<37x1032xbf16>) -> tensor<37x1032xf32>
  %a = graph.abs %f : (tensor<37x1032xf32>) -> tensor<37x1032xf32>
  %m = graph.reduce max, %a dims [1] keepdims : (tensor<37x1032xf32>) -> tensor<37x1xf32>
  %c = graph.full 4.480000e+02 : f32 -> tensor<f32>
  %s = graph.div %m, %c : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %q = graph.div %f, %s : (tensor<37x1032xf32>, tensor<37x1xf32>) -> tensor<37x1032xf32>
  %0 = graph.convert %q : (tensor<37x1032xf32>) -> tensor<37x1032xf8E4M3FN>
  %t = graph.permute %y [1, 0] : (tensor<129x67xf8E5M2>) -> tensor<67x129xf8E5M2>
  %1 = graph.convert %t : (tensor<67x129xf8E5M2>) -> tensor<67x129xf32>
  return %0, %s, %1 : tensor<37x1032xf8E4M3FN>, tensor<37x1xf32>, tensor<67x129xf32>
}
