// RUN: %corpus %s
// F24: launches that go to the device together, over a size that only the run knows: three
// independent kernels on what a call gave, one of them over no element where there is none.
// CASE: 5xf32=1 0 2 0 3 -> 3xi64=0 2 4; 3xi64=0 4 8; 3xi64=0 8 16
// CASE: 3xf32=0 0 0 -> 0xi64=; 0xi64=; 0xi64=

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[u0, 1], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], i64, #wrapper.device<"cpu">>
wrapper.kernel @double(%x0: tensor<?xi64, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xi64, #sym.shape<[k]>>) -> tensor<?xi64, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xi64, #sym.shape<[k]>> -> i64
    %m = arith.addi %v0, %v0 : i64
    loop.store %m, 0 [d0] : i64
  }
  wrapper.yield %0 : tensor<?xi64, #sym.shape<[k]>>
}
wrapper.kernel @quadruple(%x0: tensor<?xi64, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "quadruple" [k] (%a0 = %x0) : (tensor<?xi64, #sym.shape<[k]>>) -> tensor<?xi64, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xi64, #sym.shape<[k]>> -> i64
    %m = arith.addi %v0, %v0 : i64
    %n = arith.addi %m, %m : i64
    loop.store %n, 0 [d0] : i64
  }
  wrapper.yield %0 : tensor<?xi64, #sym.shape<[k]>>
}
wrapper.func @main(%x: !x) -> (!u, !u, !u) attributes {sym.symbols = {s0 = #sym.range<1, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  %n = wrapper.extern_call "test::nonzero"(%x) : (!x) -> !i
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %n : !i
  wrapper.assert_layout %n, "result" : !i
  %v = wrapper.reinterpret %n at <0> : !i to !u
  %0 = wrapper.alloc : !u
  wrapper.copy %v to %0 : !u
  %1 = wrapper.alloc : !u
  wrapper.launch @double[u0] ins(%v : !u) outs(%1 : !u)
  %2 = wrapper.alloc : !u
  wrapper.launch @quadruple[u0] ins(%v : !u) outs(%2 : !u)
  wrapper.return %0, %1, %2 : !u, !u, !u
}
