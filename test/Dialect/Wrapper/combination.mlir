// RUN: coil-opt %s --verify-roundtrip | FileCheck %s

// Kernels that one launch may run together, and launches that are one of it.
// CHECK: wrapper.combination @k_with_l of [@k, @l] symbols [array<i64: 0>, array<i64: 0, 1>]
// CHECK: wrapper.launch @k[s0] {{.*}} {wrapper.combination = @k_with_l}
wrapper.kernel @k() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
}
wrapper.kernel @l() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["n", "m"]} {
}
wrapper.combination @k_with_l of [@k, @l] symbols [array<i64: 0>, array<i64: 0, 1>]
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !s) -> (!s, !s) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %a = wrapper.alloc : !s
  %b = wrapper.alloc : !s
  wrapper.launch @k[s0] ins(%x : !s) outs(%a : !s) {wrapper.combination = @k_with_l}
  wrapper.launch @l[s0, 4] ins(%x : !s) outs(%b : !s) {wrapper.combination = @k_with_l}
  wrapper.return %a, %b : !s, !s
}
