// RUN: coil-opt %s --wrapper-insert-debug-values | FileCheck %s --check-prefix=DEBUG
// RUN: coil-opt %s --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s --check-prefix=PLAN
// RUN: coil-opt %s --wrapper-reorder-for-memory | FileCheck %s --check-prefix=ORDER
// RUN: rm -rf %t && coil-compile %s --to=wrapper --debug-dir=%t -o /dev/null
// RUN: FileCheck %s --check-prefix=PROVENANCE --input-file=%t/provenance.json

// A user's kernel is a step like others: its effects are what passes go by.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[4, 1, 1]>>]
wrapper.kernel @step() attributes {parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"y", write, f32>, #wrapper.param<"z", update, f32>]} {
  llvm.func @step(%x: !llvm.ptr, %y: !llvm.ptr, %z: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
    llvm.return
  }
}

// PROVENANCE: "step:0"

// What is only written holds nothing before.
// DEBUG-LABEL: wrapper.func @main
// DEBUG:         wrapper.debug_value print before "step:0" "in0" %arg0
// DEBUG-NEXT:    wrapper.debug_value print before "step:0" "in1" %[[Z:.*]] :
// DEBUG-NEXT:    wrapper.launch_user @step
// DEBUG-NEXT:    wrapper.debug_value print after "step:0" "out0" %[[Y:.*]] :
// DEBUG-NEXT:    wrapper.debug_value print after "step:0" "out1" %[[Z]] :

// What it reads for the last time ends behind it, and not before.
// PLAN-LABEL: wrapper.func @main
// PLAN:         %[[Z:.*]] = wrapper.alloc
// PLAN-NEXT:    wrapper.copy %arg0 to %[[Z]]
// PLAN-NEXT:    %[[Y:.*]] = wrapper.alloc
// PLAN-NEXT:    wrapper.launch_user @step
// PLAN-SAME:      ins(%arg0 : {{.*}}) outs(%[[Y]] : {{.*}}) updates(%[[Z]] :
// PLAN-NEXT:    %[[R:.*]] = wrapper.reuse %[[Z]]
// PLAN-NEXT:    wrapper.copy %[[Y]] to %[[R]]

// ORDER-LABEL: wrapper.func @main
// ORDER:         wrapper.copy %arg0 to %[[Z:.*]] :
// ORDER:         wrapper.launch_user @step
// ORDER-SAME:      outs(%[[Y:.*]] : {{.*}}) updates(%[[Z]] :
// ORDER:         wrapper.copy %[[Y]] to
wrapper.func @main(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.launch_user @step grid @once[] config {} arguments [unit, unit, unit] ins(%x : !b) outs(%1 : !b) updates(%0 : !b)
  %2 = wrapper.alloc : !b
  wrapper.copy %1 to %2 : !b
  wrapper.return %1, %2 : !b, !b
}
