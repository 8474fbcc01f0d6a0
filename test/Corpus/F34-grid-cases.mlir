// RUN: %corpus %s
// F34, F25, F09: configurations choose the grid by the keywords that are arguments of
// the kernel; warps, stages and what one vendor's compiler knows do not matter.
// GPU: no
// CASE: 6xi32=1 1 1 1 1 1 -> 6xi32=1 1 1 0 0 0; 6xi32=1 1 0 0 0 0; 6xi32=1 1 0 0 0 0; 6xi32=1 1 1 1 1 1

!b = !wrapper.buffer<[s0], i32, #wrapper.device<"cpu">>
!t = tensor<?xi32, #sym.shape<[s0]>>

// Copies one element for each block, and zeros otherwise.
wrapper.kernel @mark() attributes {reference = @means, parameters = [
    #wrapper.param<"x", read, i32>, #wrapper.param<"y", update, i32>, #wrapper.param<"blocks", value, i32>]} {
  func.func @mark(%x: !llvm.ptr, %y: !llvm.ptr, %blocks: i32, %i: i64, %j: i64, %k: i64) {
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %v = llvm.load %from : !llvm.ptr -> i32
    %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %v, %to : i32, !llvm.ptr
    return
  }
  func.func @means(%x: !t, %y: !t, %blocks: tensor<i32>) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
    %wide = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<?xi64, #sym.shape<[s0]>>
    %i = graph.convert %wide : (tensor<?xi64, #sym.shape<[s0]>>) -> !t
    %c = graph.compare lt, %i, %blocks : (!t, tensor<i32>) -> tensor<?xi1, #sym.shape<[s0]>>
    %r = graph.select %c, %x, %y : (tensor<?xi1, #sym.shape<[s0]>>, !t, !t) -> !t
    return %r : !t
  }
}

wrapper.grid @cover["n"] cases [
  #wrapper.grid_case<{BLOCK = 2 : i64, num_warps = 4 : i64}, <[(n + 1) floordiv 2, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 2 : i64, num_warps = 8 : i64}, <[(n + 1) floordiv 2, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 4 : i64, num_stages = 2 : i64, waves_per_eu = 3 : i64}, <[(n + 3) floordiv 4, 1, 1]>>,
  #wrapper.grid_case<{}, <[n, 1, 1]>>]

wrapper.kernel @zero(%x0: !t) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "zero" [s0] (%a0 = %x0) : (!t) -> !t {
    %z = arith.constant 0 : i32
    loop.store %z, 0 [d0] : i32
  }
  wrapper.yield %0 : !t
}

wrapper.func @main(%x: !b) -> (!b, !b, !b, !b) attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch @zero[s0] ins(%x : !b) outs(%0 : !b)
  wrapper.launch_user @mark grid @cover[s0] config {BLOCK = 2 : i64, num_warps = 8 : i64}
      arguments [unit, unit, #sym.expr<(s0 + 1) floordiv 2>] ins(%x : !b) updates(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @zero[s0] ins(%x : !b) outs(%1 : !b)
  wrapper.launch_user @mark grid @cover[s0] config {BLOCK = 4 : i64, num_stages = 2 : i64, waves_per_eu = 3 : i64}
      arguments [unit, unit, #sym.expr<(s0 + 3) floordiv 4>] ins(%x : !b) updates(%1 : !b)
  %2 = wrapper.alloc : !b
  wrapper.launch @zero[s0] ins(%x : !b) outs(%2 : !b)
  wrapper.launch_user @mark grid @cover[s0] config {BLOCK = 4 : i64, kpack = 1 : i64, num_stages = 2 : i64, waves_per_eu = 3 : i64}
      arguments [unit, unit, #sym.expr<(s0 + 3) floordiv 4>] ins(%x : !b) updates(%2 : !b)
  %3 = wrapper.alloc : !b
  wrapper.launch @zero[s0] ins(%x : !b) outs(%3 : !b)
  wrapper.launch_user @mark grid @cover[s0] config {BLOCK = 16 : i64}
      arguments [unit, unit, #sym.expr<s0>] ins(%x : !b) updates(%3 : !b)
  wrapper.return %0, %1, %2, %3 : !b, !b, !b, !b
}
