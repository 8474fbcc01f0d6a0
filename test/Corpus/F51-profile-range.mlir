// RUN: %corpus %s
// F51: a range runs where it is: what it makes and binds goes on behind it, ranges nest, and are
// in branches.
// CASE: 2xf32=1 2; i64=3 -> 2xf32=4 8; 3xf32=0 0 0
// CASE: 0xf32=; i64=0 -> 0xf32=; 0xf32=
// CASE: 1xf32=1; i64=-1 -> error: below its lower bound

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
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
wrapper.func @main(%x: !s, %n: !i) -> (!s, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %r:2 = wrapper.profile_range "outer \22one\22" -> (!s, i1) {
    %q = wrapper.profile_range "inner" -> (!s) {
      %a = wrapper.alloc : !s
      wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
      wrapper.yield %a : !s
    }
    wrapper.item "u0" = %n : !i
    %c = wrapper.compare <u0> lt <100>
    %b = wrapper.alloc : !s
    wrapper.launch @double[s0] ins(%q : !s) outs(%b : !s)
    wrapper.yield %b, %c : !s, i1
  }
  %t = wrapper.if %r#1 : i1 -> (!u) {
    %f = wrapper.profile_range "branch" -> (!u) {
      %z = wrapper.alloc : !u
      wrapper.fill %z bytes 0 : !u
      wrapper.yield %z : !u
    }
    wrapper.yield %f : !u
  } else {
    wrapper.profile_range "empty" {
      wrapper.yield
    }
    %z = wrapper.alloc : !u
    wrapper.fill %z bytes 1 : !u
    wrapper.yield %z : !u
  }
  wrapper.return %r#0, %t : !s, !u
}
