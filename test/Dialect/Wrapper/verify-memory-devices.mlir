// RUN: coil-opt %s --split-input-file --verify-diagnostics --wrapper-verify-memory

// F02: where steps run is where their buffers are.

!a = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>
!h = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @first() attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @second() attributes {device = #wrapper.device<"cuda", 1>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @host() attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @good(%x: !a, %h: !h) -> (!a, !b, !h) {
  %0 = wrapper.alloc : !a
  wrapper.launch @first[] ins(%x : !a) outs(%0 : !a)
  %1 = wrapper.alloc : !b
  wrapper.transfer %0 to %1 : !a to !b
  %2 = wrapper.alloc : !b
  wrapper.launch @second[] ins(%1 : !b) outs(%2 : !b)
  wrapper.free %1 : !b
  %3 = wrapper.alloc : !h
  wrapper.launch @host[] ins(%h : !h) outs(%3 : !h)
  wrapper.return %0, %2, %3 : !a, !b, !h
}

// -----

!a = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @double() attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @wrapper_verify_memory_c20_result(%x: !a) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{'wrapper.launch' op runs the kernel 'double' of #wrapper.device<"cuda"> on operand 1, which is on #wrapper.device<"cuda", 1>}}
  wrapper.launch @double[] ins(%x : !a) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @double() attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func private @wrapper_verify_memory_c20_host_in_branch(%p: !p, %x: !b, %y: !b {wrapper.consumed}) -> !b {
  wrapper.if %p : !p {
    // expected-error@+1 {{runs the kernel 'double' of #wrapper.device<"cpu"> on operand 0, which is on #wrapper.device<"cuda">}}
    wrapper.launch @double[] ins(%x : !b) outs(%y : !b)
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @reverse() attributes {device = #wrapper.device<"cuda", 1>, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"y", write, f32>]} {
  gpu.module @code {
    gpu.func @reverse(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.grid @blocks["n"] cases [#wrapper.grid_case<{}, <[(n + 31) floordiv 32, 1, 1]>>]
wrapper.func @wrapper_verify_memory_c20_user(%x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{'wrapper.launch_user' op runs the kernel 'reverse' of #wrapper.device<"cuda", 1> on operand 0, which is on #wrapper.device<"cuda">}}
  wrapper.launch_user @reverse grid @blocks[s0] config {} arguments [unit, unit] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!a = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cuda", 1>>
wrapper.func @wrapper_verify_memory_c21(%x: !a, %y: !b) -> !a {
  %0 = wrapper.alloc : !a
  // expected-error@+1 {{'wrapper.contraction' op computes on operand 0, which is on #wrapper.device<"cuda">, and on operand 1, which is on #wrapper.device<"cuda", 1>}}
  wrapper.contraction "cublaslt"[4, 4, 4] a(%x[4, 0, 1] : !a) b(%y[0, 1, 4] : !b) c(%0[4, 1, 0] : !a) post none
  wrapper.return %0 : !a
}
