// RUN: coil-opt %s --wrapper-assert-alignment=alignment=32 | FileCheck %s
// wrapper_assert_alignment_c1: the alignment is a power of two.
// RUN: not coil-opt %s --wrapper-assert-alignment=alignment=12 2>&1 | FileCheck %s --check-prefix=C1
// C1: error: the alignment 12 is no power of two

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
wrapper.func @main(%x: !b {coil.name = "x"}, %w: !b {graph.weight = "w"}, %y: !b) -> !u attributes {sym.symbols = {u0 = #sym.range<0, 9>}} {
  // CHECK-NEXT: wrapper.assert_layout
  wrapper.assert_layout %x, "x" : !b
  // CHECK-NEXT: wrapper.assert_aligned %[[X]] to 32, "x"
  // CHECK-NEXT: wrapper.assert_aligned %{{.*}} to 32, "arg2"
  // CHECK-NEXT: %[[N:.*]] = wrapper.extern_call
  %n = wrapper.extern_call "test::nonzero"(%x) : (!b) -> !u
  // CHECK-NEXT: wrapper.bind_symbol
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %n : !u
  // CHECK-NEXT: wrapper.assert_aligned %[[N]] to 32, "test::nonzero:0 - out0"
  // CHECK-NEXT: wrapper.return
  wrapper.return %n : !u
}
