// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-translate --wrapper-to-python --split-input-file --verify-diagnostics %s

// An op without a method is named, with the emitter, at its place (F55).

!q = !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"cpu">>

wrapper.func @attention(%q: !q, %o: !q) {
  // expected-error@+1 {{device 'cpu' has no library for attention}}
  wrapper.attention "cudnn" ins(%q, %q, %q : !q, !q, !q) outs(%o : !q) scale 1.0
  wrapper.return
}

// -----

// Regions are emitted by their op: what is in them is named, too.

wrapper.func @inside() {
  %p = wrapper.compare <1> lt <2>
  wrapper.if %p : i1 {
    // expected-error@+1 {{'arith.constant' op has no method in the emitter 'python'}}
    %0 = arith.constant 1.0 : f32
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

// expected-error@+1 {{'func.func' op has no method in the emitter 'python'}}
func.func private @other()

// -----

wrapper.func @device() {
  // expected-error@+1 {{is on device 'mute', which the emitter 'python' has no name for}}
  %0 = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"mute">>
  wrapper.return
}

// -----

wrapper.func @unknown_device() {
  // expected-error@+1 {{device 'nothing' is not registered}}
  %0 = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"nothing">>
  wrapper.return
}

// -----

wrapper.func @type() {
  // expected-error@+1 {{the runtime has no number for the element type 'i24'}}
  %0 = wrapper.alloc : !wrapper.buffer<[2], i24, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

// expected-error@+1 {{was lowered for its device, but the emitter 'python' takes kernels as value functions}}
wrapper.kernel @lowered() attributes {input_strides = [], output_strides = [], symbols = []} {
  llvm.func @lowered()
}

// -----

wrapper.func @elements() {
  // expected-error@+1 {{has elements that cannot be put into the program}}
  %0 = wrapper.constant dense_resource<blob> : tensor<2xf32> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}

// -----

!p = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>
wrapper.kernel @double(%x0: tensor<4xf32>) attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
wrapper.func @elsewhere(%x: !p) -> !p {
  %0 = wrapper.alloc : !p
  // expected-error@+1 {{runs a kernel for #wrapper.device<"cuda"> on buffers on #wrapper.device<"cuda", 1>, but programs in Python launch each kernel on its own device}}
  wrapper.launch @double[] ins(%x : !p) outs(%0 : !p)
  wrapper.return %0 : !p
}
