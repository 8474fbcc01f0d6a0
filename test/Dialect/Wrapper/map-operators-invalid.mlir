// RUN: coil-opt %s --wrapper-map-operators=file=%S/Inputs/operators.mlir --split-input-file --verify-diagnostics=only-expected 2>&1
// RUN: not coil-opt %s --wrapper-map-operators=file=%S/Inputs/operators.mlir --split-input-file 2>&1 | FileCheck %s

// Each function says why it is not for the call, at its place in the file.
// CHECK: map-operators-invalid.mlir:[[#@LINE+6]]:3: error: no function of '{{.*}}operators.mlir' is for this call of 'test::scale'
// CHECK: operators.mlir:{{[0-9]+}}:1: note: 'scale_plain': argument 0 is a !wrapper.buffer<[n], f32, {{.*}}, the call passes a !wrapper.buffer<[4], f64
// CHECK: operators.mlir:{{[0-9]+}}:1: note: 'scale_rows': argument 0 is a
!b = !wrapper.buffer<[4], f64, #wrapper.device<"cpu">>
wrapper.func @type(%x: !b, %y: !b) {
  // expected-error @below {{is for this call of 'test::scale'}}
  wrapper.extern_call_out "test::scale"(%x) outs(%y : !b) : !b
  wrapper.return
}

// -----

// CHECK: 'scale_plain': it is for 'mode' "plain", the call passes "other"
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @mode(%x: !b, %y: !b) {
  // expected-error @below {{is for this call of 'test::scale'}}
  wrapper.extern_call_out "test::scale"(%x, "other") outs(%y : !b) names ["x", "mode"] : !b
  wrapper.return
}

// -----

// CHECK: 'scale_plain': it does not take 'bias', which the call passes as 1.000000e+00
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @unknown(%x: !b, %y: !b) {
  // expected-error @below {{is for this call of 'test::scale'}}
  wrapper.extern_call_out "test::scale"(%x, 1.0) outs(%y : !b) names ["x", "bias"] : !b
  wrapper.return
}

// -----

// CHECK: 'scale_plain': it gives 1 tensors, the operator gives 0
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @results(%x: !b) {
  // expected-error @below {{is for this call of 'test::scale'}}
  wrapper.extern_call_out "test::scale"(%x) names ["x"] : !b
  wrapper.return
}

// -----

// CHECK: 'scale_plain': argument 0 is 'x', the call passes 'input'
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @name(%x: !b, %y: !b) {
  // expected-error @below {{is for this call of 'test::scale'}}
  wrapper.extern_call_out "test::scale"(%x) outs(%y : !b) names ["input"] : !b
  wrapper.return
}

// -----

// CHECK: 'scale_plain': 'n' is 100, which is out of its range
!b = !wrapper.buffer<[100], f32, #wrapper.device<"cpu">>
wrapper.func @range(%x: !b, %y: !b) {
  // expected-error @below {{is for this call of 'test::scale'}}
  wrapper.extern_call_out "test::scale"(%x) outs(%y : !b) names ["x"] : !b
  wrapper.return
}

// -----

// CHECK: 'add_into': argument 0 is written, which the operator does not do
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @writes(%x: !b) {
  // expected-error @below {{is for this call of 'test::add'}}
  wrapper.extern_call_out "test::add"(%x) : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
// CHECK: error: 'test::scale' gives tensors with data-dependent sizes, so no kernel of '{{.*}}operators.mlir' can be substituted
wrapper.func @late(%x: !b) -> !u attributes {sym.symbols = {u0 = #sym.range<0, 4>}} {
  // expected-error @below {{can be substituted}}
  %0 = wrapper.extern_call "test::scale"(%x) : (!b) -> !u
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %0 : !u
  wrapper.assert_layout %0, "r" : !u
  wrapper.return %0 : !u
}
