// A kernel for an operator of map-operators-tma.mlir that takes tensor maps.
wrapper.kernel @tiles() attributes {device = #wrapper.device<"cuda">, ptx = "", parameters = [
    #wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>]} {}
wrapper.grid @rows["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]

!m = !wrapper.buffer<[n, k], f32, #wrapper.device<"cuda">>
wrapper.func private @tiled(%x: !m) -> !m
    attributes {wrapper.operator = "test::tiled", sym.symbols = {n = #sym.range<1, 64>, k = #sym.range<1, 64>}} {
  wrapper.input_symbol "n" = size 0 of %x : !m
  wrapper.input_symbol "k" = size 1 of %x : !m
  %from = wrapper.tma_descriptor %x box [8, 8] : !m
  %y = wrapper.alloc : !m
  %to = wrapper.tma_descriptor %y box [8, 8] : !m
  wrapper.launch_user @tiles grid @rows[n] config {} arguments [unit, unit] ins(%x : !m) outs(%y : !m) maps(%from, %to)
  wrapper.return %y : !m
}
