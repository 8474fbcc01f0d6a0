// REQUIRES: cuda-sim
// RUN: %cuda_sim COIL_CUDA_SIM_TRACE=1 coil-run %s --target=cuda:sm_90 --size-variants --library=none --random-inputs --symbol=s0=3 --symbol=s1=5 --reference=interp 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: %cuda_sim COIL_CUDA_SIM_TRACE=1 coil-run %s --target=cuda:sm_90 --size-variants --library=none --random-inputs --symbol=s0=64 --symbol=s1=1024 --reference=interp 2>&1 | FileCheck %s --check-prefix=BASE
// RUN: %cuda_sim COIL_CUDA_SIM_TRACE=1 coil-run %s --target=cuda:sm_90 --size-variants --library=none --random-inputs --symbol=s0=3000 --symbol=s1=33 --reference=interp 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %cuda_sim COIL_CUDA_SIM_TRACE=1 coil-run %s --target=cuda:sm_90 --size-variants --library=none --random-inputs --symbol=s0=1 --symbol=s1=40000 --reference=interp 2>&1 | FileCheck %s --check-prefix=LONG

// F66: the size of the run decides which variant is launched, and the result is that of the interpreter.
// SMALL-DAG: launch of 'reduce_sum_0_small'
// SMALL-DAG: launch of 'scan_sum_1_small'
// BASE-DAG:  launch of 'reduce_sum_0',
// BASE-DAG:  launch of 'scan_sum_1',
// ROWS-DAG:  launch of 'reduce_sum_0_small'
// LONG-DAG:  launch of 'reduce_sum_0_large'
!t = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !t {coil.name = "x"}) -> (!r, !t)
    attributes {sym.symbols = {s0 = #sym.range<1, 1048576, hint = 64>, s1 = #sym.range<1, 65536, hint = 1024>}} {
  %s = graph.reduce sum, %x dims [1] keepdims : (!t) -> !r
  %c = graph.scan sum, %x dim 0 : (!t) -> !t
  return %s, %c : !r, !t
}
