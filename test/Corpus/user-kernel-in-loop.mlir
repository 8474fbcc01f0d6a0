// RUN: %corpus %s
// A user's kernel that updates what a loop carries, between kernels of ours, whose
// storage planning reuses.
// GPU: no
// CASE: i64=0; 2xf32=1 2 -> 2xf32=2 4
// CASE: i64=3; 2xf32=1 2 -> 2xf32=16 32

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @twice() attributes {reference = @means, parameters = [#wrapper.param<"x", update, f32>]} {
  func.func @twice(%x: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
    %place = llvm.getelementptr %x[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %place : !llvm.ptr -> f32
    %r = arith.addf %v, %v : f32
    llvm.store %r, %place : f32, !llvm.ptr
    return
  }
  func.func @means(%x: tensor<2xf32>) -> tensor<2xf32> {
    %r = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}

wrapper.grid @rows[] cases [#wrapper.grid_case<{}, <[1, 2, 1]>>]

wrapper.kernel @double(%x0: tensor<2xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [2] (%a0 = %x0) : (tensor<2xf32>) -> tensor<2xf32> {
    %v0 = loop.load %a0[d0] : tensor<2xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<2xf32>
}

wrapper.func @main(%n: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 8>, k = #sym.range<0, 8>}} {
  wrapper.assert_layout %x, "x" : !b
  wrapper.item "n" = %n : !i
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %r = wrapper.while %0 : !b symbols ["k"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <k> lt <n>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.launch_user @twice grid @rows[] config {} arguments [unit] updates(%a : !b)
    wrapper.yield %a : !b symbols [k + 1]
  }
  wrapper.return %r : !b
}
