// RUN: env COIL_PLUGINS=%coil_lib/coil-toy-device.so coil-translate --wrapper-to-fx --split-input-file --verify-diagnostics %s

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
    // expected-error@+1 {{'arith.constant' op has no method in the emitter 'fx'}}
    %0 = arith.constant 1.0 : f32
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

// expected-error@+1 {{'func.func' op has no method in the emitter 'fx'}}
func.func private @other()

// -----

wrapper.func @device() {
  // expected-error@+1 {{is on device 'mute', which the emitter 'fx' has no name for}}
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

// expected-error@+1 {{was lowered for its device, but the emitter 'fx' takes kernels as value functions}}
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

// A loop of torch.fx gives its body what it has.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @swaps(%x: !b {wrapper.consumed}, %y: !b {wrapper.consumed}) -> (!b, !b) {
  %0:2 = wrapper.while %x, %y : !b, !b -> (!b, !b) {
  ^bb0(%a: !b, %b: !b):
    %p = wrapper.compare <1> lt <2>
    // expected-error@+1 {{'wrapper.condition' op passes on other values than it is given, which the emitter 'fx' cannot express}}
    wrapper.condition %p pass %b, %a : !b, !b
  } do {
  ^bb0(%a: !b, %b: !b):
    wrapper.yield %a, %b : !b, !b
  }
  wrapper.return %0#0, %0#1 : !b, !b
}

// -----

// A branch of torch.fx is a graph of its own, which sees no nodes of another.

wrapper.func @event() {
  %e = wrapper.record_event #wrapper.device<"cuda">
  %p = wrapper.compare <1> lt <2>
  wrapper.if %p : i1 {
    // expected-error@+1 {{'wrapper.wait_event' op waits in a branch or a loop for an event of another graph, which the emitter 'fx' cannot express}}
    wrapper.wait_event %e
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}
