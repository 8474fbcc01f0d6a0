// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sums
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sums --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sums_aligned
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sums_aligned --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=products
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=products --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=maxima
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=maxima --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=minima
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=minima --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=bits
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=bits --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=bools
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=all_bools
// RUN: %cuda_sim coil-run %s --target=cuda:sm_80 --library=none --random-inputs --reference=interp --function=sums
// RUN: %cuda_sim coil-run %s --target=cuda:sm_80 --library=none --random-inputs --reference=interp --function=sums_aligned
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=writes --deterministic

// Rows that lie next to each other change as vectors, odd ones by elements.

func.func @sums(%i: tensor<29xi64>, %x0: tensor<17x37xf32>, %v0: tensor<29x37xf32>, %x1: tensor<17x37xf64>, %v1: tensor<29x37xf64>, %x2: tensor<17x37xf16>, %v2: tensor<29x37xf16>, %x3: tensor<17x37xbf16>, %v3: tensor<29x37xbf16>, %x4: tensor<17x37xi8>, %v4: tensor<29x37xi8>, %x5: tensor<17x37xui8>, %v5: tensor<29x37xui8>, %x6: tensor<17x37xi16>, %v6: tensor<29x37xi16>, %x7: tensor<17x37xi32>, %v7: tensor<29x37xi32>, %x8: tensor<17x37xi64>, %v8: tensor<29x37xi64>) -> (tensor<17x37xf32>, tensor<17x37xf64>, tensor<17x37xf16>, tensor<17x37xbf16>, tensor<17x37xi8>, tensor<17x37xui8>, tensor<17x37xi16>, tensor<17x37xi32>, tensor<17x37xi64>) {
  %0 = graph.index_put sum %x0[%i], %v0 dims [0] : (tensor<17x37xf32>, tensor<29xi64>, tensor<29x37xf32>) -> tensor<17x37xf32>
  %1 = graph.index_put sum %x1[%i], %v1 dims [0] : (tensor<17x37xf64>, tensor<29xi64>, tensor<29x37xf64>) -> tensor<17x37xf64>
  %2 = graph.index_put sum %x2[%i], %v2 dims [0] : (tensor<17x37xf16>, tensor<29xi64>, tensor<29x37xf16>) -> tensor<17x37xf16>
  %3 = graph.index_put sum %x3[%i], %v3 dims [0] : (tensor<17x37xbf16>, tensor<29xi64>, tensor<29x37xbf16>) -> tensor<17x37xbf16>
  %4 = graph.index_put sum %x4[%i], %v4 dims [0] : (tensor<17x37xi8>, tensor<29xi64>, tensor<29x37xi8>) -> tensor<17x37xi8>
  %5 = graph.index_put sum %x5[%i], %v5 dims [0] : (tensor<17x37xui8>, tensor<29xi64>, tensor<29x37xui8>) -> tensor<17x37xui8>
  %6 = graph.index_put sum %x6[%i], %v6 dims [0] : (tensor<17x37xi16>, tensor<29xi64>, tensor<29x37xi16>) -> tensor<17x37xi16>
  %7 = graph.index_put sum %x7[%i], %v7 dims [0] : (tensor<17x37xi32>, tensor<29xi64>, tensor<29x37xi32>) -> tensor<17x37xi32>
  %8 = graph.index_put sum %x8[%i], %v8 dims [0] : (tensor<17x37xi64>, tensor<29xi64>, tensor<29x37xi64>) -> tensor<17x37xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<17x37xf32>, tensor<17x37xf64>, tensor<17x37xf16>, tensor<17x37xbf16>, tensor<17x37xi8>, tensor<17x37xui8>, tensor<17x37xi16>, tensor<17x37xi32>, tensor<17x37xi64>
}

func.func @sums_aligned(%i: tensor<29xi64>, %x0: tensor<17x32xf32>, %v0: tensor<29x32xf32>, %x1: tensor<17x32xf64>, %v1: tensor<29x32xf64>, %x2: tensor<17x32xf16>, %v2: tensor<29x32xf16>, %x3: tensor<17x32xbf16>, %v3: tensor<29x32xbf16>, %x4: tensor<17x32xi8>, %v4: tensor<29x32xi8>, %x5: tensor<17x32xui8>, %v5: tensor<29x32xui8>, %x6: tensor<17x32xi16>, %v6: tensor<29x32xi16>, %x7: tensor<17x32xi32>, %v7: tensor<29x32xi32>, %x8: tensor<17x32xi64>, %v8: tensor<29x32xi64>) -> (tensor<17x32xf32>, tensor<17x32xf64>, tensor<17x32xf16>, tensor<17x32xbf16>, tensor<17x32xi8>, tensor<17x32xui8>, tensor<17x32xi16>, tensor<17x32xi32>, tensor<17x32xi64>) {
  %0 = graph.index_put sum %x0[%i], %v0 dims [0] : (tensor<17x32xf32>, tensor<29xi64>, tensor<29x32xf32>) -> tensor<17x32xf32>
  %1 = graph.index_put sum %x1[%i], %v1 dims [0] : (tensor<17x32xf64>, tensor<29xi64>, tensor<29x32xf64>) -> tensor<17x32xf64>
  %2 = graph.index_put sum %x2[%i], %v2 dims [0] : (tensor<17x32xf16>, tensor<29xi64>, tensor<29x32xf16>) -> tensor<17x32xf16>
  %3 = graph.index_put sum %x3[%i], %v3 dims [0] : (tensor<17x32xbf16>, tensor<29xi64>, tensor<29x32xbf16>) -> tensor<17x32xbf16>
  %4 = graph.index_put sum %x4[%i], %v4 dims [0] : (tensor<17x32xi8>, tensor<29xi64>, tensor<29x32xi8>) -> tensor<17x32xi8>
  %5 = graph.index_put sum %x5[%i], %v5 dims [0] : (tensor<17x32xui8>, tensor<29xi64>, tensor<29x32xui8>) -> tensor<17x32xui8>
  %6 = graph.index_put sum %x6[%i], %v6 dims [0] : (tensor<17x32xi16>, tensor<29xi64>, tensor<29x32xi16>) -> tensor<17x32xi16>
  %7 = graph.index_put sum %x7[%i], %v7 dims [0] : (tensor<17x32xi32>, tensor<29xi64>, tensor<29x32xi32>) -> tensor<17x32xi32>
  %8 = graph.index_put sum %x8[%i], %v8 dims [0] : (tensor<17x32xi64>, tensor<29xi64>, tensor<29x32xi64>) -> tensor<17x32xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<17x32xf32>, tensor<17x32xf64>, tensor<17x32xf16>, tensor<17x32xbf16>, tensor<17x32xi8>, tensor<17x32xui8>, tensor<17x32xi16>, tensor<17x32xi32>, tensor<17x32xi64>
}

func.func @products(%i: tensor<29xi64>, %x0: tensor<17x3xf32>, %v0: tensor<29x3xf32>, %x1: tensor<17x3xf64>, %v1: tensor<29x3xf64>, %x2: tensor<17x3xf16>, %v2: tensor<29x3xf16>, %x3: tensor<17x3xbf16>, %v3: tensor<29x3xbf16>, %x4: tensor<17x3xi8>, %v4: tensor<29x3xi8>, %x5: tensor<17x3xui8>, %v5: tensor<29x3xui8>, %x6: tensor<17x3xi16>, %v6: tensor<29x3xi16>, %x7: tensor<17x3xi32>, %v7: tensor<29x3xi32>, %x8: tensor<17x3xi64>, %v8: tensor<29x3xi64>) -> (tensor<17x3xf32>, tensor<17x3xf64>, tensor<17x3xf16>, tensor<17x3xbf16>, tensor<17x3xi8>, tensor<17x3xui8>, tensor<17x3xi16>, tensor<17x3xi32>, tensor<17x3xi64>) {
  %0 = graph.index_put prod %x0[%i], %v0 dims [0] : (tensor<17x3xf32>, tensor<29xi64>, tensor<29x3xf32>) -> tensor<17x3xf32>
  %1 = graph.index_put prod %x1[%i], %v1 dims [0] : (tensor<17x3xf64>, tensor<29xi64>, tensor<29x3xf64>) -> tensor<17x3xf64>
  %2 = graph.index_put prod %x2[%i], %v2 dims [0] : (tensor<17x3xf16>, tensor<29xi64>, tensor<29x3xf16>) -> tensor<17x3xf16>
  %3 = graph.index_put prod %x3[%i], %v3 dims [0] : (tensor<17x3xbf16>, tensor<29xi64>, tensor<29x3xbf16>) -> tensor<17x3xbf16>
  %4 = graph.index_put prod %x4[%i], %v4 dims [0] : (tensor<17x3xi8>, tensor<29xi64>, tensor<29x3xi8>) -> tensor<17x3xi8>
  %5 = graph.index_put prod %x5[%i], %v5 dims [0] : (tensor<17x3xui8>, tensor<29xi64>, tensor<29x3xui8>) -> tensor<17x3xui8>
  %6 = graph.index_put prod %x6[%i], %v6 dims [0] : (tensor<17x3xi16>, tensor<29xi64>, tensor<29x3xi16>) -> tensor<17x3xi16>
  %7 = graph.index_put prod %x7[%i], %v7 dims [0] : (tensor<17x3xi32>, tensor<29xi64>, tensor<29x3xi32>) -> tensor<17x3xi32>
  %8 = graph.index_put prod %x8[%i], %v8 dims [0] : (tensor<17x3xi64>, tensor<29xi64>, tensor<29x3xi64>) -> tensor<17x3xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<17x3xf32>, tensor<17x3xf64>, tensor<17x3xf16>, tensor<17x3xbf16>, tensor<17x3xi8>, tensor<17x3xui8>, tensor<17x3xi16>, tensor<17x3xi32>, tensor<17x3xi64>
}

func.func @maxima(%i: tensor<29xi64>, %x0: tensor<17x3xf32>, %v0: tensor<29x3xf32>, %x1: tensor<17x3xf64>, %v1: tensor<29x3xf64>, %x2: tensor<17x3xf16>, %v2: tensor<29x3xf16>, %x3: tensor<17x3xbf16>, %v3: tensor<29x3xbf16>, %x4: tensor<17x3xi8>, %v4: tensor<29x3xi8>, %x5: tensor<17x3xui8>, %v5: tensor<29x3xui8>, %x6: tensor<17x3xi16>, %v6: tensor<29x3xi16>, %x7: tensor<17x3xi32>, %v7: tensor<29x3xi32>, %x8: tensor<17x3xi64>, %v8: tensor<29x3xi64>, %x9: tensor<17x3xi1>, %v9: tensor<29x3xi1>) -> (tensor<17x3xf32>, tensor<17x3xf64>, tensor<17x3xf16>, tensor<17x3xbf16>, tensor<17x3xi8>, tensor<17x3xui8>, tensor<17x3xi16>, tensor<17x3xi32>, tensor<17x3xi64>, tensor<17x3xi1>) {
  %0 = graph.index_put max %x0[%i], %v0 dims [0] : (tensor<17x3xf32>, tensor<29xi64>, tensor<29x3xf32>) -> tensor<17x3xf32>
  %1 = graph.index_put max %x1[%i], %v1 dims [0] : (tensor<17x3xf64>, tensor<29xi64>, tensor<29x3xf64>) -> tensor<17x3xf64>
  %2 = graph.index_put max %x2[%i], %v2 dims [0] : (tensor<17x3xf16>, tensor<29xi64>, tensor<29x3xf16>) -> tensor<17x3xf16>
  %3 = graph.index_put max %x3[%i], %v3 dims [0] : (tensor<17x3xbf16>, tensor<29xi64>, tensor<29x3xbf16>) -> tensor<17x3xbf16>
  %4 = graph.index_put max %x4[%i], %v4 dims [0] : (tensor<17x3xi8>, tensor<29xi64>, tensor<29x3xi8>) -> tensor<17x3xi8>
  %5 = graph.index_put max %x5[%i], %v5 dims [0] : (tensor<17x3xui8>, tensor<29xi64>, tensor<29x3xui8>) -> tensor<17x3xui8>
  %6 = graph.index_put max %x6[%i], %v6 dims [0] : (tensor<17x3xi16>, tensor<29xi64>, tensor<29x3xi16>) -> tensor<17x3xi16>
  %7 = graph.index_put max %x7[%i], %v7 dims [0] : (tensor<17x3xi32>, tensor<29xi64>, tensor<29x3xi32>) -> tensor<17x3xi32>
  %8 = graph.index_put max %x8[%i], %v8 dims [0] : (tensor<17x3xi64>, tensor<29xi64>, tensor<29x3xi64>) -> tensor<17x3xi64>
  %9 = graph.index_put max %x9[%i], %v9 dims [0] : (tensor<17x3xi1>, tensor<29xi64>, tensor<29x3xi1>) -> tensor<17x3xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<17x3xf32>, tensor<17x3xf64>, tensor<17x3xf16>, tensor<17x3xbf16>, tensor<17x3xi8>, tensor<17x3xui8>, tensor<17x3xi16>, tensor<17x3xi32>, tensor<17x3xi64>, tensor<17x3xi1>
}

func.func @minima(%i: tensor<29xi64>, %x0: tensor<17x8xf32>, %v0: tensor<29x8xf32>, %x1: tensor<17x8xf64>, %v1: tensor<29x8xf64>, %x2: tensor<17x8xf16>, %v2: tensor<29x8xf16>, %x3: tensor<17x8xbf16>, %v3: tensor<29x8xbf16>, %x4: tensor<17x8xi8>, %v4: tensor<29x8xi8>, %x5: tensor<17x8xui8>, %v5: tensor<29x8xui8>, %x6: tensor<17x8xi16>, %v6: tensor<29x8xi16>, %x7: tensor<17x8xi32>, %v7: tensor<29x8xi32>, %x8: tensor<17x8xi64>, %v8: tensor<29x8xi64>, %x9: tensor<17x8xi1>, %v9: tensor<29x8xi1>) -> (tensor<17x8xf32>, tensor<17x8xf64>, tensor<17x8xf16>, tensor<17x8xbf16>, tensor<17x8xi8>, tensor<17x8xui8>, tensor<17x8xi16>, tensor<17x8xi32>, tensor<17x8xi64>, tensor<17x8xi1>) {
  %0 = graph.index_put min %x0[%i], %v0 dims [0] : (tensor<17x8xf32>, tensor<29xi64>, tensor<29x8xf32>) -> tensor<17x8xf32>
  %1 = graph.index_put min %x1[%i], %v1 dims [0] : (tensor<17x8xf64>, tensor<29xi64>, tensor<29x8xf64>) -> tensor<17x8xf64>
  %2 = graph.index_put min %x2[%i], %v2 dims [0] : (tensor<17x8xf16>, tensor<29xi64>, tensor<29x8xf16>) -> tensor<17x8xf16>
  %3 = graph.index_put min %x3[%i], %v3 dims [0] : (tensor<17x8xbf16>, tensor<29xi64>, tensor<29x8xbf16>) -> tensor<17x8xbf16>
  %4 = graph.index_put min %x4[%i], %v4 dims [0] : (tensor<17x8xi8>, tensor<29xi64>, tensor<29x8xi8>) -> tensor<17x8xi8>
  %5 = graph.index_put min %x5[%i], %v5 dims [0] : (tensor<17x8xui8>, tensor<29xi64>, tensor<29x8xui8>) -> tensor<17x8xui8>
  %6 = graph.index_put min %x6[%i], %v6 dims [0] : (tensor<17x8xi16>, tensor<29xi64>, tensor<29x8xi16>) -> tensor<17x8xi16>
  %7 = graph.index_put min %x7[%i], %v7 dims [0] : (tensor<17x8xi32>, tensor<29xi64>, tensor<29x8xi32>) -> tensor<17x8xi32>
  %8 = graph.index_put min %x8[%i], %v8 dims [0] : (tensor<17x8xi64>, tensor<29xi64>, tensor<29x8xi64>) -> tensor<17x8xi64>
  %9 = graph.index_put min %x9[%i], %v9 dims [0] : (tensor<17x8xi1>, tensor<29xi64>, tensor<29x8xi1>) -> tensor<17x8xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<17x8xf32>, tensor<17x8xf64>, tensor<17x8xf16>, tensor<17x8xbf16>, tensor<17x8xi8>, tensor<17x8xui8>, tensor<17x8xi16>, tensor<17x8xi32>, tensor<17x8xi64>, tensor<17x8xi1>
}

func.func @bits(%i: tensor<29xi64>, %x0: tensor<17x5xi8>, %v0: tensor<29x5xi8>, %x1: tensor<17x5xui8>, %v1: tensor<29x5xui8>, %x2: tensor<17x5xi16>, %v2: tensor<29x5xi16>, %x3: tensor<17x5xi32>, %v3: tensor<29x5xi32>, %x4: tensor<17x5xi64>, %v4: tensor<29x5xi64>, %x5: tensor<17x5xi1>, %v5: tensor<29x5xi1>) -> (tensor<17x5xi8>, tensor<17x5xui8>, tensor<17x5xi16>, tensor<17x5xi32>, tensor<17x5xi64>, tensor<17x5xi1>) {
  %0 = graph.index_put xor %x0[%i], %v0 dims [0] : (tensor<17x5xi8>, tensor<29xi64>, tensor<29x5xi8>) -> tensor<17x5xi8>
  %1 = graph.index_put xor %x1[%i], %v1 dims [0] : (tensor<17x5xui8>, tensor<29xi64>, tensor<29x5xui8>) -> tensor<17x5xui8>
  %2 = graph.index_put xor %x2[%i], %v2 dims [0] : (tensor<17x5xi16>, tensor<29xi64>, tensor<29x5xi16>) -> tensor<17x5xi16>
  %3 = graph.index_put xor %x3[%i], %v3 dims [0] : (tensor<17x5xi32>, tensor<29xi64>, tensor<29x5xi32>) -> tensor<17x5xi32>
  %4 = graph.index_put xor %x4[%i], %v4 dims [0] : (tensor<17x5xi64>, tensor<29xi64>, tensor<29x5xi64>) -> tensor<17x5xi64>
  %5 = graph.index_put xor %x5[%i], %v5 dims [0] : (tensor<17x5xi1>, tensor<29xi64>, tensor<29x5xi1>) -> tensor<17x5xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<17x5xi8>, tensor<17x5xui8>, tensor<17x5xi16>, tensor<17x5xi32>, tensor<17x5xi64>, tensor<17x5xi1>
}

func.func @bools(%i: tensor<29xi64>, %x0: tensor<17x7xi1>, %v0: tensor<29x7xi1>) -> (tensor<17x7xi1>) {
  %0 = graph.index_put any %x0[%i], %v0 dims [0] : (tensor<17x7xi1>, tensor<29xi64>, tensor<29x7xi1>) -> tensor<17x7xi1>
  return %0 : tensor<17x7xi1>
}
func.func @all_bools(%i: tensor<29xi64>, %x0: tensor<17x7xi1>, %v0: tensor<29x7xi1>) -> (tensor<17x7xi1>) {
  %0 = graph.index_put all %x0[%i], %v0 dims [0] : (tensor<17x7xi1>, tensor<29xi64>, tensor<29x7xi1>) -> tensor<17x7xi1>
  return %0 : tensor<17x7xi1>
}

func.func @writes(%i: tensor<11xi64>, %x0: tensor<17x16xf32>, %v0: tensor<11x16xf32>, %x1: tensor<17x16xbf16>, %v1: tensor<11x16xbf16>, %x2: tensor<17x16xi8>, %v2: tensor<11x16xi8>, %x3: tensor<17x16xi64>, %v3: tensor<11x16xi64>, %x4: tensor<17x16xi1>, %v4: tensor<11x16xi1>, %x5: tensor<17x16xf64>, %v5: tensor<11x16xf64>) -> (tensor<17x16xf32>, tensor<17x16xbf16>, tensor<17x16xi8>, tensor<17x16xi64>, tensor<17x16xi1>, tensor<17x16xf64>) {
  %0 = graph.index_put  %x0[%i], %v0 dims [0] : (tensor<17x16xf32>, tensor<11xi64>, tensor<11x16xf32>) -> tensor<17x16xf32>
  %1 = graph.index_put  %x1[%i], %v1 dims [0] : (tensor<17x16xbf16>, tensor<11xi64>, tensor<11x16xbf16>) -> tensor<17x16xbf16>
  %2 = graph.index_put  %x2[%i], %v2 dims [0] : (tensor<17x16xi8>, tensor<11xi64>, tensor<11x16xi8>) -> tensor<17x16xi8>
  %3 = graph.index_put  %x3[%i], %v3 dims [0] : (tensor<17x16xi64>, tensor<11xi64>, tensor<11x16xi64>) -> tensor<17x16xi64>
  %4 = graph.index_put  %x4[%i], %v4 dims [0] : (tensor<17x16xi1>, tensor<11xi64>, tensor<11x16xi1>) -> tensor<17x16xi1>
  %5 = graph.index_put  %x5[%i], %v5 dims [0] : (tensor<17x16xf64>, tensor<11xi64>, tensor<11x16xf64>) -> tensor<17x16xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<17x16xf32>, tensor<17x16xbf16>, tensor<17x16xi8>, tensor<17x16xi64>, tensor<17x16xi1>, tensor<17x16xf64>
}
