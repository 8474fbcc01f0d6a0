// RUN: %corpus %s
// An iteration starts a collective and waits for it, with a kernel in between.
// CASE: i64=3; 4xf32=1 2 3 4 -> 4xf32=27 54 81 108
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
wrapper.kernel @add(%x0: tensor<?xf32, #sym.shape<[k]>>, %x1: tensor<?xf32, #sym.shape<[k]>>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["k"],
    in_place = array<i64: 0, 0, 1, 0>} {
  %0 = loop.kernel "add" [k] (%a0 = %x0, %a1 = %x1) : (tensor<?xf32, #sym.shape<[k]>>, tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %v1 = loop.load %a1[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v1 : f32
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
    %b = wrapper.alloc : !b
    %t = wrapper.collective all_reduce max %a to %b group "test::world" : !b to !b
    %c = wrapper.alloc : !b
    wrapper.launch @double[4] ins(%a : !b) outs(%c : !b)
    wrapper.wait %t of %a to %b : !b to !b
    %d = wrapper.alloc : !b
    wrapper.launch @add[4] ins(%b, %c : !b, !b) outs(%d : !b)
    wrapper.yield %d : !b symbols [k + 1]
  }
  wrapper.return %r : !b
}
