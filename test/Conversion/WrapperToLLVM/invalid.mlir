// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file --verify-diagnostics

// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {input_strides = [], output_strides = [], symbols = []} {
}
wrapper.func @to_llvm_c1() {
  // expected-error@+1 {{kernel 'k' was not lowered for its device}}
  wrapper.launch @k[]
  wrapper.return
}

// -----

wrapper.func @to_llvm_c2() {
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
wrapper.func @to_llvm_c1_cuda() {
  // expected-error@+1 {{kernel 'k' was not lowered for its device}}
  wrapper.launch @k[]
  wrapper.return
}

// -----

!i = !wrapper.buffer<[1, 1, 4], f32, #wrapper.device<"cuda">>
wrapper.func @to_llvm_c2_convolution(%x: !i) -> !i {
  %0 = wrapper.alloc : !i
  // expected-error@+1 {{device 'cuda' has no library for convolutions}}
  wrapper.convolution "cudnn" ins(%x, %x : !i, !i) outs(%0 : !i) stride [1] padding [0] dilation [1] groups 1 post none
  wrapper.return %0 : !i
}
