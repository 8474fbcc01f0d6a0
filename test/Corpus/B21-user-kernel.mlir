// RUN: %corpus %s
// A kernel that a user supplies for the host's processor: buffers and numbers in
// its own order, a grid that the sizes of an input decide.
// GPU: no
// CASE: 5xf32=1 2 3 4 5 -> 5xf32=3 5 7 9 11
// CASE: 1xf32=-1 -> 1xf32=-1
// CASE: 0xf32= -> 0xf32=

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!t = tensor<?xf32, #sym.shape<[s0]>>

wrapper.kernel @scale() attributes {reference = @means, parameters = [
    #wrapper.param<"n", value, i64>, #wrapper.param<"y", write, f32>, #wrapper.param<"a", value, f32>,
    #wrapper.param<"x", read, f32>, #wrapper.param<"b", value, f64>]} {
  // A block of two elements.
  func.func @scale(%n: i64, %y: !llvm.ptr, %a: f32, %x: !llvm.ptr, %b: f64, %i: i64, %j: i64, %k: i64) {
    %two = arith.constant 2 : i64
    %one = arith.constant 1 : i64
    %first = arith.muli %i, %two : i64
    %behind = arith.addi %first, %two : i64
    %last = arith.minsi %behind, %n : i64
    %wide = arith.truncf %b : f64 to f32
    scf.for %e = %first to %last step %one : i64 {
      %from = llvm.getelementptr %x[%e] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %from : !llvm.ptr -> f32
      %m = arith.mulf %v, %a : f32
      %r = arith.addf %m, %wide : f32
      %to = llvm.getelementptr %y[%e] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %r, %to : f32, !llvm.ptr
    }
    return
  }
  func.func @means(%x: !t, %n: tensor<i64>, %a: tensor<f32>, %b: tensor<f64>) -> !t
      attributes {sym.symbols = {s0 = #sym.range<0, 1024>}} {
    %m = graph.mul %x, %a : (!t, tensor<f32>) -> !t
    %w = graph.convert %b : (tensor<f64>) -> tensor<f32>
    %r = graph.add %m, %w : (!t, tensor<f32>) -> !t
    return %r : !t
  }
}

wrapper.grid @pairs["n"] cases [#wrapper.grid_case<{}, <[(n + 1) floordiv 2, 1, 1]>>]

wrapper.func @main(%x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<0, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch_user @scale grid @pairs[s0] config {}
      arguments [#sym.expr<s0>, unit, 2.0 : f32, unit, 1.0 : f64]
      ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
