// RUN: %corpus %s
// F32: a branch of a loop has a stream of its own, which ends in it.
// CASE: i64=3; 4xf32=1 2 3 4 -> 4xf32=4 8 12 16
// CASE: i64=0; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}
wrapper.func @main(%i: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 9>, k = #sym.range<0, 9>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["k"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <k> lt <n>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    %p = wrapper.compare <k> lt <2>
    %s = wrapper.if %p : i1 -> (!b) {
      %c = wrapper.alloc : !b
      %e = wrapper.record_event #wrapper.device<"cpu">
      wrapper.stream #wrapper.device<"cpu"> 3 {
        wrapper.wait_event %e
        wrapper.launch @double[4] ins(%a : !b) outs(%c : !b)
        wrapper.yield
      }
      %f = wrapper.record_event #wrapper.device<"cpu"> stream 3
      wrapper.wait_event %f uses(%a, %c : !b, !b)
      wrapper.yield %c : !b
    } else {
      %c = wrapper.alloc : !b
      wrapper.copy %a to %c : !b
      wrapper.yield %c : !b
    }
    wrapper.yield %s : !b symbols [k + 1]
  }
  wrapper.return %r : !b
}
