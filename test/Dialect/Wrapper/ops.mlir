// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!x = !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[32, 128], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[32], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s0, 32], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.kernel @relu_0(
// CHECK-SAME: %{{.+}}: tensor<?x32xf32, #sym.shape<[s0, 32]>>) attributes
wrapper.kernel @relu_0(%x: tensor<?x32xf32, #sym.shape<[s0, 32]>>) attributes {
    input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>],
    symbols = ["s0"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "relu" [s0, 32] (%a = %x) : (tensor<?x32xf32, #sym.shape<[s0, 32]>>) -> tensor<?x32xf32, #sym.shape<[s0, 32]>> {
    %z = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d1] : tensor<?x32xf32, #sym.shape<[s0, 32]>> -> f32
    %m = arith.maximumf %v, %z : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  // CHECK: wrapper.yield %{{.+}} : tensor<?x32xf32, #sym.shape<[s0, 32]>>
  wrapper.yield %0 : tensor<?x32xf32, #sym.shape<[s0, 32]>>
}

// A lowered kernel holds the device's function.
// CHECK-LABEL: wrapper.kernel @lowered_1()
wrapper.kernel @lowered_1() attributes {
    input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["s0"],
    total = #sym.expr<s0 * 4>, grain = 1 : i64} {
  func.func private @lowered_1()
}

// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME: %[[X:.+]]: !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">> {coil.name = "x"}
wrapper.func @main(%x: !x {coil.name = "x"}, %w: !w, %b: !v) -> (!y, !y)
    attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 8>}} {
  // CHECK: wrapper.input_symbol "s0" = size 0 of %[[X]] : !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">>
  wrapper.input_symbol "s0" = size 0 of %x : !x
  // CHECK: wrapper.assert_layout %[[X]], "x" : !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">>
  wrapper.assert_layout %x, "x" : !x
  // CHECK: wrapper.sym_expr "n" = <s0 * 4>
  wrapper.sym_expr "n" = <s0 * 4>
  // CHECK: wrapper.assert <n mod 8> eq <0>, "the batch is even"
  wrapper.assert <n mod 8> eq <0>, "the batch is even"
  // CHECK: %[[A:.+]] = wrapper.alloc : !wrapper.buffer<[s0, 32], f32, #wrapper.device<"cpu">>
  %0 = wrapper.alloc : !y
  // CHECK: wrapper.contraction "onednn"[s0, 32, 128] a(%[[X]][128, 0, 1] : !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">>) b(%{{.+}}[0, 128, 1] at <0> : !wrapper.buffer<[32, 128], f32, #wrapper.device<"cpu">>) bias(%{{.+}}[0, 1, 0] : !wrapper.buffer<[32], f32, #wrapper.device<"cpu">>) c(%[[A]][32, 1, 0] : !wrapper.buffer<[s0, 32], f32, #wrapper.device<"cpu">>) post relu
  wrapper.contraction "onednn"[s0, 32, 128] a(%x[128, 0, 1] : !x)
      b(%w[0, 128, 1] at <0> : !w) bias(%b[0, 1, 0] : !v) c(%0[32, 1, 0] : !y) post relu
  // CHECK: %[[R:.+]] = wrapper.reuse %[[A]] : !wrapper.buffer<[s0, 32], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[s0 * 32], i32, #wrapper.device<"cpu">>
  %1 = wrapper.reuse %0 : !y to !wrapper.buffer<[s0 * 32], i32, #wrapper.device<"cpu">>
  // CHECK: wrapper.free %[[R]]
  wrapper.free %1 : !wrapper.buffer<[s0 * 32], i32, #wrapper.device<"cpu">>
  // CHECK: wrapper.reinterpret %[[X]] at <4> : !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[s0, 32], strides = [128, 1], f32, #wrapper.device<"cpu">>
  %2 = wrapper.reinterpret %x at <4> : !x to !wrapper.buffer<[s0, 32], strides = [128, 1], f32, #wrapper.device<"cpu">>
  %3 = wrapper.alloc : !y
  %4 = wrapper.alloc : !y
  // CHECK: wrapper.launch @lowered_1[s0] outs(%[[C:.+]] : !wrapper.buffer<[s0 * 32], f32, #wrapper.device<"toy", 1>>)
  %5 = wrapper.alloc : !wrapper.buffer<[s0 * 32], strides = [1], f32, #wrapper.device<"toy", 1>>
  wrapper.launch @lowered_1[s0] outs(%5 : !wrapper.buffer<[s0 * 32], strides = [1], f32, #wrapper.device<"toy", 1>>)
  // CHECK: wrapper.launch @relu_0[s0] ins(%{{.+}} : !{{.+}}) outs(%{{.+}} : !{{.+}})
  wrapper.launch @relu_0[s0] ins(%3 : !y) outs(%3 : !y)
  // CHECK: wrapper.copy
  wrapper.copy %3 to %4 : !y
  // CHECK: wrapper.return
  wrapper.return %3, %4 : !y, !y
}

// CHECK-LABEL: wrapper.func @conv
wrapper.func @conv(%x: !wrapper.buffer<[1, 3, 8, 8], f32, #wrapper.device<"cpu">>, %w: !wrapper.buffer<[16, 3, 3, 3], f32, #wrapper.device<"cpu">>,
    %b: !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>) -> !wrapper.buffer<[1, 16, 8, 8], f32, #wrapper.device<"cpu">> {
  %0 = wrapper.alloc : !wrapper.buffer<[1, 16, 8, 8], f32, #wrapper.device<"cpu">>
  // CHECK: wrapper.convolution "onednn" ins(%{{.+}}, %{{.+}} : {{.+}}) bias(%{{.+}} : {{.+}}) outs(%{{.+}} : {{.+}}) stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 post none
  wrapper.convolution "onednn" ins(%x, %w : !wrapper.buffer<[1, 3, 8, 8], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[16, 3, 3, 3], f32, #wrapper.device<"cpu">>)
      bias(%b : !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>) outs(%0 : !wrapper.buffer<[1, 16, 8, 8], f32, #wrapper.device<"cpu">>)
      stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 post none
  wrapper.return %0 : !wrapper.buffer<[1, 16, 8, 8], f32, #wrapper.device<"cpu">>
}

// CHECK-LABEL: wrapper.func @constant
wrapper.func @constant() {
  // CHECK: wrapper.constant dense<1.000000e+00> : tensor<2xf32> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  %0 = wrapper.constant dense<1.0> : tensor<2xf32> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// CHECK-LABEL: wrapper.func @sort
!sx = !wrapper.buffer<[4, 8], f32, #wrapper.device<"cpu">>
!sv = !wrapper.buffer<[4, 3], f32, #wrapper.device<"cpu">>
!si = !wrapper.buffer<[4, 3], i64, #wrapper.device<"cpu">>
wrapper.func @sort(%x: !sx) {
  %v = wrapper.alloc : !sv
  %i = wrapper.alloc : !si
  // CHECK: wrapper.sort "runtime" %{{.*}} dim 1 descending values(%{{.*}} : !wrapper.buffer<[4, 3], f32, {{.*}}>) indices(%{{.*}} : !wrapper.buffer<[4, 3], i64, {{.*}}>) : !wrapper.buffer<[4, 8], f32,
  wrapper.sort "runtime" %x dim 1 descending values(%v : !sv) indices(%i : !si) : !sx
  // CHECK: wrapper.sort "runtime" %{{.*}} dim 1 indices(%{{.*}}) : !wrapper.buffer<[4, 8], f32,
  wrapper.sort "runtime" %x dim 1 indices(%i : !si) : !sx
  wrapper.return
}
