// RUN: %corpus %s
// F58: a step that reads what a later branch takes over stays in front of it, also where partitions are formed; a literal
// and a view of it are used in a partition and after it.
// CASE: i1=true; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8; 4xf32=4 8 12 16; 4xf32=2 2 2 2
// CASE: i1=false; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4; 4xf32=4 8 12 16; 4xf32=2 2 2 2

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%p: !p, %x: !b) -> (!b, !b, !b) {
  %ones = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  %view = wrapper.reinterpret %ones at <0> : !b to !b
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%view : !b) outs(%1 : !b)
  %c = wrapper.item %p : !p -> i1
  %2 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%0 : !b) outs(%2 : !b)
  %r = wrapper.if %c : i1 -> (!b) {
    wrapper.yield %0 : !b
  } else {
    %3 = wrapper.alloc : !b
    wrapper.copy %x to %3 : !b
    wrapper.yield %3 : !b
  }
  %d = wrapper.item %p : !p -> i1
  %4 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%view : !b) outs(%4 : !b)
  wrapper.if %d : i1 {
    wrapper.copy %ones to %1 : !b
    wrapper.yield
  } else {
    wrapper.copy %4 to %1 : !b
    wrapper.yield
  }
  wrapper.return %r, %2, %4 : !b, !b, !b
}
