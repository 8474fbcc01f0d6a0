// RUN: %corpus %s
// F15: what a kernel was made for (a number that is one, constants) is not passed;
// the rest keeps its order and count.
// GPU: no
// CASE: 3xi32=1 2 3 -> 3xi32=11 12 13

!b = !wrapper.buffer<[3], i32, #wrapper.device<"cpu">>
!t = tensor<3xi32>

wrapper.kernel @shift() attributes {entry = "shift_by", reference = @means, parameters = [
    #wrapper.param<"BLOCK", constexpr>, #wrapper.param<"x", read, i32>, #wrapper.param<"stride", one, i32>,
    #wrapper.param<"by", value, i32>, #wrapper.param<"mode", constexpr>, #wrapper.param<"y", write, i32>,
    #wrapper.param<"n", one, i64>, #wrapper.param<"last", value, i64>]} {
  llvm.func @shift_by(%x: !llvm.ptr, %by: i32, %y: !llvm.ptr, %last: i64, %i: i64, %j: i64, %k: i64) {
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %v = llvm.load %from : !llvm.ptr -> i32
    %r = llvm.add %v, %by : i32
    %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %r, %to : i32, !llvm.ptr
    llvm.return
  }
  func.func @means(%x: !t, %by: tensor<i32>, %last: tensor<i64>) -> !t {
    %r = graph.add %x, %by : (!t, tensor<i32>) -> !t
    return %r : !t
  }
}

wrapper.grid @elements[] cases [#wrapper.grid_case<{}, <[3, 1, 1]>>]

wrapper.func @main(%x: !b) -> !b {
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch_user @shift grid @elements[] config {BLOCK = 128 : i64}
      arguments [128 : i64, unit, #sym.expr<1>, #sym.expr<10>, "add", unit, #sym.expr<1>, #sym.expr<2>]
      ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
