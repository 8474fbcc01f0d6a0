// RUN: coil-translate --wrapper-to-cpp --split-input-file --verify-diagnostics %s

// An op without a method is named, with the emitter, at its place (F55).

wrapper.func @inside() {
  %p = wrapper.compare <1> lt <2>
  wrapper.if %p : i1 {
    // expected-error@+1 {{'arith.constant' op has no method in the emitter 'cpp'}}
    %0 = arith.constant 1.0 : f32
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

// expected-error@+1 {{'func.func' op has no method in the emitter 'cpp'}}
func.func private @other()

// -----

// expected-error@+1 {{was not lowered for its device}}
wrapper.kernel @cuda() attributes {device = #wrapper.device<"cuda">, input_strides = [], output_strides = [], symbols = []} {
  llvm.func @cuda()
}

// -----

// expected-error@+1 {{was not lowered for its device}}
wrapper.kernel @value() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "value" [4] () : () -> tensor<4xf32> {
    %z = arith.constant 0.0 : f32
    loop.store %z, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// -----

!q = !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"cpu">>

wrapper.func @attention(%q: !q, %o: !q) {
  // expected-error@+1 {{device 'cpu' has no library for attention}}
  wrapper.attention "cudnn" ins(%q, %q, %q : !q, !q, !q) outs(%o : !q) scale 1.0
  wrapper.return
}

// -----

wrapper.func @type() {
  // expected-error@+1 {{device 'nothing' is not registered}}
  %0 = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"nothing">>
  wrapper.return
}

// -----

// expected-error@+1 {{the runtime has no number for the element type 'i24'}}
wrapper.func @element(%x: !wrapper.buffer<[2], i24, #wrapper.device<"cpu">>) {
  wrapper.return
}

// -----

wrapper.func private @callee(%x: !wrapper.buffer<[1], f32, #wrapper.device<"cuda">>) {
  wrapper.return
}
wrapper.func @middle(%x: !wrapper.buffer<[2], f32, #wrapper.device<"cuda">>) {
  %0 = wrapper.reinterpret %x at <1> : !wrapper.buffer<[2], f32, #wrapper.device<"cuda">> to !wrapper.buffer<[1], f32, #wrapper.device<"cuda">>
  // expected-error@+1 {{operand 0 may begin in the middle of its storage, which device 'cuda' cannot pass to a function}}
  wrapper.invoke @callee(%0) : (!wrapper.buffer<[1], f32, #wrapper.device<"cuda">>) -> ()
  wrapper.return
}

// -----

!i = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
wrapper.func private @half(%x: !i) -> !n {
  %0 = wrapper.alloc : !i
  wrapper.copy %x to %0 : !i
  %1 = wrapper.reinterpret %0 at <2> : !i to !n
  // expected-error@+1 {{result 0 may begin in the middle of its storage, which a function cannot return; copy it}}
  wrapper.return %1 : !n
}
