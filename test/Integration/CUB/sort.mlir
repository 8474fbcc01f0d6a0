// Sorts on GPUs: what the host asks of the library, graphs, and what goes wrong.

// REQUIRES: cuda-sim, fake-cub
// RUN: %cuda_sim %fake_cub env COIL_FAKE_CUB_TRACE=1 coil-run %s --target=cuda:sm_90a --random-inputs --symbol=s0=3 --symbol=s1=101 --library=cub --reference=interp 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: sort type 11, 3 x 101 x 1, 101 of them, values, indices, workspace 4851
// CALLS: sort type 10, 1 x 3 x 101, 3 of them, descending, values, workspace 0
// CALLS: sort type 11, 1 x 101 x 3, 50 of them, descending, indices, workspace 4851

// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --random-inputs --symbol=s0=1 --symbol=s1=1 --library=cub --reference=interp
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --random-inputs --symbol=s0=0 --symbol=s1=7 --library=cub --reference=interp
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --random-inputs --symbol=s0=67 --symbol=s1=13 --library=cub --reference=interp

// `auto` finds it. Calls are recorded and replayed with other memory.
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --random-inputs --symbol=s0=5 --symbol=s1=71 --cuda-graphs=2 --iterations=5 --reference=interp --per-kernel | FileCheck %s --check-prefix=STEPS
// STEPS: memory sort
// STEPS: memory sort

// Without it, it is an error of compilation, with the operator and its place.
// RUN: env COIL_CUB_LIBRARY=libno-such.so %cuda_sim not coil-run %s --target=cuda:sm_90a --random-inputs 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %cuda_sim %fake_cub not coil-run %s --target=cuda:sm_90a --library=none --random-inputs 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: coil-run: error: {{.*}}sort.mlir:[[#@LINE+22]]:{{[0-9]+}}: 'graph.sort' op needs the library 'cub' on GPUs, which cannot be loaded or is not among those of the compilation
// RUN: env COIL_CUB_LIBRARY=libno-such.so %cuda_sim not coil-run %s --target=cuda:sm_90a --library=cub --random-inputs 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: coil-run: error: library 'cub' is not available: libno-such.so{{.*}}, in sort ({{.*}}sort.mlir:[[#@LINE+20]])

// RUN: env COIL_FAKE_CUB_FAIL=version %cuda_sim %fake_cub not coil-run %s --target=cuda:sm_90a --library=cub --random-inputs 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: library 'cub' is not available: it has version 2 of the interface, not 1, in sort ({{.*}}sort.mlir:{{[0-9]+}})
// RUN: env COIL_FAKE_CUB_FAIL=workspace %cuda_sim %fake_cub not coil-run %s --target=cuda:sm_90a --library=cub --random-inputs 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// WORKSPACE: library 'cub' failed: invalid argument, in sort ({{.*}}sort.mlir:{{[0-9]+}})
// RUN: env COIL_FAKE_CUB_FAIL=sort %cuda_sim %fake_cub not coil-run %s --target=cuda:sm_90a --library=cub --random-inputs 2>&1 | FileCheck %s --check-prefix=SORT
// SORT: library 'cub' failed: an illegal memory access was encountered, in sort ({{.*}}sort.mlir:{{[0-9]+}})
// RUN: env COIL_FAKE_CUB_FAIL=memory %cuda_sim %fake_cub not coil-run %s --target=cuda:sm_90a --library=cub --random-inputs 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: library 'cub' failed: out of memory, in sort ({{.*}}sort.mlir:{{[0-9]+}})

!x = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!i = tensor<?x?xi64, #sym.shape<[s0, s1]>>
!h = tensor<?x?xbf16, #sym.shape<[s0, s1]>>
!t = tensor<?x?xf32, #sym.shape<[s1, s0]>>
!k = tensor<?x?xi64, #sym.shape<[s1 floordiv 2, s0]>>
!v = tensor<?x?xf32, #sym.shape<[s1 floordiv 2, s0]>>
func.func @main(%x: !x, %h: !h) -> (!x, !i, !h, !k)
    attributes {sym.symbols = {s0 = #sym.range<0, 4096>, s1 = #sym.range<1, 4096, hint = 8>}} {
  %n = graph.neg %x : (!x) -> !x
  %v, %i = graph.sort %n dim 1 : (!x) -> (!x, !i)
  %e = graph.exp %v : (!x) -> !x
  %w, %j = graph.sort %h dim 0 descending stable : (!h) -> (!h, !i)
  %p = graph.permute %x [1, 0] : (!x) -> !t
  %q, %m = graph.topk %p k <s1 floordiv 2> dim 0 largest : (!t) -> (!v, !k)
  return %e, %i, %w, %m : !x, !i, !h, !k
}
