// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --function=edges '--input=9xf32=448 464 465 -inf 0.0009765625 0.00146484375 -0.3 nan 61440' --output=- | FileCheck %s
// RUN: %cuda_sim coil-run %s --target=cuda:sm_80 --library=none --function=edges '--input=9xf32=448 464 465 -inf 0.0009765625 0.00146484375 -0.3 nan 61440' --output=- | FileCheck %s
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --function=edges '--input=9xf32=57344 61439 -61440 inf 1e-9 -1e-9 -0 1e38 -1e38' --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=to
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from
// RUN: %cuda_sim coil-run %s --target=cuda:sm_80 --library=none --random-inputs --reference=interp --function=from
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=moved
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=quantize
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=quantize_odd
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper -o - | FileCheck %s --check-prefix=ONE

// Beyond the range is NaN in the first format and an infinity in the second;
// ties go to even, also among subnormal numbers.
// CHECK: 9xf8E4M3FN=[448 448 nan nan 0 0.002 -0.3 nan nan]
// CHECK: 9xf8E5M2=[448 448 448 -inf 0.001 0.0015 -0.3 nan inf]
// CHECK: 9xf32=[448 448 nan nan 0 0.001953125 -0.3125 nan nan]
func.func @edges(%x: tensor<9xf32>) -> (tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xf32>) {
  %0 = graph.convert %x : (tensor<9xf32>) -> tensor<9xf8E4M3FN>
  %1 = graph.convert %x : (tensor<9xf32>) -> tensor<9xf8E5M2>
  %2 = graph.convert %0 : (tensor<9xf8E4M3FN>) -> tensor<9xf32>
  return %0, %1, %2 : tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xf32>
}

// From every type, in vectors and without.
func.func @to(%a: tensor<33x64xf32>, %b: tensor<33x65xbf16>, %c: tensor<33x64xf16>, %d: tensor<33x3xf64>, %e: tensor<33x64xi32>, %f: tensor<33x64xi1>) -> (tensor<33x64xf8E4M3FN>, tensor<33x65xf8E5M2>, tensor<33x64xf8E5M2>, tensor<33x3xf8E4M3FN>, tensor<33x64xf8E4M3FN>, tensor<33x64xf8E5M2>) {
  %0 = graph.convert %a : (tensor<33x64xf32>) -> tensor<33x64xf8E4M3FN>
  %1 = graph.convert %b : (tensor<33x65xbf16>) -> tensor<33x65xf8E5M2>
  %2 = graph.convert %c : (tensor<33x64xf16>) -> tensor<33x64xf8E5M2>
  %3 = graph.convert %d : (tensor<33x3xf64>) -> tensor<33x3xf8E4M3FN>
  %4 = graph.convert %e : (tensor<33x64xi32>) -> tensor<33x64xf8E4M3FN>
  %5 = graph.convert %f : (tensor<33x64xi1>) -> tensor<33x64xf8E5M2>
  return %0, %1, %2, %3, %4, %5 : tensor<33x64xf8E4M3FN>, tensor<33x65xf8E5M2>, tensor<33x64xf8E5M2>, tensor<33x3xf8E4M3FN>, tensor<33x64xf8E4M3FN>, tensor<33x64xf8E5M2>
}

// To every type, and arithmetic in between.
func.func @from(%a: tensor<33x64xf8E4M3FN>, %b: tensor<33x65xf8E5M2>) -> (tensor<33x64xf32>, tensor<33x64xbf16>, tensor<33x65xf16>, tensor<33x65xf64>, tensor<33x64xi32>, tensor<33x64xf8E4M3FN>) {
  %0 = graph.convert %a : (tensor<33x64xf8E4M3FN>) -> tensor<33x64xf32>
  %1 = graph.convert %a : (tensor<33x64xf8E4M3FN>) -> tensor<33x64xbf16>
  %2 = graph.convert %b : (tensor<33x65xf8E5M2>) -> tensor<33x65xf16>
  %3 = graph.convert %b : (tensor<33x65xf8E5M2>) -> tensor<33x65xf64>
  %4 = graph.convert %a : (tensor<33x64xf8E4M3FN>) -> tensor<33x64xi32>
  %5 = graph.add %0, %0 : (tensor<33x64xf32>, tensor<33x64xf32>) -> tensor<33x64xf32>
  %6 = graph.convert %5 : (tensor<33x64xf32>) -> tensor<33x64xf8E4M3FN>
  return %0, %1, %2, %3, %4, %6 : tensor<33x64xf32>, tensor<33x64xbf16>, tensor<33x65xf16>, tensor<33x65xf64>, tensor<33x64xi32>, tensor<33x64xf8E4M3FN>
}

// Transposed, padded, gathered and written, without arithmetic.
func.func @moved(%a: tensor<67x129xf8E4M3FN>, %i: tensor<31xi64>) -> (tensor<129x67xf8E4M3FN>, tensor<70x129xf8E4M3FN>, tensor<31x129xf8E4M3FN>) {
  %0 = graph.permute %a [1, 0] : (tensor<67x129xf8E4M3FN>) -> tensor<129x67xf8E4M3FN>
  %1 = graph.pad %a low [1, 0] high [2, 0] value 5.000000e-01 : f8E4M3FN : (tensor<67x129xf8E4M3FN>) -> tensor<70x129xf8E4M3FN>
  %2 = graph.index %a[%i] dims [0] : (tensor<67x129xf8E4M3FN>, tensor<31xi64>) -> tensor<31x129xf8E4M3FN>
  return %0, %1, %2 : tensor<129x67xf8E4M3FN>, tensor<70x129xf8E4M3FN>, tensor<31x129xf8E4M3FN>
}

// The scale of a row and the row in one kernel.
// ONE-LABEL: wrapper.func @quantize(
// ONE-COUNT-1: wrapper.launch
// ONE-NOT: wrapper.launch
// ONE: wrapper.return
func.func @quantize(%x: tensor<19x1024xbf16>) -> (tensor<19x1024xf8E4M3FN>, tensor<19x1xf32>) {
  %f = graph.convert %x : (tensor<19x1024xbf16>) -> tensor<19x1024xf32>
  %a = graph.abs %f : (tensor<19x1024xf32>) -> tensor<19x1024xf32>
  %m = graph.reduce max, %a dims [1] keepdims : (tensor<19x1024xf32>) -> tensor<19x1xf32>
  %c = graph.full 4.480000e+02 : f32 -> tensor<f32>
  %s = graph.div %m, %c : (tensor<19x1xf32>, tensor<f32>) -> tensor<19x1xf32>
  %q = graph.div %f, %s : (tensor<19x1024xf32>, tensor<19x1xf32>) -> tensor<19x1024xf32>
  %0 = graph.convert %q : (tensor<19x1024xf32>) -> tensor<19x1024xf8E4M3FN>
  return %0, %s : tensor<19x1024xf8E4M3FN>, tensor<19x1xf32>
}

func.func @quantize_odd(%x: tensor<3x5003xbf16>) -> (tensor<3x5003xf8E5M2>, tensor<3x1xf32>) {
  %f = graph.convert %x : (tensor<3x5003xbf16>) -> tensor<3x5003xf32>
  %a = graph.abs %f : (tensor<3x5003xf32>) -> tensor<3x5003xf32>
  %m = graph.reduce max, %a dims [1] keepdims : (tensor<3x5003xf32>) -> tensor<3x1xf32>
  %c = graph.full 5.734400e+04 : f32 -> tensor<f32>
  %s = graph.div %m, %c : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %q = graph.div %f, %s : (tensor<3x5003xf32>, tensor<3x1xf32>) -> tensor<3x5003xf32>
  %0 = graph.convert %q : (tensor<3x5003xf32>) -> tensor<3x5003xf8E5M2>
  return %0, %s : tensor<3x5003xf8E5M2>, tensor<3x1xf32>
}
