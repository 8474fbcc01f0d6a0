// RUN: coil-opt %s --convert-loop-to-wrapper --split-input-file | FileCheck %s

!x = tensor<?x4xf32, #sym.shape<[s0, 4]>>

// Kernels that differ in names and locations only are one; a constant makes a
// difference. The attributes of arguments stay, but for the strides.
// CHECK-LABEL: module
// CHECK: wrapper.kernel @scale_0(%{{.+}}: tensor<?x4xf32, #sym.shape<[s0, 4]>>) attributes
// CHECK-SAME: in_place = array<i64: 0, 0>
// CHECK-SAME: input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>]
// CHECK-SAME: sym.symbols = {s0 = #sym.range<1, 64>}, symbols = ["s0"]
// CHECK: wrapper.yield
// CHECK: wrapper.kernel @scale_1
// CHECK-NOT: wrapper.kernel
// CHECK: wrapper.func @dedupe(%[[X:.+]]: !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">> {coil.name = "x", graph.weight = "w"})
// CHECK-SAME: -> (!wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">> {coil.name = "y"})
// CHECK: wrapper.input_symbol "s0" = size 0 of %[[X]]
// CHECK: wrapper.assert_layout %[[X]], "x"
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK: wrapper.launch @scale_0[s0] ins(%[[X]] : {{.+}}) outs(%[[A]] : {{.+}})
// CHECK: %[[B:.+]] = wrapper.alloc
// CHECK: wrapper.launch @scale_0[s0] ins(%[[A]] : {{.+}}) outs(%[[B]] : {{.+}})
// CHECK: %[[C:.+]] = wrapper.alloc
// CHECK: wrapper.launch @scale_1[s0] ins(%[[B]] : {{.+}}) outs(%[[C]] : {{.+}})
// CHECK: wrapper.return %[[C]]
func.func @dedupe(%x: !x {coil.name = "x", graph.weight = "w"}) -> (!x {coil.name = "y"})
    attributes {sym.symbols = {s0 = #sym.range<1, 64>, unused = #sym.range<1, 2>}} {
  %0 = loop.kernel "scale" [s0, 4] (%a = %x) : (!x) -> !x {
    %c = arith.constant 2.0 : f32
    %v = loop.load %a[d0, d1] : !x -> f32
    %m = arith.mulf %v, %c : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  %1 = loop.kernel "another" [s0, 4] (%a = %0) : (!x) -> !x {
    %c = arith.constant 2.0 : f32
    %v = loop.load %a[d0, d1] : !x -> f32
    %m = arith.mulf %v, %c : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  %2 = loop.kernel "scale" [s0, 4] (%a = %1) : (!x) -> !x {
    %c = arith.constant 3.0 : f32
    %v = loop.load %a[d0, d1] : !x -> f32
    %m = arith.mulf %v, %c : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  return %2 : !x
}

// -----

// A symbol is solved out of a product; one that is given by itself comes first,
// and a stride can give one as well.
// CHECK-LABEL: wrapper.func @solve
// CHECK: wrapper.input_symbol "s1" = size 0 of %arg1
// CHECK-NEXT: wrapper.input_symbol "s0" = size 0 of %arg0
// CHECK-NEXT: wrapper.input_symbol "s2" = stride 0 of %arg1
// CHECK-NEXT: wrapper.assert_layout %arg0, "arg0"
// CHECK-NEXT: wrapper.assert_layout %arg1, "y"
// CHECK: wrapper.assert <s0 mod 8> eq <0>, "even"
func.func @solve(%x: tensor<?xf32, #sym.shape<[s0 * 2 + s1]>>,
                 %y: tensor<?xf32, #sym.shape<[s1]>> {coil.name = "y", coil.strides = #sym.shape<[s2]>})
    -> tensor<?xf32, #sym.shape<[s0]>> {
  sym.assert <s0 mod 8> eq <0>, "even"
  %0 = loop.kernel "k" [s0] (%a = %x, %b = %y) : (tensor<?xf32, #sym.shape<[s0 * 2 + s1]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
    %v = loop.load %a[d0 * 2] : tensor<?xf32, #sym.shape<[s0 * 2 + s1]>> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// -----

// Results that are arguments, or have another layout than asked for, are
// copied; a reshape of what was computed here is not.
// CHECK: wrapper.kernel @iota_0() attributes
// CHECK: wrapper.kernel @copy_1(
// CHECK-SAME: input_strides = [#sym.shape<[3, 1]>], output_strides = [#sym.shape<[1, 2]>]
// CHECK-LABEL: wrapper.func @results
// CHECK-SAME: -> (!wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[6], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[3, 2], strides = [1, 3], f32, #wrapper.device<"cpu">>)
func.func @results(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>,
    tensor<2x3xf32> {coil.strides = #sym.shape<[1, 2]>}, tensor<6xf32>,
    tensor<3x2xf32> {coil.strides = #sym.shape<[1, 3]>}) {
  // CHECK: %[[I:.+]] = wrapper.alloc
  // CHECK: wrapper.launch @iota_0
  %0 = loop.kernel "iota" [2, 3] () : () -> tensor<2x3xf32> {
    %i = loop.index <d1>
    %f = arith.sitofp %i : i64 to f32
    loop.store %f, 0 [d0, d1] : f32
  }
  // CHECK: %[[V:.+]] = wrapper.reinterpret %[[I]] at <0> : {{.+}} to !wrapper.buffer<[6], f32
  %1 = loop.view %0[d0 floordiv 3, d0 mod 3] : tensor<2x3xf32> -> tensor<6xf32>
  // CHECK: %[[T:.+]] = wrapper.reinterpret %[[I]] at <0> : {{.+}} to !wrapper.buffer<[3, 2], strides = [1, 3]
  %2 = loop.view %0[d1, d0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: %[[A:.+]] = wrapper.alloc
  // CHECK: wrapper.copy %{{.+}} to %[[A]]
  // CHECK: %[[B:.+]] = wrapper.alloc
  // CHECK: wrapper.launch @copy_1[] ins(%[[I]] : {{.+}}) outs(%[[B]] : {{.+}})
  // CHECK: wrapper.return %[[A]], %[[B]], %[[V]], %[[T]]
  return %x, %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<3x2xf32>
}

// -----

// A view whose elements are not evenly spaced is a kernel; a literal is part
// of the program.
// CHECK: wrapper.kernel @copy_0(
// CHECK: wrapper.kernel @k_1(
// CHECK-NOT: in_place
// CHECK-LABEL: wrapper.func @uneven_view
func.func @uneven_view() -> tensor<2xf32> {
  // CHECK: %[[C:.+]] = wrapper.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32> to !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: wrapper.launch @copy_0[] ins(%[[C]] : {{.+}}) outs(%[[A:.+]] : {{.+}})
  %v = loop.view %c[d0 floordiv 2] : tensor<4xf32> -> tensor<8xf32>
  // CHECK: wrapper.launch @k_1[] ins(%[[A]] : {{.+}})
  %0 = loop.kernel "k" [2] (%a = %v) : (tensor<8xf32>) -> tensor<2xf32> {
    %v0 = loop.load %a[d0 * 4] : tensor<8xf32> -> f32
    loop.store %v0, 0 [d0] : f32
  }
  return %0 : tensor<2xf32>
}

// -----

// An operand that is given twice is two inputs.
// CHECK: wrapper.kernel @add_0(%[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>)
// CHECK-SAME: in_place = array<i64: 0, 0, 1, 0>
// CHECK: loop.kernel "add" [4] (%{{.+}} = %[[A]], %{{.+}} = %[[B]])
// CHECK-LABEL: wrapper.func private @twice
// CHECK: ins(%arg0, %arg0 :
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.kernel "add" [4] (%a = %x, %b = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %p = loop.load %a[d0] : tensor<4xf32> -> f32
    %q = loop.load %b[d0] : tensor<4xf32> -> f32
    %s = arith.addf %p, %q : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// Points that share an element would read what another one wrote.
// CHECK: wrapper.kernel @halves_0
// CHECK-NOT: in_place
// CHECK-LABEL: wrapper.func @shared_element
func.func @shared_element(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.kernel "halves" [8] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %p = loop.load %a[d0 floordiv 2] : tensor<4xf32> -> f32
    %q = arith.addf %p, %p : f32
    loop.store %q, 0 [d0 floordiv 2] : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// The result of a scatter starts as a copy of its target, which the kernel then
// reads and writes in place.
// CHECK: wrapper.kernel @scatter_0
// CHECK-SAME: in_place = array<i64: 0, 0>
// CHECK-LABEL: wrapper.func @scatter
// CHECK: %[[Y:.+]] = wrapper.alloc
// CHECK: wrapper.copy %arg0 to %[[Y]]
// CHECK: wrapper.launch @scatter_0[] ins(%[[Y]], %arg1 : {{.*}} outs(%[[Y]] :
func.func @scatter(%x: tensor<4x6xf32>, %i: tensor<3xi64>) -> tensor<4x6xf32> {
  %0 = loop.kernel "scatter" [3, 6] (%a = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    loop.scatter %v into %a[t0, d1](%p) bounds check as 0 over [0] : f32, tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// What the kernel also reads stays as it was.
// CHECK: wrapper.kernel @scatter_0
// CHECK-NOT: in_place
// CHECK-LABEL: wrapper.func @read_target
// CHECK: wrapper.copy %arg0 to %[[Y:.+]] :
// CHECK: wrapper.launch @scatter_0[] ins(%arg0, %arg1 : {{.*}} outs(%[[Y]] :
func.func @read_target(%x: tensor<4x6xf32>, %i: tensor<3xi64>) -> tensor<4x6xf32> {
  %0 = loop.kernel "scatter" [3, 6] (%a = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = loop.load %a[t0, d1](%p) bounds check : tensor<4x6xf32> -> f32
    loop.scatter sum %v into %a[t0, d1](%p) bounds check as 0 over [0] : f32, tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// A target of another layout is copied by a kernel.
// CHECK: wrapper.kernel @copy_0
// CHECK-LABEL: wrapper.func @strided_target
// CHECK-NOT: wrapper.copy
// CHECK: wrapper.launch @copy_0[] ins(%arg0 : {{.*}} outs(%[[Y:.+]] :
// CHECK: wrapper.launch @scatter_1[] ins(%[[Y]] : {{.*}} outs(%[[Y]] :
func.func @strided_target(%x: tensor<4x6xf32> {coil.strides = #sym.shape<[1, 4]>}) -> tensor<4x6xf32> {
  %0 = loop.kernel "scatter" [6] (%a = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %v = arith.constant 1.0 : f32
    loop.scatter %v into %a[0, d0] as 0 over [] : f32, tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// Only the caller uses it: written in the caller's layout.
// CHECK-LABEL: wrapper.kernel @negate_0
// CHECK-SAME: output_strides = [#sym.shape<[1, 4]>]
// CHECK: wrapper.func @returned_layout
// CHECK: %[[Y:.*]] = wrapper.alloc : !wrapper.buffer<[4, 6], strides = [1, 4], f32,
// CHECK-NEXT: wrapper.launch @negate_0
// CHECK-NEXT: wrapper.return %[[Y]]
func.func @returned_layout(%x: tensor<4x6xf32>) -> (tensor<4x6xf32> {coil.strides = #sym.shape<[1, 4]>}) {
  %0 = loop.kernel "negate" [4, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %1 = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    %2 = arith.negf %1 : f32
    loop.store %2, 0[d0, d1] : f32
  }
  return %0 : tensor<4x6xf32>
}

// -----

// A layout with gaps is one for copies.
// CHECK-LABEL: wrapper.func @gaps
// CHECK: wrapper.launch @negate_0
// CHECK: wrapper.launch @copy_1
func.func @gaps(%x: tensor<4x6xf32>) -> (tensor<4x6xf32> {coil.strides = #sym.shape<[8, 1]>}) {
  %0 = loop.kernel "negate" [4, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %1 = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    %2 = arith.negf %1 : f32
    loop.store %2, 0[d0, d1] : f32
  }
  return %0 : tensor<4x6xf32>
}

// -----

// Rows and columns are next to each other on both sides: one dimension.
// CHECK-LABEL: wrapper.kernel @copy_0
// CHECK: loop.kernel "copy" [2, 35, 3]
// CHECK: loop.load %{{.*}}[d0, d1 floordiv 7, d1 mod 7, d2]
// CHECK: loop.store %{{.*}}, 0[d0, d1 floordiv 7, d1 mod 7, d2]
func.func @channels_last(%x: tensor<2x3x5x7xf32>) -> tensor<2x5x7x3xf32> {
  %0 = loop.view %x[d0, d3, d1, d2] : tensor<2x3x5x7xf32> -> tensor<2x5x7x3xf32>
  return %0 : tensor<2x5x7x3xf32>
}

// -----

// A copy walks memory in the order of its result: here all of it at once.
// CHECK-LABEL: wrapper.kernel @copy_0
// CHECK: loop.kernel "copy" [210]
// CHECK: loop.load %{{.*}}[d0 floordiv 105, (d0 floordiv 35) mod 3, d0 mod 7, (d0 floordiv 7) mod 5]
func.func @copies_in_order(%x: tensor<2x3x5x7xf32>)
    -> (tensor<2x3x7x5xf32> {coil.strides = #sym.shape<[105, 35, 1, 7]>}) {
  %0 = loop.view %x[d0, d1, d3, d2] : tensor<2x3x5x7xf32> -> tensor<2x3x7x5xf32>
  return %0 : tensor<2x3x7x5xf32>
}

// -----

// Elements that both sides repeat are copied once.
// CHECK-LABEL: wrapper.kernel @copy_0
// CHECK: loop.kernel "copy" [12]
// CHECK: loop.store %{{.*}}, 0[d0 floordiv 4, 0, d0 mod 4]
func.func @copies_once(%x: tensor<3x1x4xf32>)
    -> (tensor<3x9x4xf32> {coil.strides = #sym.shape<[4, 0, 1]>}) {
  %0 = loop.view %x[d0, 0, d2] : tensor<3x1x4xf32> -> tensor<3x9x4xf32>
  return %0 : tensor<3x9x4xf32>
}

// -----

// A sort writes the results that somebody uses; one without any is gone. What
// it reads is contiguous: a transposed view is copied.
// CHECK-LABEL: wrapper.func @sort
// CHECK:         %[[V:.+]] = wrapper.alloc : !wrapper.buffer<[4, 8], f32
// CHECK:         %[[I:.+]] = wrapper.alloc : !wrapper.buffer<[4, 8], i64
// CHECK:         wrapper.sort "runtime" %arg0 dim 1 values(%[[V]] : {{.*}}) indices(%[[I]] :
// CHECK:         wrapper.launch @copy_0[] ins(%{{.*}}) outs(%[[C:.+]] : !wrapper.buffer<[8, 4], f32
// CHECK:         %[[J:.+]] = wrapper.alloc : !wrapper.buffer<[8, 2], i64
// CHECK:         wrapper.sort "runtime" %[[C]] dim 1 descending indices(%[[J]] :
// CHECK-NOT:     wrapper.sort
// CHECK:         wrapper.return
func.func @sort(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>, tensor<8x2xi64>) {
  %v, %i = loop.sort "runtime" %x dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %t = loop.view %x[d1, d0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %w, %j = loop.sort "runtime" %t dim 1 descending : (tensor<8x4xf32>) -> (tensor<8x2xf32>, tensor<8x2xi64>)
  %u, %k = loop.sort "runtime" %x dim 0 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %v, %i, %j : tensor<4x8xf32>, tensor<4x8xi64>, tensor<8x2xi64>
}

// -----

// A result that is returned in another order of its dimensions is written in that order.
// CHECK: wrapper.kernel @neg_0
// CHECK-SAME: output_strides = [#sym.shape<[1, 5]>]
// CHECK: wrapper.func @permuted
// CHECK: %[[B:.+]] = wrapper.alloc : !wrapper.buffer<[5, 7], strides = [1, 5], f32
// CHECK: wrapper.launch @neg_0
// CHECK: %[[R:.+]] = wrapper.reinterpret %[[B]] at <0> : {{.+}} to !wrapper.buffer<[7, 5], f32
// CHECK: wrapper.return %[[R]]
func.func @permuted(%x: tensor<5x7xf32>) -> tensor<7x5xf32> {
  %0 = loop.kernel "neg" [5, 7] (%a = %x) : (tensor<5x7xf32>) -> tensor<5x7xf32> {
    %v = loop.load %a[d0, d1] : tensor<5x7xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  %1 = loop.view %0[d1, d0] : tensor<5x7xf32> -> tensor<7x5xf32>
  return %1 : tensor<7x5xf32>
}

// -----

// Not where rows are reduced, whose elements would be written one by one: a copy follows.
// CHECK: wrapper.kernel @sub_0
// CHECK-SAME: output_strides = [#sym.shape<[7, 1]>]
// CHECK: wrapper.func @permuted_rows
// CHECK: wrapper.launch @copy_1
func.func @permuted_rows(%x: tensor<5x7xf32>) -> tensor<7x5xf32> {
  %0 = loop.kernel "sub" [5, 7] (%a = %x) : (tensor<5x7xf32>) -> tensor<5x7xf32> {
    %v = loop.load %a[d0, d1] : tensor<5x7xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %n = arith.subf %v, %m : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  %1 = loop.view %0[d1, d0] : tensor<5x7xf32> -> tensor<7x5xf32>
  return %1 : tensor<7x5xf32>
}

// -----

// Nor where operands and result are walked along three dimensions: a tile has two.
// CHECK: wrapper.kernel @add_0
// CHECK-SAME: output_strides = [#sym.shape<[77, 11, 1]>]
// CHECK: wrapper.func @three_orders
// CHECK: wrapper.launch @copy_1
func.func @three_orders(%x: tensor<5x7x11xf32>, %y: tensor<5x7x11xf32> {coil.strides = #sym.shape<[77, 1, 7]>}) -> tensor<7x11x5xf32> {
  %0 = loop.kernel "add" [5, 7, 11] (%a = %x, %b = %y) : (tensor<5x7x11xf32>, tensor<5x7x11xf32>) -> tensor<5x7x11xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<5x7x11xf32> -> f32
    %w = loop.load %b[d0, d1, d2] : tensor<5x7x11xf32> -> f32
    %n = arith.addf %v, %w : f32
    loop.store %n, 0 [d0, d1, d2] : f32
  }
  %1 = loop.view %0[d2, d0, d1] : tensor<5x7x11xf32> -> tensor<7x11x5xf32>
  return %1 : tensor<7x11x5xf32>
}
