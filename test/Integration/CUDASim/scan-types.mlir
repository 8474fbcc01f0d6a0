// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sums
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sums_of_columns
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=products
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=logs
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=maxima
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=positions
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=positions_of_columns

// Every type, along rows and columns of odd sizes.
func.func @sums(%x0: tensor<5x67xf32>, %x1: tensor<5x67xf64>, %x2: tensor<5x67xf16>, %x3: tensor<5x67xbf16>, %x4: tensor<5x67xi8>, %x5: tensor<5x67xui8>, %x6: tensor<5x67xi16>, %x7: tensor<5x67xi32>, %x8: tensor<5x67xi64>) -> (tensor<5x67xf32>, tensor<5x67xf64>, tensor<5x67xf16>, tensor<5x67xbf16>, tensor<5x67xi8>, tensor<5x67xui8>, tensor<5x67xi16>, tensor<5x67xi32>, tensor<5x67xi64>) {
  %0 = graph.scan sum, %x0 dim 1 : (tensor<5x67xf32>) -> tensor<5x67xf32>
  %1 = graph.scan sum, %x1 dim 1 : (tensor<5x67xf64>) -> tensor<5x67xf64>
  %2 = graph.scan sum, %x2 dim 1 : (tensor<5x67xf16>) -> tensor<5x67xf16>
  %3 = graph.scan sum, %x3 dim 1 : (tensor<5x67xbf16>) -> tensor<5x67xbf16>
  %4 = graph.scan sum, %x4 dim 1 : (tensor<5x67xi8>) -> tensor<5x67xi8>
  %5 = graph.scan sum, %x5 dim 1 : (tensor<5x67xui8>) -> tensor<5x67xui8>
  %6 = graph.scan sum, %x6 dim 1 : (tensor<5x67xi16>) -> tensor<5x67xi16>
  %7 = graph.scan sum, %x7 dim 1 : (tensor<5x67xi32>) -> tensor<5x67xi32>
  %8 = graph.scan sum, %x8 dim 1 : (tensor<5x67xi64>) -> tensor<5x67xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<5x67xf32>, tensor<5x67xf64>, tensor<5x67xf16>, tensor<5x67xbf16>, tensor<5x67xi8>, tensor<5x67xui8>, tensor<5x67xi16>, tensor<5x67xi32>, tensor<5x67xi64>
}

func.func @sums_of_columns(%x0: tensor<67x5xf32>, %x1: tensor<67x5xf64>, %x2: tensor<67x5xf16>, %x3: tensor<67x5xbf16>, %x4: tensor<67x5xi8>, %x5: tensor<67x5xui8>, %x6: tensor<67x5xi16>, %x7: tensor<67x5xi32>, %x8: tensor<67x5xi64>) -> (tensor<67x5xf32>, tensor<67x5xf64>, tensor<67x5xf16>, tensor<67x5xbf16>, tensor<67x5xi8>, tensor<67x5xui8>, tensor<67x5xi16>, tensor<67x5xi32>, tensor<67x5xi64>) {
  %0 = graph.scan sum, %x0 dim 0 : (tensor<67x5xf32>) -> tensor<67x5xf32>
  %1 = graph.scan sum, %x1 dim 0 : (tensor<67x5xf64>) -> tensor<67x5xf64>
  %2 = graph.scan sum, %x2 dim 0 : (tensor<67x5xf16>) -> tensor<67x5xf16>
  %3 = graph.scan sum, %x3 dim 0 : (tensor<67x5xbf16>) -> tensor<67x5xbf16>
  %4 = graph.scan sum, %x4 dim 0 : (tensor<67x5xi8>) -> tensor<67x5xi8>
  %5 = graph.scan sum, %x5 dim 0 : (tensor<67x5xui8>) -> tensor<67x5xui8>
  %6 = graph.scan sum, %x6 dim 0 : (tensor<67x5xi16>) -> tensor<67x5xi16>
  %7 = graph.scan sum, %x7 dim 0 : (tensor<67x5xi32>) -> tensor<67x5xi32>
  %8 = graph.scan sum, %x8 dim 0 : (tensor<67x5xi64>) -> tensor<67x5xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<67x5xf32>, tensor<67x5xf64>, tensor<67x5xf16>, tensor<67x5xbf16>, tensor<67x5xi8>, tensor<67x5xui8>, tensor<67x5xi16>, tensor<67x5xi32>, tensor<67x5xi64>
}

func.func @products(%x0: tensor<3x33xf32>, %x1: tensor<3x33xf64>, %x2: tensor<3x33xbf16>, %x3: tensor<3x33xi32>, %x4: tensor<3x33xi64>) -> (tensor<3x33xf32>, tensor<3x33xf64>, tensor<3x33xbf16>, tensor<3x33xi32>, tensor<3x33xi64>) {
  %0 = graph.scan prod, %x0 dim 1 : (tensor<3x33xf32>) -> tensor<3x33xf32>
  %1 = graph.scan prod, %x1 dim 1 : (tensor<3x33xf64>) -> tensor<3x33xf64>
  %2 = graph.scan prod, %x2 dim 1 : (tensor<3x33xbf16>) -> tensor<3x33xbf16>
  %3 = graph.scan prod, %x3 dim 1 : (tensor<3x33xi32>) -> tensor<3x33xi32>
  %4 = graph.scan prod, %x4 dim 1 : (tensor<3x33xi64>) -> tensor<3x33xi64>
  return %0, %1, %2, %3, %4 : tensor<3x33xf32>, tensor<3x33xf64>, tensor<3x33xbf16>, tensor<3x33xi32>, tensor<3x33xi64>
}

func.func @logs(%x0: tensor<3x131xf32>, %x1: tensor<3x131xf64>, %x2: tensor<3x131xf16>, %x3: tensor<3x131xbf16>) -> (tensor<3x131xf32>, tensor<3x131xf64>, tensor<3x131xf16>, tensor<3x131xbf16>) {
  %0 = graph.scan logaddexp, %x0 dim 1 : (tensor<3x131xf32>) -> tensor<3x131xf32>
  %1 = graph.scan logaddexp, %x1 dim 1 : (tensor<3x131xf64>) -> tensor<3x131xf64>
  %2 = graph.scan logaddexp, %x2 dim 1 : (tensor<3x131xf16>) -> tensor<3x131xf16>
  %3 = graph.scan logaddexp, %x3 dim 1 : (tensor<3x131xbf16>) -> tensor<3x131xbf16>
  return %0, %1, %2, %3 : tensor<3x131xf32>, tensor<3x131xf64>, tensor<3x131xf16>, tensor<3x131xbf16>
}

func.func @maxima(%x0: tensor<3x131xf32>, %x1: tensor<3x131xi8>, %x2: tensor<3x131xui8>, %x3: tensor<3x131xi64>) -> (tensor<3x131xf32>, tensor<3x131xi8>, tensor<3x131xui8>, tensor<3x131xi64>) {
  %0 = graph.scan max, %x0 dim 1 : (tensor<3x131xf32>) -> tensor<3x131xf32>
  %1 = graph.scan max, %x1 dim 1 : (tensor<3x131xi8>) -> tensor<3x131xi8>
  %2 = graph.scan max, %x2 dim 1 : (tensor<3x131xui8>) -> tensor<3x131xui8>
  %3 = graph.scan max, %x3 dim 1 : (tensor<3x131xi64>) -> tensor<3x131xi64>
  return %0, %1, %2, %3 : tensor<3x131xf32>, tensor<3x131xi8>, tensor<3x131xui8>, tensor<3x131xi64>
}

func.func @positions(%x0: tensor<3x131xf32>, %x1: tensor<3x131xf64>, %x2: tensor<3x131xf16>, %x3: tensor<3x131xbf16>, %x4: tensor<3x131xi8>, %x5: tensor<3x131xui8>, %x6: tensor<3x131xi16>, %x7: tensor<3x131xi32>, %x8: tensor<3x131xi64>, %x9: tensor<3x131xi1>) -> (tensor<3x131xf32>, tensor<3x131xi64>, tensor<3x131xf64>, tensor<3x131xi64>, tensor<3x131xf16>, tensor<3x131xi64>, tensor<3x131xbf16>, tensor<3x131xi64>, tensor<3x131xi8>, tensor<3x131xi64>, tensor<3x131xui8>, tensor<3x131xi64>, tensor<3x131xi16>, tensor<3x131xi64>, tensor<3x131xi32>, tensor<3x131xi64>, tensor<3x131xi64>, tensor<3x131xi64>, tensor<3x131xi1>, tensor<3x131xi64>) {
  %v0, %p0 = graph.arg_scan max, %x0 dim 1 : (tensor<3x131xf32>) -> (tensor<3x131xf32>, tensor<3x131xi64>)
  %v1, %p1 = graph.arg_scan max, %x1 dim 1 : (tensor<3x131xf64>) -> (tensor<3x131xf64>, tensor<3x131xi64>)
  %v2, %p2 = graph.arg_scan max, %x2 dim 1 : (tensor<3x131xf16>) -> (tensor<3x131xf16>, tensor<3x131xi64>)
  %v3, %p3 = graph.arg_scan max, %x3 dim 1 : (tensor<3x131xbf16>) -> (tensor<3x131xbf16>, tensor<3x131xi64>)
  %v4, %p4 = graph.arg_scan max, %x4 dim 1 : (tensor<3x131xi8>) -> (tensor<3x131xi8>, tensor<3x131xi64>)
  %v5, %p5 = graph.arg_scan max, %x5 dim 1 : (tensor<3x131xui8>) -> (tensor<3x131xui8>, tensor<3x131xi64>)
  %v6, %p6 = graph.arg_scan max, %x6 dim 1 : (tensor<3x131xi16>) -> (tensor<3x131xi16>, tensor<3x131xi64>)
  %v7, %p7 = graph.arg_scan max, %x7 dim 1 : (tensor<3x131xi32>) -> (tensor<3x131xi32>, tensor<3x131xi64>)
  %v8, %p8 = graph.arg_scan max, %x8 dim 1 : (tensor<3x131xi64>) -> (tensor<3x131xi64>, tensor<3x131xi64>)
  %v9, %p9 = graph.arg_scan max, %x9 dim 1 : (tensor<3x131xi1>) -> (tensor<3x131xi1>, tensor<3x131xi64>)
  return %v0, %p0, %v1, %p1, %v2, %p2, %v3, %p3, %v4, %p4, %v5, %p5, %v6, %p6, %v7, %p7, %v8, %p8, %v9, %p9 : tensor<3x131xf32>, tensor<3x131xi64>, tensor<3x131xf64>, tensor<3x131xi64>, tensor<3x131xf16>, tensor<3x131xi64>, tensor<3x131xbf16>, tensor<3x131xi64>, tensor<3x131xi8>, tensor<3x131xi64>, tensor<3x131xui8>, tensor<3x131xi64>, tensor<3x131xi16>, tensor<3x131xi64>, tensor<3x131xi32>, tensor<3x131xi64>, tensor<3x131xi64>, tensor<3x131xi64>, tensor<3x131xi1>, tensor<3x131xi64>
}

func.func @positions_of_columns(%x0: tensor<131x6xf32>, %x1: tensor<131x6xbf16>, %x2: tensor<131x6xi64>, %x3: tensor<131x6xi1>) -> (tensor<131x6xf32>, tensor<131x6xi64>, tensor<131x6xbf16>, tensor<131x6xi64>, tensor<131x6xi64>, tensor<131x6xi64>, tensor<131x6xi1>, tensor<131x6xi64>) {
  %v0, %p0 = graph.arg_scan min, %x0 dim 0 : (tensor<131x6xf32>) -> (tensor<131x6xf32>, tensor<131x6xi64>)
  %v1, %p1 = graph.arg_scan min, %x1 dim 0 : (tensor<131x6xbf16>) -> (tensor<131x6xbf16>, tensor<131x6xi64>)
  %v2, %p2 = graph.arg_scan min, %x2 dim 0 : (tensor<131x6xi64>) -> (tensor<131x6xi64>, tensor<131x6xi64>)
  %v3, %p3 = graph.arg_scan min, %x3 dim 0 : (tensor<131x6xi1>) -> (tensor<131x6xi1>, tensor<131x6xi64>)
  return %v0, %p0, %v1, %p1, %v2, %p2, %v3, %p3 : tensor<131x6xf32>, tensor<131x6xi64>, tensor<131x6xbf16>, tensor<131x6xi64>, tensor<131x6xi64>, tensor<131x6xi64>, tensor<131x6xi1>, tensor<131x6xi64>
}
