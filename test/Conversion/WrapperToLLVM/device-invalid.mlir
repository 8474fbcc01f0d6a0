// What a device has no function for is refused (C2).

// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-opt %s --split-input-file --verify-diagnostics --convert-wrapper-to-llvm

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_alloc() {
  // expected-error@+1 {{device 'mute' cannot allocate}}
  %0 = wrapper.alloc : !m
  wrapper.return
}

// -----

wrapper.kernel @k() attributes {device = #wrapper.device<"mute">, total = #sym.expr<1>, grain = 1,
    input_strides = [], output_strides = [], symbols = []} {
}
wrapper.func @convert_wrapper_to_llvm_c2_launch() {
  // expected-error@+1 {{device 'mute' cannot run kernels}}
  wrapper.launch @k[]
  wrapper.return
}

// -----

wrapper.func @convert_wrapper_to_llvm_c2_stack() {
  // expected-error@+1 {{memory of device 'mute' cannot be on the stack of the host}}
  %0 = wrapper.pool stack <64> : !wrapper.pool<#wrapper.device<"mute">>
  wrapper.return
}

// -----

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_copy(%x: !m, %y: !m) {
  // expected-error@+1 {{the host cannot access device 'mute'}}
  wrapper.copy %x to %y : !m
  wrapper.return
}

// -----

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_fill(%x: !m) {
  // expected-error@+1 {{memory of device 'mute' cannot be filled}}
  wrapper.fill %x bytes 0 : !m
  wrapper.return
}

// -----

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_show(%x: !m) {
  // expected-error@+1 {{values on device 'mute' cannot be shown}}
  wrapper.debug_value print inputs "main" "x" %x : !m
  wrapper.return
}

// -----

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_contraction(%x: !m, %y: !m) {
  // expected-error@+1 {{device 'mute' has no library for contractions}}
  wrapper.contraction "cublaslt"[4, 4, 4] a(%x[4, 0, 1] : !m) b(%x[0, 1, 4] : !m) c(%y[4, 1, 0] : !m) post none
  wrapper.return
}

// -----

!x = !wrapper.buffer<[2, 3, 8, 8], f32, #wrapper.device<"mute">>
!w = !wrapper.buffer<[16, 3, 3, 3], f32, #wrapper.device<"mute">>
!y = !wrapper.buffer<[2, 16, 8, 8], f32, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_convolution(%x: !x, %w: !w, %y: !y) {
  // expected-error@+1 {{device 'mute' has no library for convolutions}}
  wrapper.convolution "cudnn" ins(%x, %w : !x, !w) outs(%y : !y)
      stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 post none
  wrapper.return
}

// -----

!x = !wrapper.buffer<[4, 4], f32, #wrapper.device<"mute">>
!i = !wrapper.buffer<[4, 4], i64, #wrapper.device<"mute">>
wrapper.func @convert_wrapper_to_llvm_c2_sort(%x: !x, %v: !x, %i: !i) {
  // expected-error@+1 {{device 'mute' has no library for sorting}}
  wrapper.sort "runtime" %x dim 1 values(%v : !x) indices(%i : !i) : !x
  wrapper.return
}
