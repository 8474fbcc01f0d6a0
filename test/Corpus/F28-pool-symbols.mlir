// RUN: %corpus %s
// Buffers of two sizes have the same bytes one after the other: an offset is
// above the larger of those below, whichever that is in a run.
// CASE: 2xf32=1 2; 3xf32=1 2 3 -> 2xf32=5 4; 3xf32=6 5 4
// CASE: 20xf32=1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1; 1xf32=5 -> 20xf32=4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4; 1xf32=8
// CASE: 1xf32=2; 40xf32=3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 -> 1xf32=5; 40xf32=6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6 6

!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[t], f32, #wrapper.device<"cpu">>

wrapper.kernel @inc(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
  %0 = loop.kernel "inc" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v0 = loop.load %a0[n - 1 - d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %c = arith.constant 1.0 : f32
    %m = arith.addf %v0, %c : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}

wrapper.func @main(%x: !s, %y: !t) -> (!s, !t) attributes {sym.symbols = {s = #sym.range<1, 64, hint = 32>, t = #sym.range<1, 64, hint = 32>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  wrapper.input_symbol "t" = size 0 of %y : !t
  %a = wrapper.alloc : !s
  wrapper.launch @inc[s] ins(%x : !s) outs(%a : !s)
  %b = wrapper.alloc : !t
  wrapper.launch @inc[t] ins(%y : !t) outs(%b : !t)
  %c = wrapper.alloc : !s
  wrapper.launch @inc[s] ins(%a : !s) outs(%c : !s)
  %d = wrapper.alloc : !t
  wrapper.launch @inc[t] ins(%b : !t) outs(%d : !t)
  %e = wrapper.alloc : !s
  wrapper.launch @inc[s] ins(%c : !s) outs(%e : !s)
  %f = wrapper.alloc : !t
  wrapper.launch @inc[t] ins(%d : !t) outs(%f : !t)
  wrapper.return %e, %f : !s, !t
}
