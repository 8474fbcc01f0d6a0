// RUN: %corpus %s
// Numbers that the run computes: floats of both widths, a bool as an integer.
// GPU: no
// CASE: f32=2.5; f32=0.5 -> 3xf64=3.0 1.25 1
// CASE: f32=-1; f32=0.25 -> 3xf64=-0.75 -0.25 0

!s = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[3], f64, #wrapper.device<"cpu">>

wrapper.kernel @combine() attributes {reference = @means, parameters = [
    #wrapper.param<"a", value, f32>, #wrapper.param<"isPositive", value, i32>, #wrapper.param<"y", write, f64>,
    #wrapper.param<"b", value, f64>]} {
  func.func @combine(%a: f32, %p: i32, %y: !llvm.ptr, %b: f64, %i: i64, %j: i64, %k: i64) {
    %wide = arith.extf %a : f32 to f64
    %sum = arith.addf %wide, %b : f64
    %product = arith.mulf %wide, %b : f64
    %flag = arith.sitofp %p : i32 to f64
    llvm.store %sum, %y : f64, !llvm.ptr
    %1 = llvm.getelementptr %y[1] : (!llvm.ptr) -> !llvm.ptr, f64
    llvm.store %product, %1 : f64, !llvm.ptr
    %2 = llvm.getelementptr %y[2] : (!llvm.ptr) -> !llvm.ptr, f64
    llvm.store %flag, %2 : f64, !llvm.ptr
    return
  }
  func.func @means(%a: tensor<f32>, %p: tensor<i32>, %b: tensor<f64>) -> tensor<3xf64> {
    %wide = graph.convert %a : (tensor<f32>) -> tensor<f64>
    %flag = graph.convert %p : (tensor<i32>) -> tensor<f64>
    %sum = graph.add %wide, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %product = graph.mul %wide, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %s = graph.broadcast %sum : (tensor<f64>) -> tensor<1xf64>
    %m = graph.broadcast %product : (tensor<f64>) -> tensor<1xf64>
    %f = graph.broadcast %flag : (tensor<f64>) -> tensor<1xf64>
    %r = graph.cat %s, %m, %f dim 0 : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<3xf64>
    return %r : tensor<3xf64>
  }
}

wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]

wrapper.func @main(%x: !s, %y: !s) -> !r {
  %a = wrapper.item %x : !s -> f64
  %b = wrapper.item %y : !s -> f64
  %zero = arith.constant 0.0 : f64
  %p = arith.cmpf ogt, %a, %zero : f64
  %0 = wrapper.alloc : !r
  wrapper.launch_user @combine grid @once[] config {} arguments [unit, unit, unit, unit]
      outs(%0 : !r) scalars(%a, %p, %b : f64, i1, f64)
  wrapper.return %0 : !r
}
