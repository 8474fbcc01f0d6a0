// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file --verify-diagnostics

// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {input_strides = [], output_strides = [], symbols = []} {
}
wrapper.func @convert_wrapper_to_llvm_c1() {
  // expected-error@+1 {{kernel 'k' was not lowered for its device}}
  wrapper.launch @k[]
  wrapper.return
}

// -----

wrapper.func @convert_wrapper_to_llvm_c2() {
  // expected-error@+1 {{device 'toy' is not registered}}
  %0 = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"toy">>
  wrapper.return
}

// -----

// expected-error@+1 {{the runtime has no number for the element type 'f80'}}
wrapper.func @to_llvm_element_type(%x: !wrapper.buffer<[2], f80, #wrapper.device<"cpu">>) {
  wrapper.return
}

// -----

// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, total = #sym.expr<1>, grain = 1,
    input_strides = [], output_strides = [], symbols = []} {
}
wrapper.func @convert_wrapper_to_llvm_c1_cuda() {
  // expected-error@+1 {{kernel 'k' was not lowered for its device}}
  wrapper.launch @k[]
  wrapper.return
}

// -----

!i = !wrapper.buffer<[1, 1, 8, 8], f16, #wrapper.device<"cpu">>
wrapper.func @convert_wrapper_to_llvm_c2_attention(%x: !i) -> !i {
  %0 = wrapper.alloc : !i
  // expected-error@+1 {{device 'cpu' has no library for attention}}
  wrapper.attention "cudnn" ins(%x, %x, %x : !i, !i, !i) outs(%0 : !i) scale 1.0
  wrapper.return %0 : !i
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func private @callee(%x: !b) {
  wrapper.return
}
wrapper.func @convert_wrapper_to_llvm_c4(%x: !wrapper.buffer<[8], f32, #wrapper.device<"cuda">>) {
  %0 = wrapper.reinterpret %x at <1> : !wrapper.buffer<[8], f32, #wrapper.device<"cuda">> to !b
  // expected-error@+1 {{operand 0 may begin in the middle of its storage, which device 'cuda' cannot pass to a function}}
  wrapper.invoke @callee(%0) : (!b) -> ()
  wrapper.return
}

// -----

wrapper.func @convert_wrapper_to_llvm_c3() {
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  // expected-error@-1 {{has no lowering to LLVM}}
  wrapper.return
}

// -----

// Regions of other dialects, an empty one among them.
wrapper.func @convert_wrapper_to_llvm_c3_regions() {
  %p = wrapper.compare <1> lt <2>
  // expected-error@+1 {{'scf.if' op has no lowering to LLVM}}
  scf.if %p {
    wrapper.sym_expr "n" = <2>
  }
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
