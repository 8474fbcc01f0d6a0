// Memory on the stack of the host is the host's alone.
//
// RUN: coil-opt %s --convert-wrapper-to-llvm --verify-diagnostics
// RUN: coil-translate --wrapper-to-cpp --verify-diagnostics %s

wrapper.func @stack() {
  // expected-error@+1 {{'wrapper.pool' op memory of device 'cuda' cannot be on the stack of the host}}
  %p = wrapper.pool stack <64> : !wrapper.pool<#wrapper.device<"cuda">>
  %0 = wrapper.pool_alloc %p at <0> : !wrapper.pool<#wrapper.device<"cuda">> to !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
  wrapper.pool_free %p : !wrapper.pool<#wrapper.device<"cuda">>
  wrapper.return
}
