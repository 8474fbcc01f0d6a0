// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=elements --symbol=s0=131 --symbol=s1=1031
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=elements --symbol=s0=131 --symbol=s1=1031 --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=transposed
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=transposed --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=positions
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=positions --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=kept
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=kept --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=wide
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=wide --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=elements --symbol=s0=131 --symbol=s1=0
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=few
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=few --deterministic
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=one
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=one --deterministic

// RUN: not %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --function=elements '--input=3xf32=1 2 3' '--input=2xi64=0 3' '--input=2xf32=1 2' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --function=elements '--input=3xf32=1 2 3' '--input=4xi64=0 -1 2 0' '--input=4xf32=10 20 30 40' --output=- | FileCheck %s --check-prefix=SUM
// RANGE: out of range
// SUM: 3xf32=[51 2 53]

// One dimension, whose elements have nothing in common.
func.func @elements(%x: tensor<?xf32, #sym.shape<[s0]>>, %i: tensor<?xi64, #sym.shape<[s1]>>, %v: tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 100000>, s1 = #sym.range<0, 100000>}} {
  %0 = graph.scatter sum %x, %i, %v dim 0 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s1]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// Along the inner dimension, of a value that is computed and of one that is
// read transposed.
func.func @transposed(%x: tensor<13x31xf32>, %i: tensor<13x9xi64>, %v: tensor<9x13xf32>) -> tensor<13x31xf32> {
  %t = graph.permute %v [1, 0] : (tensor<9x13xf32>) -> tensor<13x9xf32>
  %e = graph.exp %t : (tensor<13x9xf32>) -> tensor<13x9xf32>
  %0 = graph.scatter sum %x, %i, %e dim 1 : (tensor<13x31xf32>, tensor<13x9xi64>, tensor<13x9xf32>) -> tensor<13x31xf32>
  return %0 : tensor<13x31xf32>
}

// Two indices, and a dimension in between.
func.func @positions(%x: tensor<12x6x12xf16>, %i: tensor<21xi64>, %j: tensor<21xi64>, %v: tensor<21x6xf16>) -> tensor<12x6x12xf16> {
  %0 = graph.index_put sum %x[%i, %j], %v dims [0, 2] : (tensor<12x6x12xf16>, tensor<21xi64>, tensor<21xi64>, tensor<21x6xf16>) -> tensor<12x6x12xf16>
  return %0 : tensor<12x6x12xf16>
}

// The target is read elsewhere, so the result is a copy of it.
func.func @kept(%x: tensor<17x8xf32>, %i: tensor<29xi64>, %v: tensor<29x8xf32>) -> (tensor<17x8xf32>, tensor<17x8xf32>) {
  %y = graph.exp %x : (tensor<17x8xf32>) -> tensor<17x8xf32>
  %0 = graph.index_put sum %y[%i], %v dims [0] : (tensor<17x8xf32>, tensor<29xi64>, tensor<29x8xf32>) -> tensor<17x8xf32>
  %1 = graph.neg %y : (tensor<17x8xf32>) -> tensor<17x8xf32>
  return %0, %1 : tensor<17x8xf32>, tensor<17x8xf32>
}

// More elements than a block has threads, in rows of no whole vectors.
func.func @wide(%x: tensor<11x1031xbf16>, %i: tensor<67xi64>, %v: tensor<67x1031xbf16>) -> tensor<11x1031xbf16> {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<11x1031xbf16>, tensor<67xi64>, tensor<67x1031xbf16>) -> tensor<11x1031xbf16>
  return %0 : tensor<11x1031xbf16>
}

// Few elements with many duplicates, and one.
func.func @few(%x: tensor<11xf32>, %i: tensor<4001xi64>, %v: tensor<4001xf32>) -> tensor<11xf32> {
  %0 = graph.scatter sum %x, %i, %v dim 0 : (tensor<11xf32>, tensor<4001xi64>, tensor<4001xf32>) -> tensor<11xf32>
  return %0 : tensor<11xf32>
}

func.func @one(%x: tensor<1xf64>, %v: tensor<257xf64>) -> tensor<1xf64> {
  %z = graph.full 0 : i64 -> tensor<257xi64>
  %0 = graph.scatter sum %x, %z, %v dim 0 : (tensor<1xf64>, tensor<257xi64>, tensor<257xf64>) -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
