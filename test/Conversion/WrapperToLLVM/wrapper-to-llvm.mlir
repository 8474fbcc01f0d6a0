// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file | FileCheck %s

!x = !wrapper.buffer<[s0 * 2, 8], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s0, 8], f32, #wrapper.device<"cpu">>

// The kernel's function is declared under its name.
// CHECK: llvm.func @k_0(!llvm.ptr, !llvm.ptr, i64, i64) -> i32
// CHECK-DAG: @[[$NAME:text[_0-9]*]]("x\00")
// CHECK-DAG: @[[$STRIDES:numbers[_0-9]*]](dense<[8, 1]> : tensor<2xi64>)
// CHECK-DAG: @[[$BELOW:text[_0-9]*]]("symbol 's0' (size 0 of input 'x') is below its lower bound\00")
// CHECK: wrapper.kernel @k_0.module()
wrapper.kernel @k_0() attributes {
    input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[8, 1]>], symbols = ["n"],
    total = #sym.expr<n * 4>, grain = 16 : i64} {
  llvm.func @k_0(%b: !llvm.ptr, %s: !llvm.ptr, %begin: i64, %end: i64) -> i32 {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
}

// CHECK-LABEL: llvm.func @coil_main(
// CHECK-SAME: %[[R:.+]]: !llvm.ptr, %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr) -> i32
// CHECK-SAME: coil.input_attrs = [{coil.name = "x"}]
// CHECK-SAME: coil.signature = (tensor<?x8xf32, #sym.shape<[s0 * 2, 8]>>) -> tensor<?x8xf32, #sym.shape<[s0, 8]>>
// CHECK-SAME: sym.symbols = {s0 = #sym.range<1, 64>}
wrapper.func @main(%x: !x {coil.name = "x"}) -> !y attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  // CHECK: %[[N:.+]] = llvm.mlir.addressof @[[$NAME]]
  // CHECK: %[[S:.+]] = llvm.call @coil_rt_check_input(%[[R]], %[[IN]], %[[N]],
  // CHECK: %[[OK:.+]] = llvm.icmp "eq" %[[S]]
  // CHECK: llvm.cond_br %[[OK]], ^{{.+}}, ^[[EXIT:bb[0-9]+]](%[[S]] : i32)
  // CHECK: %[[X:.+]] = llvm.load %[[IN]] : !llvm.ptr -> !llvm.ptr

  // The size is halved, and must be in range and exact.
  // CHECK: %[[SIZES:.+]] = llvm.getelementptr %[[IN]][8]
  // CHECK: %[[LIST:.+]] = llvm.load %[[SIZES]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[GIVEN:.+]] = llvm.load %[[LIST]] : !llvm.ptr -> i64
  // CHECK: %[[S0:.+]] = llvm.ashr %[[GIVEN]]
  // CHECK: llvm.icmp "sge" %[[S0]]
  // CHECK: llvm.mlir.addressof @[[$BELOW]]
  // CHECK: llvm.call @coil_rt_assert_fail
  // CHECK: llvm.icmp "sle" %[[S0]]
  wrapper.input_symbol "s0" = size 0 of %x : !x
  // CHECK: %[[P:.+]] = llvm.mlir.addressof @[[$STRIDES]]
  // CHECK: llvm.call @coil_rt_match_layout(%[[R]], %[[IN]], %{{.+}}, %{{.+}}, %[[P]], %[[PLACE:.+]]) :
  // The argument, or its copy.
  // CHECK: %[[X1:.+]] = llvm.load %[[PLACE]] : !llvm.ptr -> !llvm.ptr
  wrapper.assert_layout %x, "x" : !x
  // CHECK: llvm.icmp "eq"
  // CHECK: llvm.call @coil_rt_assert_fail
  wrapper.assert <s0 mod 8> eq <0>, "the batch is even"
  // A bounded size needs no check for overflow.
  // CHECK-NOT: llvm.intr.smul.with.overflow
  // CHECK: %[[C32:.+]] = llvm.mlir.constant(32 : i64)
  // CHECK: %[[BYTES:.+]] = llvm.mul %[[S0]], %[[C32]]
  // CHECK: llvm.call @coil_rt_alloc(%[[R]], %[[BYTES]], %[[SLOT:.+]]) :
  // CHECK: %[[Y:.+]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
  %0 = wrapper.alloc : !y
  // CHECK: %[[V:.+]] = llvm.getelementptr %[[X1]][%{{.+}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %1 = wrapper.reinterpret %x at <4> : !x to !y
  // Buffers in order, the symbols' values, and the total in terms of them.
  // CHECK: llvm.store %[[V]], %[[BUFFERS:.+]] : !llvm.ptr, !llvm.ptr
  // CHECK: %[[SECOND:.+]] = llvm.getelementptr %[[BUFFERS]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  // CHECK: llvm.store %[[Y]], %[[SECOND]]
  // CHECK: llvm.store %[[S0]], %[[SYMBOLS:.+]] : i64
  // CHECK: %[[K:.+]] = llvm.mlir.addressof @k_0
  // CHECK: %[[TOTAL:.+]] = llvm.mul %[[S0]]
  // CHECK: llvm.call @coil_rt_launch_cpu(%[[R]], %[[K]], %[[BUFFERS]], %[[SYMBOLS]], %[[TOTAL]], %{{.+}})
  wrapper.launch @k_0[s0] ins(%1 : !y) outs(%0 : !y)
  // The second allocation has the same bytes, which are there already.
  // CHECK: llvm.call @coil_rt_alloc(%[[R]], %[[BYTES]],
  %2 = wrapper.alloc : !y
  // CHECK: "llvm.intr.memcpy"(%[[Z:.+]], %[[Y]], %[[BYTES]]
  wrapper.copy %0 to %2 : !y
  // CHECK: llvm.call @coil_rt_free(%[[R]], %[[Y]])
  wrapper.free %0 : !y
  // CHECK: llvm.call @coil_rt_set_output(%[[R]], %[[OUT]], %[[Z]],
  // CHECK: ^[[EXIT]](%[[STATUS:.+]]: i32):
  // CHECK: llvm.return %[[STATUS]]
  wrapper.return %2 : !y
}

// -----

// The size of what is allocated must not overflow when nothing bounds it.
// CHECK-LABEL: llvm.func @coil_unbounded
// CHECK: llvm.intr.smul.with.overflow
// CHECK: llvm.call @coil_rt_fail
wrapper.func @unbounded(%x: !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>, %y: !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>) {
  wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  wrapper.input_symbol "s1" = size 0 of %y : !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
  wrapper.sym_expr "n" = <s0 floordiv 3>
  %0 = wrapper.alloc : !wrapper.buffer<[n, s1], f32, #wrapper.device<"cpu">>
  wrapper.free %0 : !wrapper.buffer<[n, s1], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

// Literals are data; bits are bytes. A private program keeps its function.
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}(dense<[1, 0]> : tensor<2xi8>)
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}(dense<[1, -1]> : tensor<2xi16>)
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}(dense<1.500000e+00> : tensor<1xbf16>)
// CHECK-DAG: llvm.func internal @coil_literals
wrapper.func private @literals() {
  %0 = wrapper.constant dense<[true, false]> : tensor<2xi1> to !wrapper.buffer<[2], i1, #wrapper.device<"cpu">>
  %1 = wrapper.constant dense<[[1, 65535]]> : tensor<1x2xui16> to !wrapper.buffer<[1, 2], ui16, #wrapper.device<"cpu">>
  %2 = wrapper.constant dense<1.5> : tensor<bf16> to !wrapper.buffer<[], bf16, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

!a = !wrapper.buffer<[2, 4, 8], f32, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[3, 4, 8], f32, #wrapper.device<"cpu">>
// CHECK-LABEL: llvm.func @coil_contraction
wrapper.func @contraction(%a: !a, %b: !b, %v: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, %c: !wrapper.buffer<[2, 4, 4], f32, #wrapper.device<"cpu">>) {
  // CHECK-DAG: %[[SIZE:.+]] = llvm.mlir.constant(256 : i32)
  // CHECK: llvm.store %[[SIZE]], %[[DESC:.+]] : i32
  // The rank of the batch, then the axis of the bias and the function.
  // CHECK: llvm.getelementptr %[[DESC]][5] : (!llvm.ptr) -> !llvm.ptr, i32
  // Whether factors may be rounded to TF32.
  // CHECK: llvm.getelementptr %[[DESC]][7] : (!llvm.ptr) -> !llvm.ptr, i32
  // CHECK-NEXT: llvm.store
  // CHECK-NEXT: %[[TF32:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: %[[AT:.+]] = llvm.getelementptr %[[DESC]][8] : (!llvm.ptr) -> !llvm.ptr, i32
  // CHECK-NEXT: llvm.store %[[TF32]], %[[AT]]
  // m, n and k follow the ten small fields.
  // CHECK: llvm.getelementptr %[[DESC]][5] : (!llvm.ptr) -> !llvm.ptr, i64
  // The last batch stride of c that is read.
  // CHECK: llvm.getelementptr %[[DESC]][27] : (!llvm.ptr) -> !llvm.ptr, i64
  // CHECK: %[[B:.+]] = llvm.getelementptr %{{.+}}[%{{.+}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  // CHECK: llvm.call @coil_rt_contraction(%{{.+}}, %[[DESC]], %{{.+}}, %[[B]], %{{.+}}, %{{.+}})
  wrapper.contraction "onednn"[2, 4, 4, 8] a(%a[32, 8, 0, 1] : !a) b(%b[32, 0, 8, 1] at <8> : !b)
      bias(%v[0, 1, 0, 0] : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
      c(%c[16, 4, 1, 0] : !wrapper.buffer<[2, 4, 4], f32, #wrapper.device<"cpu">>) post gelu_erf tf32
  // CHECK: %[[NULL:.+]] = llvm.mlir.zero
  // CHECK: llvm.call @coil_rt_contraction({{.+}}, %[[NULL]], %{{.+}})
  wrapper.contraction "onednn"[2, 4, 4, 8] a(%a[32, 8, 0, 1] : !a) b(%b[32, 0, 8, 1] : !b)
      c(%c[16, 4, 1, 0] : !wrapper.buffer<[2, 4, 4], f32, #wrapper.device<"cpu">>) post none
  wrapper.return
}

// -----

// CHECK-LABEL: llvm.func @coil_convolution
wrapper.func @convolution(%x: !wrapper.buffer<[1, 3, 9], f32, #wrapper.device<"cpu">>, %w: !wrapper.buffer<[8, 3, 3], f32, #wrapper.device<"cpu">>,
    %y: !wrapper.buffer<[1, 8, 4], f32, #wrapper.device<"cpu">>) {
  // CHECK: llvm.mlir.constant(376 : i32)
  // CHECK: llvm.call @coil_rt_convolution
  wrapper.convolution "onednn" ins(%x, %w : !wrapper.buffer<[1, 3, 9], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[8, 3, 3], f32, #wrapper.device<"cpu">>)
      outs(%y : !wrapper.buffer<[1, 8, 4], f32, #wrapper.device<"cpu">>) stride [2] padding [0] dilation [1] groups 1 post none
  wrapper.return
}

// -----

// What a step costs is told to the run before it, and only where it is stated.
// CHECK-LABEL: llvm.func @coil_costs
// CHECK: %[[FLOPS:.*]] = llvm.mlir.constant(7 : i64)
// CHECK-NOT: coil_rt_note_cost
// CHECK: call @coil_rt_launch_cpu
// CHECK: %[[BYTES:.*]] = llvm.mul
// CHECK: call @coil_rt_note_cost(%{{.*}}, %[[BYTES]], %[[FLOPS]], %{{.*}}) : (!llvm.ptr, i64, i64, i64) -> i32
// CHECK: call @coil_rt_launch_cpu
// CHECK: llvm.return
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.kernel @k() attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = [],
    total = #sym.expr<4>, grain = 4 : i64} {
  llvm.func @k(!llvm.ptr, !llvm.ptr, i64, i64) -> i32
}
wrapper.func @costs(%x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<0, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b) {wrapper.cost = #wrapper.cost<bytes = <s0 * 8>, flops = <7>>}
  wrapper.return %0 : !b
}

// -----

// A sort of the middle of three dimensions; one result is absent.
// CHECK-LABEL: llvm.func @coil_sort
// CHECK: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: call @coil_rt_sort(%{{.*}}, %{{.*}}, %{{.*}}, %[[NULL]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
!b = !wrapper.buffer<[2, s0, 3], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2, 4, 3], i64, #wrapper.device<"cpu">>
wrapper.func @sort(%x: !b) -> !i attributes {sym.symbols = {s0 = #sym.range<4, 1024>}} {
  wrapper.input_symbol "s0" = size 1 of %x : !b
  %0 = wrapper.alloc : !i
  wrapper.sort "runtime" %x dim 1 descending indices(%0 : !i) : !b
  wrapper.return %0 : !i
}
