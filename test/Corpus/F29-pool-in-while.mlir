// RUN: %corpus %s
// Each iteration has a pool of its own, which ends with it; what the loop
// carries is no part of it.
// CASE: i64=1; 3xf32=1 2 3 -> 3xf32=5 6 7
// CASE: i64=3; 3xf32=1 2 3 -> 3xf32=13 14 15
// CASE: i64=0; 3xf32=1 2 3 -> 3xf32=1 2 3

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>

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

wrapper.func @main(%n: !i, %x: !s) -> !s attributes {sym.symbols = {s = #sym.range<1, 64, hint = 32>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  wrapper.item "n" = %n : !i
  %0 = wrapper.alloc : !s
  wrapper.copy %x to %0 : !s
  %r = wrapper.while %0 : !s symbols ["k"] from [0] -> (!s) {
  ^bb0(%v: !s):
    %p = wrapper.compare <k> lt <n>
    wrapper.condition %p pass %v : !s
  } do {
  ^bb0(%v: !s):
    %a = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%v : !s) outs(%a : !s)
    %b = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%a : !s) outs(%b : !s)
    %c = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%b : !s) outs(%c : !s)
    %d = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%c : !s) outs(%d : !s)
    wrapper.yield %d : !s symbols [k + 1]
  }
  wrapper.return %r : !s
}
