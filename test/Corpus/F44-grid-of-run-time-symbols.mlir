// RUN: %corpus %s
// F44: a grid in terms of symbols that are known when the program runs: an element,
// and one that a region binds.
// GPU: no
// CASE: i64=2; 4xi32=5 6 7 8 -> 4xi32=5 6 0 0; 4xi32=5 0 0 0
// CASE: i64=4; 4xi32=5 6 7 8 -> 4xi32=5 6 7 8; 4xi32=5 6 0 0
// CASE: i64=5; 4xi32=5 6 7 8 -> error: symbol 'n' (an element) is above its upper bound

!b = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!t = tensor<4xi32>

wrapper.kernel @first() attributes {reference = @means, parameters = [
    #wrapper.param<"x", read, i32>, #wrapper.param<"y", update, i32>, #wrapper.param<"count", value, i64>]} {
  func.func @first(%x: !llvm.ptr, %y: !llvm.ptr, %count: i64, %i: i64, %j: i64, %k: i64) {
    // Blocks lie along z.
    %from = llvm.getelementptr %x[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %v = llvm.load %from : !llvm.ptr -> i32
    %to = llvm.getelementptr %y[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %v, %to : i32, !llvm.ptr
    return
  }
  func.func @means(%x: !t, %y: !t, %count: tensor<i64>) -> !t {
    %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<4xi64>
    %c = graph.compare lt, %i, %count : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    %r = graph.select %c, %x, %y : (tensor<4xi1>, !t, !t) -> !t
    return %r : !t
  }
}

wrapper.grid @along_z["count"] cases [#wrapper.grid_case<{}, <[1, 1, count]>>]

wrapper.func @main(%n: !i, %x: !b) -> (!b, !b) attributes {sym.symbols = {n = #sym.range<1, 4>, m = #sym.range<0, 4>}} {
  wrapper.assert_layout %x, "x" : !b
  wrapper.item "n" = %n : !i
  %zero = wrapper.constant dense<0> : tensor<4xi32> to !b
  %0 = wrapper.alloc : !b
  wrapper.copy %zero to %0 : !b
  wrapper.launch_user @first grid @along_z[n] config {} arguments [unit, unit, #sym.expr<n>]
      ins(%x : !b) updates(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.copy %zero to %1 : !b
  %p = wrapper.compare <n> lt <4>
  wrapper.if %p : i1 {
    wrapper.sym_expr "m" = <n - 1>
    wrapper.launch_user @first grid @along_z[m] config {} arguments [unit, unit, #sym.expr<m>]
        ins(%x : !b) updates(%1 : !b)
    wrapper.yield
  } else {
    wrapper.launch_user @first grid @along_z[n floordiv 2] config {}
        arguments [unit, unit, #sym.expr<n floordiv 2>] ins(%x : !b) updates(%1 : !b)
    wrapper.yield
  }
  wrapper.return %0, %1 : !b, !b
}
