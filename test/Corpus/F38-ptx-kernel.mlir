// RUN: %corpus %s
// B21, F15, F38: PTX that a user supplies, launched with and without a buffer, with
// what it was made for among its parameters.
// GPU: only
// CASE: 5xf32=1 2 3 4 5; 5xf32=10 20 30 40 50 -> 5xf32=12 24 36 48 60; 5xf32=3 6 9 12 15

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!t = tensor<?xf32, #sym.shape<[s0]>>
#x = #wrapper.param<"x", read, f32>
#b = #wrapper.param<"b", read, f32>
#a = #wrapper.param<"a", value, f32>
#y = #wrapper.param<"y", write, f32>
#n = #wrapper.param<"n", value, i32>
#block = #wrapper.param<"BLOCK", constexpr>
#mode = #wrapper.param<"mode", constexpr>
#stride = #wrapper.param<"stride", one, i32>

wrapper.kernel @axpb() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 4, 1, 1>, reference = @means,
    parameters = [#x, #block, #b, #stride, #a, #mode, #y, #n],
    ptx = ".version 8.1\n.target sm_80\n.address_size 64\n// y[i] = a * x[i] (+ b[i] where there is a b) for i < n.\n.visible .entry axpb(\n  .param .u64 axpb_x, .param .u64 axpb_b, .param .f32 axpb_a,\n  .param .u64 .ptr .global .align 4 axpb_y, .param .u32 axpb_n\n)\n{\n  .reg .pred %p<3>;\n  .reg .b32 %r<6>;\n  .reg .f32 %f<5>;\n  .reg .b64 %rd<9>;\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.s32 %r4, %r1, %r2, %r3;\n  ld.param.u32 %r5, [axpb_n];\n  setp.ge.s32 %p1, %r4, %r5;\n  @%p1 bra DONE;\n  ld.param.u64 %rd1, [axpb_x];\n  ld.param.u64 %rd2, [axpb_b];\n  ld.param.u64 %rd3, [axpb_y];\n  ld.param.f32 %f1, [axpb_a];\n  mul.wide.s32 %rd4, %r4, 4;\n  add.s64 %rd5, %rd1, %rd4;\n  ld.global.f32 %f2, [%rd5];\n  mul.f32 %f3, %f1, %f2;\n  setp.eq.s64 %p2, %rd2, 0;\n  @%p2 bra STORE;\n  add.s64 %rd6, %rd2, %rd4;\n  ld.global.f32 %f4, [%rd6];\n  add.f32 %f3, %f3, %f4;\nSTORE:\n  add.s64 %rd7, %rd3, %rd4;\n  st.global.f32 [%rd7], %f3;\nDONE:\n  ret;\n}\n"} {
  func.func @means(%x: !t, %b: !t, %a: tensor<f32>, %n: tensor<i32>) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
    %m = graph.mul %x, %a : (!t, tensor<f32>) -> !t
    %r = graph.add %m, %b : (!t, !t) -> !t
    return %r : !t
  }
}

// The same text for launches without a buffer, for which the reference has one less.
wrapper.kernel @ax() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 4, 1, 1>, reference = @means,
    entry = "axpb", parameters = [#x, #block, #b, #stride, #a, #mode, #y, #n],
    ptx = ".version 8.1\n.target sm_80\n.address_size 64\n// y[i] = a * x[i] (+ b[i] where there is a b) for i < n.\n.visible .entry axpb(\n  .param .u64 axpb_x, .param .u64 axpb_b, .param .f32 axpb_a,\n  .param .u64 .ptr .global .align 4 axpb_y, .param .u32 axpb_n\n)\n{\n  .reg .pred %p<3>;\n  .reg .b32 %r<6>;\n  .reg .f32 %f<5>;\n  .reg .b64 %rd<9>;\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.s32 %r4, %r1, %r2, %r3;\n  ld.param.u32 %r5, [axpb_n];\n  setp.ge.s32 %p1, %r4, %r5;\n  @%p1 bra DONE;\n  ld.param.u64 %rd1, [axpb_x];\n  ld.param.u64 %rd2, [axpb_b];\n  ld.param.u64 %rd3, [axpb_y];\n  ld.param.f32 %f1, [axpb_a];\n  mul.wide.s32 %rd4, %r4, 4;\n  add.s64 %rd5, %rd1, %rd4;\n  ld.global.f32 %f2, [%rd5];\n  mul.f32 %f3, %f1, %f2;\n  setp.eq.s64 %p2, %rd2, 0;\n  @%p2 bra STORE;\n  add.s64 %rd6, %rd2, %rd4;\n  ld.global.f32 %f4, [%rd6];\n  add.f32 %f3, %f3, %f4;\nSTORE:\n  add.s64 %rd7, %rd3, %rd4;\n  st.global.f32 [%rd7], %f3;\nDONE:\n  ret;\n}\n"} {
  func.func @means(%x: !t, %a: tensor<f32>, %n: tensor<i32>) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
    %m = graph.mul %x, %a : (!t, tensor<f32>) -> !t
    return %m : !t
  }
}

wrapper.grid @blocks["n"] cases [
  #wrapper.grid_case<{BLOCK = 4 : i64}, <[(n + 3) floordiv 4, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 8 : i64}, <[(n + 7) floordiv 8, 1, 1]>>]

wrapper.func @main(%x: !b, %bias: !b) -> (!b, !b) attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  wrapper.assert_layout %bias, "bias" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch_user @axpb grid @blocks[s0] config {BLOCK = 4 : i64, num_warps = 1 : i64, waves_per_eu = 2 : i64}
      arguments [unit, 4 : i64, unit, #sym.expr<1>, 2.0 : f32, "linear", unit, #sym.expr<s0>]
      ins(%x, %bias : !b, !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch_user @ax grid @blocks[s0] config {BLOCK = 4 : i64}
      arguments [unit, 4 : i64, #wrapper.null, #sym.expr<1>, 3.0 : f32, "linear", unit, #sym.expr<s0>]
      ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
