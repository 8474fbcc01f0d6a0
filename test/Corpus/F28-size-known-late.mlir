// RUN: %corpus %s
// B10: a size that only a run knows has its range in the program, and nothing asks for more.
// Storage whose size an element says is allocated in a branch, behind the read.
// CASE: i1=true; i64=3; 4xf32=1 2 3 4 -> 3xf32=0 1 2
// CASE: i1=true; i64=20; 4xf32=1 2 3 4 -> error: above its upper bound
// CASE: i1=false; i64=20; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!k = !wrapper.buffer<[k], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["m"]} {
  %0 = loop.kernel "iota" [m] () : () -> tensor<?xf32, #sym.shape<[m]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[m]>>
}

wrapper.func @main(%p: !p, %i: !i, %x: !b) -> !n attributes {sym.symbols = {k = #sym.range<0, 8>, n = #sym.range<0, 8>}} {
  %r = wrapper.if %p : !p defines ["n"] -> (!n) {
    wrapper.item "k" = %i : !i
    %0 = wrapper.alloc : !k
    wrapper.launch @iota[k] outs(%0 : !k)
    wrapper.yield %0 : !k symbols [k]
  } else {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    wrapper.yield %0 : !b symbols [4]
  }
  wrapper.return %r : !n
}
