// RUN: %corpus %s
// B21: tensor maps and partitions: one is made in a partition, one in front of it, and
// one in front of a partition that writes its buffer and used behind it. A map is made
// again wherever its buffer goes by another name.
// GPU: only
// CASE: 37xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 -> 37xf32=2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64 66 68 70 72 74; 37xf32=4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124 128 132 136 140 144 148; 37xf32=8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256 264 272 280 288 296; 37xf32=4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124 128 132 136 140 144 148
// CASE: 3xf32=1 2 3 -> 3xf32=2 4 6; 3xf32=4 8 12; 3xf32=8 16 24; 3xf32=4 8 12

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!t = tensor<?xf32, #sym.shape<[s0]>>

wrapper.kernel @twice() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>, reference = @means,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.address_size 64\n// y[i] = 2 * x[i], 32 elements a block: tiles of one dimension.\n.visible .entry twice(\n  .param .align 64 .b8 twice_x[128],\n  .param .align 64 .b8 twice_y[128]\n)\n{\n  .reg .pred %first, %done;\n  .reg .b32 %t, %x, %at;\n  .reg .f32 %f;\n  .reg .b64 %mx, %my;\n  .shared .align 128 .b8 tile[128];\n  .shared .align 8 .b8 bar[8];\n  mov.b64 %mx, twice_x;\n  cvta.param.u64 %mx, %mx;\n  mov.b64 %my, twice_y;\n  cvta.param.u64 %my, %my;\n  mov.u32 %t, %tid.x;\n  mov.u32 %x, %ctaid.x;\n  shl.b32 %x, %x, 5;\n  setp.eq.u32 %first, %t, 0;\n  @!%first bra LOADED;\n  mbarrier.init.shared::cta.b64 [bar], 1;\n  fence.proxy.async.shared::cta;\n  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n  cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%mx, {%x}], [bar];\nLOADED:\n  bar.sync 0;\nWAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0;\n  @!%done bra WAIT;\n  mov.u32 %at, tile;\n  mad.lo.u32 %at, %t, 4, %at;\n  ld.shared.f32 %f, [%at];\n  add.f32 %f, %f, %f;\n  st.shared.f32 [%at], %f;\n  fence.proxy.async.shared::cta;\n  bar.sync 0;\n  @!%first bra DONE;\n  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%my, {%x}], [tile];\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\nDONE:\n  ret;\n}\n"} {
  func.func @means(%x: !t) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
    %y = graph.add %x, %x : (!t, !t) -> !t
    return %y : !t
  }
}

wrapper.grid @tiles["n"] cases [#wrapper.grid_case<{}, <[(n + 31) floordiv 32, 1, 1]>>]

wrapper.func @main(%x: !b) -> (!b, !b, !b, !b) attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  %in = wrapper.tma_descriptor %x box [32] : !b
  %first = wrapper.tma_descriptor %0 box [32] : !b
  %1 = wrapper.partition #wrapper.device<"cuda"> -> (!b) {
    wrapper.launch_user @twice grid @tiles[s0] config {} arguments [unit, unit]
        ins(%x : !b) outs(%0 : !b) maps(%in, %first)
    %2 = wrapper.alloc : !b
    %inner = wrapper.tma_descriptor %2 box [32] : !b
    wrapper.launch_user @twice grid @tiles[s0] config {} arguments [unit, unit]
        ins(%0 : !b) outs(%2 : !b) maps(%first, %inner)
    wrapper.yield %2 : !b
  }
  %3 = wrapper.alloc : !b
  %last = wrapper.tma_descriptor %3 box [32] : !b
  %from = wrapper.tma_descriptor %1 box [32] : !b
  wrapper.launch_user @twice grid @tiles[s0] config {} arguments [unit, unit]
      ins(%1 : !b) outs(%3 : !b) maps(%from, %last)
  %4 = wrapper.alloc : !b
  %again = wrapper.tma_descriptor %4 box [32] : !b
  wrapper.launch_user @twice grid @tiles[s0] config {} arguments [unit, unit]
      ins(%0 : !b) outs(%4 : !b) maps(%first, %again)
  wrapper.return %0, %1, %3, %4 : !b, !b, !b, !b
}
