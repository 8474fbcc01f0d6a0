// RUN: %corpus %s
// B21: tensor maps in a loop: each iteration has other buffers, whose storage
// planning hands on, and maps of its own.
// GPU: only
// CASE: i64=0; 5xf32=1 2 3 4 5 -> 5xf32=1 2 3 4 5
// CASE: i64=3; 37xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 -> 37xf32=8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256 264 272 280 288 296

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!t = tensor<?xf32, #sym.shape<[s0]>>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>

wrapper.kernel @twice() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>, reference = @means,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.address_size 64\n// y[i] = 2 * x[i], 32 elements a block: tiles of one dimension.\n.visible .entry twice(\n  .param .align 64 .b8 twice_x[128],\n  .param .align 64 .b8 twice_y[128]\n)\n{\n  .reg .pred %first, %done;\n  .reg .b32 %t, %x, %at;\n  .reg .f32 %f;\n  .reg .b64 %mx, %my;\n  .shared .align 128 .b8 tile[128];\n  .shared .align 8 .b8 bar[8];\n  mov.b64 %mx, twice_x;\n  cvta.param.u64 %mx, %mx;\n  mov.b64 %my, twice_y;\n  cvta.param.u64 %my, %my;\n  mov.u32 %t, %tid.x;\n  mov.u32 %x, %ctaid.x;\n  shl.b32 %x, %x, 5;\n  setp.eq.u32 %first, %t, 0;\n  @!%first bra LOADED;\n  mbarrier.init.shared::cta.b64 [bar], 1;\n  fence.proxy.async.shared::cta;\n  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n  cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%mx, {%x}], [bar];\nLOADED:\n  bar.sync 0;\nWAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0;\n  @!%done bra WAIT;\n  mov.u32 %at, tile;\n  mad.lo.u32 %at, %t, 4, %at;\n  ld.shared.f32 %f, [%at];\n  add.f32 %f, %f, %f;\n  st.shared.f32 [%at], %f;\n  fence.proxy.async.shared::cta;\n  bar.sync 0;\n  @!%first bra DONE;\n  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%my, {%x}], [tile];\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\nDONE:\n  ret;\n}\n"} {
  func.func @means(%x: !t) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
    %y = graph.add %x, %x : (!t, !t) -> !t
    return %y : !t
  }
}

wrapper.grid @tiles["n"] cases [#wrapper.grid_case<{}, <[(n + 31) floordiv 32, 1, 1]>>]

wrapper.func @main(%n: !i, %x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>, n = #sym.range<0, 8>, k = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  wrapper.item "n" = %n : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["k"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <k> lt <n>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %from = wrapper.tma_descriptor %a box [32] : !b
    %1 = wrapper.alloc : !b
    %to = wrapper.tma_descriptor %1 box [32] : !b
    wrapper.launch_user @twice grid @tiles[s0] config {} arguments [unit, unit]
        ins(%a : !b) outs(%1 : !b) maps(%from, %to)
    wrapper.yield %1 : !b symbols [k + 1]
  }
  wrapper.return %r : !b
}
