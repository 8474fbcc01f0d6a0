// RUN: %corpus %s
// A kernel on bools, which take a byte each: of two and of what it made.
// CASE: 3xi1=true false true; 3xi1=true true false -> 3xi1=false true true

wrapper.kernel @differ(%x0: tensor<3xi1>, %x1: tensor<3xi1>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "differ" [3] (%a0 = %x0, %a1 = %x1) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1> {
    %v = loop.load %a0[d0] : tensor<3xi1> -> i1
    %w = loop.load %a1[d0] : tensor<3xi1> -> i1
    %r = arith.xori %v, %w : i1
    loop.store %r, 0 [d0] : i1
  }
  wrapper.yield %0 : tensor<3xi1>
}

!x = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %y: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @differ[] ins(%x, %y : !x, !x) outs(%0 : !x)
  %1 = wrapper.alloc : !x
  wrapper.launch @differ[] ins(%0, %y : !x, !x) outs(%1 : !x)
  %2 = wrapper.alloc : !x
  wrapper.launch @differ[] ins(%1, %y : !x, !x) outs(%2 : !x)
  wrapper.return %2 : !x
}
