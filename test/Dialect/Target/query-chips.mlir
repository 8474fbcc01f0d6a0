// Of several chips what limits a schedule is the least, and what ranks schedules
// is that of the chip with the most lanes. All chips are ranked as sm_90.

// RUN: mlir-opt %s --load-dialect-plugin=%coil_plugin --transform-interpreter -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: both, shared 101376 : i64
// CHECK: remark: both, threads 1536 : i64
// CHECK: remark: both, multiprocessors 84 : i64
// CHECK: remark: all, shared 65536 : i64
// CHECK: remark: all, multiprocessors 132 : i64
// CHECK: remark: all, features ["ptx"]
// CHECK: remark: amd, warp 64 : i64
// CHECK: remark: level, vectors 256 : i64

module attributes {transform.with_named_sequence, dlti.target_system_spec = #dlti.target_system_spec<
    "both" = #target.device<"cuda:sm_80+sm_86">, "all" = #target.device<"cuda">,
    "amd" = #target.device<"rocm:gfx942">, "level" = #target.device<"cpu:x86-64-v3">>} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %0 = transform.dlti.query ["both", "shared_bytes"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %0, "both, shared" : !transform.any_param
    %1 = transform.dlti.query ["both", "multiprocessor_threads"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %1, "both, threads" : !transform.any_param
    %2 = transform.dlti.query ["both", "multiprocessors"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %2, "both, multiprocessors" : !transform.any_param
    %3 = transform.dlti.query ["all", "shared_bytes"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %3, "all, shared" : !transform.any_param
    %4 = transform.dlti.query ["all", "multiprocessors"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %4, "all, multiprocessors" : !transform.any_param
    %5 = transform.dlti.query ["all", "features"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %5, "all, features" : !transform.any_param
    %6 = transform.dlti.query ["amd", "warp_size"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %6, "amd, warp" : !transform.any_param
    %7 = transform.dlti.query ["level", "vector_bits"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %7, "level, vectors" : !transform.any_param
    transform.yield
  }
}
