// RUN: coil-opt %s --wrapper-map-operators=file=%S/Inputs/operators-tma.mlir --split-input-file --verify-diagnostics=only-expected | FileCheck %s

// Maps are made of the buffers of the call.
!m = !wrapper.buffer<[4, 8], f32, #wrapper.device<"cuda">>
// CHECK-LABEL: wrapper.func @maps(
// CHECK-SAME:    %[[X:[^:]+]]:
// CHECK:         %[[Y:.+]] = wrapper.alloc
// CHECK:         %[[FROM:.+]] = wrapper.tma_descriptor %[[X]] box [8, 8]
// CHECK:         %[[TO:.+]] = wrapper.tma_descriptor %[[Y]] box [8, 8]
// CHECK:         wrapper.launch_user @tiles grid @rows[4] {{.*}} ins(%[[X]] : {{.*}}) outs(%[[Y]] : {{.*}}) maps(%[[FROM]], %[[TO]])
wrapper.func @maps(%x: !m) -> !m {
  %y = wrapper.alloc : !m
  wrapper.extern_call_out "test::tiled"(%x) outs(%y : !m) : !m
  wrapper.return %y : !m
}

// -----

// A layout that no map can take is an error at the call.
!m = !wrapper.buffer<[4, 7], f32, #wrapper.device<"cuda">>
wrapper.func @impossible(%x: !m) -> !m {
  %y = wrapper.alloc : !m
  // expected-error@+1 {{dimension 0 has a stride of 7 elements of 4 bytes, which must be a positive multiple of 16 bytes, less than 2^40}}
  wrapper.extern_call_out "test::tiled"(%x) outs(%y : !m) : !m
  wrapper.return %y : !m
}
