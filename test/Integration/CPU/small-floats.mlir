// Conversions, arithmetic and moves of bf16 and f16 need no function of a compiler's
// support library (object emission would fail), at each level, and agree with the
// interpreter on this processor.
// RUN: coil-run %s --random-inputs --reference=interp
// RUN: coil-run %s --random-inputs --reference=interp --target=cpu:x86-64-v3
// RUN: coil-compile %s --target=cpu:x86-64-v3+x86-64-v4 -o %t.coilpkg
// RUN: env COIL_CPU=haswell ONEDNN_MAX_CPU_ISA=AVX2 coil-run %s --random-inputs --reference=interp --target=cpu:haswell

!b = tensor<4x64xbf16>
!f = tensor<4x64xf32>
!d = tensor<4x64xf64>
!i = tensor<4x64xi64>
!h = tensor<4x64xf16>
func.func @main(%x: !b, %i: !i, %d: !d, %h: !h) 
    -> (!b, !b, !b, !h, !h, !b, !h, !d, !d) {
  %y = graph.exp %x : (!b) -> !b
  %z = graph.convert %i : (!i) -> !b
  %w = graph.convert %d : (!d) -> !b
  %v = graph.convert %d : (!d) -> !h
  %u = graph.convert %i : (!i) -> !h
  %t = graph.convert %h : (!h) -> !b
  %s = graph.add %h, %h : (!h, !h) -> !h
  %q = graph.convert %h : (!h) -> !d
  %r = graph.convert %x : (!b) -> !d
  return %y, %z, %w, %v, %u, %t, %s, %q, %r : !b, !b, !b, !h, !h, !b, !h, !d, !d
}
