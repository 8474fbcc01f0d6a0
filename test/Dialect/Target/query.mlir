// Upstream's queries find the facts: the module's specification is upstream's.

// RUN: mlir-opt %s --load-dialect-plugin=%coil_plugin --transform-interpreter -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: multiprocessors 114 : i64

module attributes {transform.with_named_sequence, dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a", multiprocessors = 114>>} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %p = transform.dlti.query ["cuda", "multiprocessors"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %p, "multiprocessors" : !transform.any_param
    transform.yield
  }
}
