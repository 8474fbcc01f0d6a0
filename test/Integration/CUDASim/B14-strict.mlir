// REQUIRES: cuda-sim
// RUN: coil-run %s --random-inputs --symbol=s0=20011 --reference=interp --atol=0 --rtol=0 --strict-lines='*'
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=20011 --reference=interp --atol=0 --rtol=0 --strict-lines='*'
// RUN: not coil-run %s --random-inputs --symbol=s0=20011 --reference=interp --atol=0 --rtol=0 --intermediate-rounding=fused 2>&1 | FileCheck %s
// RUN: not %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=20011 --reference=interp --atol=0 --rtol=0 --intermediate-rounding=fused 2>&1 | FileCheck %s
// CHECK: differ

// B14: strict chains of operators on bf16 and f16 have the bits of the interpreter, which rounds after each operator, on the
// CPU and on the simulated GPU; chains that are rounded where they are stored have not.
!b = tensor<?xbf16, #sym.shape<[s0]>>
!h = tensor<?xf16, #sym.shape<[s0]>>
!i = tensor<?xi1, #sym.shape<[s0]>>
func.func @main(%x: !b, %y: !b, %p: !h, %q: !h) -> (!b, !b, !h, !h) attributes {sym.symbols = {s0 = #sym.range<0, 100000, hint = 20000>}} {
  %0 = graph.mul %x, %y : (!b, !b) -> !b
  %1 = graph.add %0, %x : (!b, !b) -> !b
  %2 = graph.div %1, %y : (!b, !b) -> !b
  %3 = graph.sub %2, %0 : (!b, !b) -> !b
  %4 = graph.abs %3 : (!b) -> !b
  %5 = graph.sqrt %4 : (!b) -> !b
  %6 = graph.compare gt, %1, %3 : (!b, !b) -> !i
  %7 = graph.select %6, %2, %5 : (!i, !b, !b) -> !b
  %8 = graph.mul %p, %q : (!h, !h) -> !h
  %9 = graph.add %8, %p : (!h, !h) -> !h
  %10 = graph.div %9, %q : (!h, !h) -> !h
  %11 = graph.sub %10, %8 : (!h, !h) -> !h
  %12 = graph.maximum %11, %9 : (!h, !h) -> !h
  %13 = graph.mul %12, %11 : (!h, !h) -> !h
  return %7, %5, %13, %11 : !b, !b, !h, !h
}
