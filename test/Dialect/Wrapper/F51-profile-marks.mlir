// RUN: coil-opt %s --wrapper-insert-profile-marks | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: coil-opt %s --wrapper-insert-profile-marks=calls=true | FileCheck %s --check-prefixes=CHECK,CALLS
// RUN: coil-opt %s --wrapper-insert-profile-marks | grep -c wrapper.profile_range | FileCheck %s --check-prefix=COUNT
// RUN: coil-opt %s --wrapper-insert-profile-marks --wrapper-verify-memory -o /dev/null

// F51: the option adds exactly one range, around the call.
// COUNT: 1

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @main(
wrapper.func @main(%x: !b) -> (!c, !u) attributes {sym.symbols = {u0 = #sym.range<0, 9>}} {
  // CHECK-NEXT: %[[R:.*]]:2 = wrapper.profile_range "main" -> (
  // CHECK-NEXT: wrapper.assert_layout
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // ONE-NOT: wrapper.profile_range
  // ONE: wrapper.extern_call "test::nonzero"
  // CALLS: %[[N:.*]] = wrapper.profile_range "test::nonzero:0" -> (
  // CALLS-NEXT: wrapper.extern_call "test::nonzero"
  // CALLS-NEXT: wrapper.bind_symbol
  // CALLS-NEXT: wrapper.yield
  %n = wrapper.extern_call "test::nonzero"(%0) : (!b) -> !u
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %n : !u
  // What is a view is made again behind.
  %v = wrapper.reinterpret %0 at <2> : !b to !c
  // CHECK: wrapper.yield %{{.*}}, %{{.*}} :
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[V:.*]] = wrapper.reinterpret %[[R]]#1 at <2>
  // CHECK-NEXT: wrapper.return %[[V]], %[[R]]#0
  wrapper.return %v, %n : !c, !u
}

// CHECK-LABEL: wrapper.func private @part(
// CHECK-NEXT: wrapper.return
wrapper.func private @part(%x: !b) {
  wrapper.return
}
