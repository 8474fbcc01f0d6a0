// RUN: %corpus %s
// F58: a library's operands in the middle of a pool, for the interpreter, too.
// GPU: no
// CASE: 2x2xf32=1 2 3 4 -> 2x2xf32=37 54 81 118

!b = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b) -> !b {
  %pool = wrapper.pool <128> : !wrapper.pool<#wrapper.device<"cpu">>
  %0 = wrapper.pool_alloc %pool at <64> : !wrapper.pool<#wrapper.device<"cpu">> to !b
  wrapper.contraction "onednn"[2, 2, 2] a(%x[2, 0, 1] : !b) b(%x[0, 1, 2] : !b) c(%0[2, 1, 0] : !b) post none
  %1 = wrapper.alloc : !b
  wrapper.contraction "onednn"[2, 2, 2] a(%0[2, 0, 1] : !b) b(%x[0, 1, 2] : !b) c(%1[2, 1, 0] : !b) post none
  wrapper.pool_release %0 : !b
  wrapper.pool_free %pool : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return %1 : !b
}
