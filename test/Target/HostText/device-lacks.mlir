// What a device cannot do is named at its place, with the device, by every
// backend (F55).
//
// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-opt %s --convert-wrapper-to-llvm --split-input-file --verify-diagnostics
// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-translate --wrapper-to-cpp --split-input-file --verify-diagnostics %s
// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-translate --wrapper-to-python --split-input-file --verify-diagnostics %s
// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-translate --wrapper-to-fx --split-input-file --verify-diagnostics %s

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"bare">>
wrapper.func @contraction(%x: !m, %y: !m) {
  // expected-error@+1 {{'wrapper.contraction' op device 'bare' has no library for contractions}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !m) b(%x[0, 1, 4] : !m) c(%y[4, 1, 0] : !m) post none
  wrapper.return
}

// -----

!x = !wrapper.buffer<[1, 3, 9], f32, #wrapper.device<"bare">>
!w = !wrapper.buffer<[8, 3, 3], f32, #wrapper.device<"bare">>
!y = !wrapper.buffer<[1, 8, 7], f32, #wrapper.device<"bare">>
wrapper.func @convolution(%x: !x, %w: !w, %y: !y) {
  // expected-error@+1 {{'wrapper.convolution' op device 'bare' has no library for convolutions}}
  wrapper.convolution "onednn" ins(%x, %w : !x, !w) outs(%y : !y) stride [1] padding [0] dilation [1] groups 1 post none
  wrapper.return
}

// -----

!q = !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"bare">>
wrapper.func @attention(%q: !q, %o: !q) {
  // expected-error@+1 {{'wrapper.attention' op device 'bare' has no library for attention}}
  wrapper.attention "cudnn" ins(%q, %q, %q : !q, !q, !q) outs(%o : !q) scale 1.0
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4], f32, #wrapper.device<"bare">>
wrapper.func @sort(%x: !s, %y: !s) {
  // expected-error@+1 {{'wrapper.sort' op device 'bare' has no library for sorting}}
  wrapper.sort "runtime" %x dim 0 values(%y : !s) : !s
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4], f32, #wrapper.device<"bare">>
wrapper.func @fill(%x: !s) {
  // expected-error@+1 {{'wrapper.fill' op memory of device 'bare' cannot be filled}}
  wrapper.fill %x bytes 0 : !s
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4], f32, #wrapper.device<"bare">>
wrapper.func @show(%x: !s) {
  // expected-error@+1 {{'wrapper.debug_value' op values on device 'bare' cannot be shown}}
  wrapper.debug_value print after "step:0" "out0" %x : !s
  wrapper.return
}
