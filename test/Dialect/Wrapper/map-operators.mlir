// RUN: coil-opt %s --wrapper-map-operators=file=%S/Inputs/operators.mlir | FileCheck %s
// RUN: coil-opt %s --wrapper-map-operators=file=%S/Inputs/operators.mlir --remarks-filter=wrapper-map-operators 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: coil-opt %s --wrapper-map-operators | FileCheck %s --check-prefix=NONE

// A kernel of the program has the name of one in the file, which is renamed; what
// nothing uses does not come along.
// CHECK-DAG: wrapper.kernel @scale()
// CHECK-DAG: wrapper.kernel @[[$SCALE:scale_[0-9]+]]() attributes {{{.*}}entry = "scale"
// CHECK-DAG: wrapper.kernel @[[$ADD:add]]() attributes {{{.*}}entry = "add"
// CHECK-DAG: wrapper.grid @one
// CHECK-NOT: wrapper.operator
// NONE-COUNT-4: wrapper.extern_call
wrapper.kernel @scale() attributes {parameters = [#wrapper.param<"x", read, f32>]} {
  func.func @scale(%x: !llvm.ptr, %i: i64, %j: i64, %l: i64) {
    return
  }
}

!v = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[3, 4], f32, #wrapper.device<"cpu">>

// Sizes are those of the call, numbers come by name, what the call leaves out has the
// value in the file. A range that is not known to hold is checked.
// REMARK: 'test::scale' is computed by the user's kernels of 'scale_plain'
// CHECK-LABEL: wrapper.func @maps
// CHECK-SAME: (%[[X:[^:]+]]: {{.*}}, %[[M:[^:]+]]:
// CHECK: %[[Y:.+]] = wrapper.alloc
// CHECK: wrapper.assert <s0 * 2> le <64>, "the kernel for 'test::scale' takes s0 * 2 up to 64"
// CHECK: wrapper.launch_user @[[$SCALE]] grid @one[s0 * 2] config {} arguments [unit, 3.000000e+00 : f32, unit, #sym.expr<s0 * 2>, #sym.expr<s0>] ins(%[[X]] : {{.*}}) outs(%[[Y]]
// CHECK-NOT: wrapper.numbers
// REMARK: 'test::scale' is computed by the user's kernels of 'scale_rows'
// CHECK: wrapper.launch_user @[[$SCALE]] grid @one[3] config {} arguments [unit, 2.000000e+00 : f32, unit, #sym.expr<12>, #sym.expr<0>] ins(%[[M]]
// CHECK: wrapper.launch_user @[[$ADD]] grid @one[s0 * 2] config {} arguments [unit, #sym.expr<s0 * 2>] updates(%[[Y]]
// CHECK: wrapper.extern_call_out "test::other"
wrapper.func @maps(%x: !v, %m: !m) -> (!v, !m) attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !v
  %y = wrapper.alloc : !v
  wrapper.extern_call_out "test::scale"(%x, 3.0, <s0>, "plain") outs(%y : !v) names ["x", "factor", "times", "mode"] : !v
  %z = wrapper.alloc : !m
  wrapper.extern_call_out "test::scale"(%m, none) outs(%z : !m) names ["x", "factor"] : !m
  wrapper.extern_call_out "test::add"(%y) mutates [0] : !v
  wrapper.extern_call_out "test::other"(%y) : !v
  wrapper.return %y, %z : !v, !m
}
