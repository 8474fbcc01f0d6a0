// Vectors of every type that begin between aligned addresses: whole ones are shifted out of two aligned ones, and at both
// ends of the buffer, outside of which the simulator allows no access, elements are loaded one by one.
// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_f32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_f32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_f32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_bf16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_bf16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_bf16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_f16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_f16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_f16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_f64
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_f64
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_f64
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_i8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_i8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_i8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_ui8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_ui8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_ui8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_i16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_i16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_i16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_i32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_i32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_i32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_i64
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_i64
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_i64
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from1_i1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from3_i1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=from7_i1

func.func @from1_f32(%x: tensor<1004xf32>) -> tensor<1003xf32> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xf32>) -> tensor<1003xf32>
  %1 = graph.add %0, %0 : (tensor<1003xf32>, tensor<1003xf32>) -> tensor<1003xf32>
  return %1 : tensor<1003xf32>
}

func.func @from3_f32(%x: tensor<1006xf32>) -> tensor<1003xf32> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xf32>) -> tensor<1003xf32>
  %1 = graph.add %0, %0 : (tensor<1003xf32>, tensor<1003xf32>) -> tensor<1003xf32>
  return %1 : tensor<1003xf32>
}

func.func @from7_f32(%x: tensor<47xf32>) -> tensor<40xf32> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xf32>) -> tensor<40xf32>
  %1 = graph.add %0, %0 : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %1 : tensor<40xf32>
}

func.func @from1_bf16(%x: tensor<1004xbf16>) -> tensor<1003xbf16> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xbf16>) -> tensor<1003xbf16>
  %1 = graph.add %0, %0 : (tensor<1003xbf16>, tensor<1003xbf16>) -> tensor<1003xbf16>
  return %1 : tensor<1003xbf16>
}

func.func @from3_bf16(%x: tensor<1006xbf16>) -> tensor<1003xbf16> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xbf16>) -> tensor<1003xbf16>
  %1 = graph.add %0, %0 : (tensor<1003xbf16>, tensor<1003xbf16>) -> tensor<1003xbf16>
  return %1 : tensor<1003xbf16>
}

func.func @from7_bf16(%x: tensor<47xbf16>) -> tensor<40xbf16> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xbf16>) -> tensor<40xbf16>
  %1 = graph.add %0, %0 : (tensor<40xbf16>, tensor<40xbf16>) -> tensor<40xbf16>
  return %1 : tensor<40xbf16>
}

func.func @from1_f16(%x: tensor<1004xf16>) -> tensor<1003xf16> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xf16>) -> tensor<1003xf16>
  %1 = graph.add %0, %0 : (tensor<1003xf16>, tensor<1003xf16>) -> tensor<1003xf16>
  return %1 : tensor<1003xf16>
}

func.func @from3_f16(%x: tensor<1006xf16>) -> tensor<1003xf16> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xf16>) -> tensor<1003xf16>
  %1 = graph.add %0, %0 : (tensor<1003xf16>, tensor<1003xf16>) -> tensor<1003xf16>
  return %1 : tensor<1003xf16>
}

func.func @from7_f16(%x: tensor<47xf16>) -> tensor<40xf16> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xf16>) -> tensor<40xf16>
  %1 = graph.add %0, %0 : (tensor<40xf16>, tensor<40xf16>) -> tensor<40xf16>
  return %1 : tensor<40xf16>
}

func.func @from1_f64(%x: tensor<1004xf64>) -> tensor<1003xf64> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xf64>) -> tensor<1003xf64>
  %1 = graph.add %0, %0 : (tensor<1003xf64>, tensor<1003xf64>) -> tensor<1003xf64>
  return %1 : tensor<1003xf64>
}

func.func @from3_f64(%x: tensor<1006xf64>) -> tensor<1003xf64> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xf64>) -> tensor<1003xf64>
  %1 = graph.add %0, %0 : (tensor<1003xf64>, tensor<1003xf64>) -> tensor<1003xf64>
  return %1 : tensor<1003xf64>
}

func.func @from7_f64(%x: tensor<47xf64>) -> tensor<40xf64> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xf64>) -> tensor<40xf64>
  %1 = graph.add %0, %0 : (tensor<40xf64>, tensor<40xf64>) -> tensor<40xf64>
  return %1 : tensor<40xf64>
}

func.func @from1_i8(%x: tensor<1004xi8>) -> tensor<1003xi8> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xi8>) -> tensor<1003xi8>
  %1 = graph.add %0, %0 : (tensor<1003xi8>, tensor<1003xi8>) -> tensor<1003xi8>
  return %1 : tensor<1003xi8>
}

func.func @from3_i8(%x: tensor<1006xi8>) -> tensor<1003xi8> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xi8>) -> tensor<1003xi8>
  %1 = graph.add %0, %0 : (tensor<1003xi8>, tensor<1003xi8>) -> tensor<1003xi8>
  return %1 : tensor<1003xi8>
}

func.func @from7_i8(%x: tensor<47xi8>) -> tensor<40xi8> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xi8>) -> tensor<40xi8>
  %1 = graph.add %0, %0 : (tensor<40xi8>, tensor<40xi8>) -> tensor<40xi8>
  return %1 : tensor<40xi8>
}

func.func @from1_ui8(%x: tensor<1004xui8>) -> tensor<1003xui8> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xui8>) -> tensor<1003xui8>
  %1 = graph.add %0, %0 : (tensor<1003xui8>, tensor<1003xui8>) -> tensor<1003xui8>
  return %1 : tensor<1003xui8>
}

func.func @from3_ui8(%x: tensor<1006xui8>) -> tensor<1003xui8> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xui8>) -> tensor<1003xui8>
  %1 = graph.add %0, %0 : (tensor<1003xui8>, tensor<1003xui8>) -> tensor<1003xui8>
  return %1 : tensor<1003xui8>
}

func.func @from7_ui8(%x: tensor<47xui8>) -> tensor<40xui8> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xui8>) -> tensor<40xui8>
  %1 = graph.add %0, %0 : (tensor<40xui8>, tensor<40xui8>) -> tensor<40xui8>
  return %1 : tensor<40xui8>
}

func.func @from1_i16(%x: tensor<1004xi16>) -> tensor<1003xi16> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xi16>) -> tensor<1003xi16>
  %1 = graph.add %0, %0 : (tensor<1003xi16>, tensor<1003xi16>) -> tensor<1003xi16>
  return %1 : tensor<1003xi16>
}

func.func @from3_i16(%x: tensor<1006xi16>) -> tensor<1003xi16> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xi16>) -> tensor<1003xi16>
  %1 = graph.add %0, %0 : (tensor<1003xi16>, tensor<1003xi16>) -> tensor<1003xi16>
  return %1 : tensor<1003xi16>
}

func.func @from7_i16(%x: tensor<47xi16>) -> tensor<40xi16> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xi16>) -> tensor<40xi16>
  %1 = graph.add %0, %0 : (tensor<40xi16>, tensor<40xi16>) -> tensor<40xi16>
  return %1 : tensor<40xi16>
}

func.func @from1_i32(%x: tensor<1004xi32>) -> tensor<1003xi32> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xi32>) -> tensor<1003xi32>
  %1 = graph.add %0, %0 : (tensor<1003xi32>, tensor<1003xi32>) -> tensor<1003xi32>
  return %1 : tensor<1003xi32>
}

func.func @from3_i32(%x: tensor<1006xi32>) -> tensor<1003xi32> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xi32>) -> tensor<1003xi32>
  %1 = graph.add %0, %0 : (tensor<1003xi32>, tensor<1003xi32>) -> tensor<1003xi32>
  return %1 : tensor<1003xi32>
}

func.func @from7_i32(%x: tensor<47xi32>) -> tensor<40xi32> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xi32>) -> tensor<40xi32>
  %1 = graph.add %0, %0 : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  return %1 : tensor<40xi32>
}

func.func @from1_i64(%x: tensor<1004xi64>) -> tensor<1003xi64> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xi64>) -> tensor<1003xi64>
  %1 = graph.add %0, %0 : (tensor<1003xi64>, tensor<1003xi64>) -> tensor<1003xi64>
  return %1 : tensor<1003xi64>
}

func.func @from3_i64(%x: tensor<1006xi64>) -> tensor<1003xi64> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xi64>) -> tensor<1003xi64>
  %1 = graph.add %0, %0 : (tensor<1003xi64>, tensor<1003xi64>) -> tensor<1003xi64>
  return %1 : tensor<1003xi64>
}

func.func @from7_i64(%x: tensor<47xi64>) -> tensor<40xi64> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xi64>) -> tensor<40xi64>
  %1 = graph.add %0, %0 : (tensor<40xi64>, tensor<40xi64>) -> tensor<40xi64>
  return %1 : tensor<40xi64>
}

func.func @from1_i1(%x: tensor<1004xi1>) -> tensor<1003xi1> {
  %0 = graph.slice %x starts <[1]> steps [1] : (tensor<1004xi1>) -> tensor<1003xi1>
  %1 = graph.bitwise_not %0 : (tensor<1003xi1>) -> tensor<1003xi1>
  return %1 : tensor<1003xi1>
}

func.func @from3_i1(%x: tensor<1006xi1>) -> tensor<1003xi1> {
  %0 = graph.slice %x starts <[3]> steps [1] : (tensor<1006xi1>) -> tensor<1003xi1>
  %1 = graph.bitwise_not %0 : (tensor<1003xi1>) -> tensor<1003xi1>
  return %1 : tensor<1003xi1>
}

func.func @from7_i1(%x: tensor<47xi1>) -> tensor<40xi1> {
  %0 = graph.slice %x starts <[7]> steps [1] : (tensor<47xi1>) -> tensor<40xi1>
  %1 = graph.bitwise_not %0 : (tensor<40xi1>) -> tensor<40xi1>
  return %1 : tensor<40xi1>
}
