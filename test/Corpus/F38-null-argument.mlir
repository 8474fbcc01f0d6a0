// RUN: %corpus %s
// F38: a buffer that is not there is an address of zero, a string is no argument.
// GPU: no
// CASE: 4xf32=1 2 3 4; 4xf32=10 20 30 40 -> 4xf32=11 22 33 44; 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!t = tensor<4xf32>

wrapper.kernel @add_both() attributes {entry = "add", reference = @means, parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"bias", read, f32>, #wrapper.param<"activation", constexpr>,
    #wrapper.param<"y", write, f32>]} {
  func.func @add(%x: !llvm.ptr, %bias: !llvm.ptr, %y: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
    func.call @one(%x, %bias, %y, %i) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
    return
  }
  func.func private @one(%x: !llvm.ptr, %bias: !llvm.ptr, %y: !llvm.ptr, %i: i64) {
    %zero = llvm.mlir.zero : !llvm.ptr
    %isThere = llvm.icmp "ne" %bias, %zero : !llvm.ptr
    %none = arith.constant 0.0 : f32
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %b = scf.if %isThere -> (f32) {
      %place = llvm.getelementptr %bias[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %w = llvm.load %place : !llvm.ptr -> f32
      scf.yield %w : f32
    } else {
      scf.yield %none : f32
    }
    %r = arith.addf %v, %b : f32
    %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %r, %to : f32, !llvm.ptr
    return
  }
  func.func @means(%x: !t, %bias: !t) -> !t {
    %r = graph.add %x, %bias : (!t, !t) -> !t
    return %r : !t
  }
}

// The same code for what has no bias: a reference has its own arguments.
wrapper.kernel @add_nothing() attributes {entry = "add", reference = @means, parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"bias", read, f32>, #wrapper.param<"activation", constexpr>,
    #wrapper.param<"y", write, f32>]} {
  func.func @add(%x: !llvm.ptr, %bias: !llvm.ptr, %y: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
    %zero = llvm.mlir.zero : !llvm.ptr
    %isThere = llvm.icmp "ne" %bias, %zero : !llvm.ptr
    %nan = arith.constant 0x7FC00000 : f32
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %r = arith.select %isThere, %nan, %v : f32
    %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %r, %to : f32, !llvm.ptr
    return
  }
  func.func @means(%x: !t) -> !t {
    return %x : !t
  }
}

wrapper.grid @elements[] cases [#wrapper.grid_case<{}, <[4, 1, 1]>>]

wrapper.func @main(%x: !b, %bias: !b) -> (!b, !b) {
  wrapper.assert_layout %x, "x" : !b
  wrapper.assert_layout %bias, "bias" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch_user @add_both grid @elements[] config {} arguments [unit, unit, "relu", unit]
      ins(%x, %bias : !b, !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch_user @add_nothing grid @elements[] config {}
      arguments [unit, #wrapper.null, "relu", unit] ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
