// RUN: %corpus %s
// A size that an element says is known late: a pool that holds such a buffer
// begins behind the read, whatever was carved from others before.
// CASE: i64=3; 4xf32=1 2 3 4 -> 4xf32=7 6 5 4; 3xf32=4 5 6
// CASE: i64=0; 4xf32=1 2 3 4 -> 4xf32=7 6 5 4; 0xf32=
// CASE: i64=9; 4xf32=1 2 3 4 -> error: above its upper bound

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[k], f32, #wrapper.device<"cpu">>

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
wrapper.kernel @iota() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
  %0 = loop.kernel "iota" [n] () : () -> tensor<?xf32, #sym.shape<[n]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}

wrapper.func @main(%i: !i, %x: !s) -> (!s, !t) attributes {sym.symbols = {k = #sym.range<0, 8, hint = 4>}} {
  %a = wrapper.alloc : !s
  wrapper.launch @inc[4] ins(%x : !s) outs(%a : !s)
  %b = wrapper.alloc : !s
  wrapper.launch @inc[4] ins(%a : !s) outs(%b : !s)
  wrapper.item "k" = %i : !i
  %c = wrapper.alloc : !t
  wrapper.launch @iota[k] outs(%c : !t)
  %d = wrapper.alloc : !t
  wrapper.launch @inc[k] ins(%c : !t) outs(%d : !t)
  %r = wrapper.alloc : !s
  wrapper.launch @inc[4] ins(%b : !s) outs(%r : !s)
  %e = wrapper.alloc : !t
  wrapper.launch @inc[k] ins(%d : !t) outs(%e : !t)
  %g = wrapper.alloc : !t
  wrapper.launch @inc[k] ins(%e : !t) outs(%g : !t)
  %h = wrapper.alloc : !t
  wrapper.launch @inc[k] ins(%g : !t) outs(%h : !t)
  wrapper.return %r, %h : !s, !t
}
