// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-opt %s --split-input-file --verify-diagnostics --convert-wrapper-to-llvm

// expected-note@+1 {{kernel defined here}}
wrapper.kernel @value() attributes {parameters = []} {
  llvm.func @value(i64, i64, i64)
}
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @convert_wrapper_to_llvm_c1_user() {
  // expected-error@+1 {{kernel 'value' was not lowered for its device}}
  wrapper.launch_user @value grid @g[] config {} arguments []
  wrapper.return
}

// -----

wrapper.kernel @nowhere() attributes {device = #wrapper.device<"mute">, parameters = [], total = #sym.expr<1>} {
  llvm.func @nowhere(i64, i64, i64)
}
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @convert_wrapper_to_llvm_c2_user() {
  // expected-error@+1 {{device 'mute' cannot run user-defined kernels}}
  wrapper.launch_user @nowhere grid @g[] config {} arguments []
  wrapper.return
}

// -----

wrapper.kernel @unknown() attributes {device = #wrapper.device<"unknown">, parameters = [], total = #sym.expr<1>} {
  llvm.func @unknown(i64, i64, i64)
}
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @convert_wrapper_to_llvm_c2_unregistered() {
  // expected-error@+1 {{device 'unknown' is not registered}}
  wrapper.launch_user @unknown grid @g[] config {} arguments []
  wrapper.return
}
