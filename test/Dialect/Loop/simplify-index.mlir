// RUN: coil-opt %s --loop-fold-views --split-input-file | FileCheck %s --check-prefixes=CHECK,FOLD
// RUN: coil-opt %s --loop-fold-views --loop-simplify-index --split-input-file | FileCheck %s --check-prefixes=CHECK,SIMPLE

// Views compose into the loads and disappear.
// CHECK-LABEL: @fold_chain
// CHECK-NOT:   loop.view
// FOLD:        loop.load %{{.+}}[d1, d0] : tensor<4x6xf32> -> f32
func.func @fold_chain(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %f = loop.view %x[d0 floordiv 6, d0 mod 6] : tensor<4x6xf32> -> tensor<24xf32>
  %s = loop.view %f[d0 * 6 + d1] : tensor<24xf32> -> tensor<4x6xf32>
  %t = loop.view %s[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %y = loop.kernel "neg" [6, 4] (%a = %t) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<6x4xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  return %y : tensor<6x4xf32>
}

// -----

// An indirect index that is checked must stay alone: the view stays.
// CHECK-LABEL: @loop_fold_views_c1
// CHECK:       loop.view
// CHECK:       loop.load %{{.+}}[t0](%{{.+}}) bounds check
func.func @loop_fold_views_c1(%x: tensor<4x6xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %f = loop.view %x[d0 floordiv 6, d0 mod 6] : tensor<4x6xf32> -> tensor<24xf32>
  %y = loop.kernel "take" [3] (%a = %f, %b = %i) : (tensor<24xf32>, tensor<3xi64>) -> tensor<3xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = loop.load %a[t0](%p) bounds check : tensor<24xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %y : tensor<3xf32>
}

// -----

// Contiguous dimensions become one; the symbolic size multiplies.
// CHECK-LABEL: @merge_dims
// SIMPLE:      loop.kernel "neg" [s0 * 6]
// SIMPLE:      loop.load %{{.+}}[d0 floordiv 6, d0 mod 6]
func.func @merge_dims(%x: tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x6xf32, #sym.shape<[s0, 6]>> {
  %y = loop.kernel "neg" [s0, 6] (%a = %x) : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x6xf32, #sym.shape<[s0, 6]>> {
    %v = loop.load %a[d0, d1] : tensor<?x6xf32, #sym.shape<[s0, 6]>> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  return %y : tensor<?x6xf32, #sym.shape<[s0, 6]>>
}

// -----

// A broadcast operand walks the two dimensions differently.
// CHECK-LABEL: @loop_simplify_index_c1
// CHECK:       loop.kernel "add" [4, 6]
func.func @loop_simplify_index_c1(%x: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %y = loop.kernel "add" [4, 6] (%a = %x, %c = %b) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    %w = loop.load %c[d1] : tensor<6xf32> -> f32
    %n = arith.addf %v, %w : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  return %y : tensor<4x6xf32>
}

// -----

// A dimension of size one is always at zero.
// CHECK-LABEL: @unit_dims
// SIMPLE:      loop.kernel "neg" [6]
// SIMPLE:      loop.load %{{.+}}[0, d0]
func.func @unit_dims(%x: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %y = loop.kernel "neg" [1, 6] (%a = %x) : (tensor<1x6xf32>) -> tensor<1x6xf32> {
    %v = loop.load %a[d0, d1] : tensor<1x6xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  return %y : tensor<1x6xf32>
}

// -----

// Results are shared between kernels of equal facts, and only between those:
// one expression where the range proves it trivial, where another range does
// not, and where another extent does not.
// CHECK-LABEL: @facts_prove
// SIMPLE:      loop.load %{{.+}}[d0] :
func.func @facts_prove(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<4xf32>
    attributes {sym.symbols = {s0 = #sym.range<4, 8>}} {
  %y = loop.kernel "neg" [4] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<4xf32> {
    %v = loop.load %a[d0 mod s0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %y : tensor<4xf32>
}
// CHECK-LABEL: @other_range
// SIMPLE:      loop.load %{{.+}}[d0 mod s0] :
func.func @other_range(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<4xf32>
    attributes {sym.symbols = {s0 = #sym.range<2, 8>}} {
  %y = loop.kernel "neg" [4] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<4xf32> {
    %v = loop.load %a[d0 mod s0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %y : tensor<4xf32>
}
// CHECK-LABEL: @other_extent
// SIMPLE:      loop.load %{{.+}}[d0 mod s0] :
func.func @other_extent(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<8xf32>
    attributes {sym.symbols = {s0 = #sym.range<4, 8>}} {
  %y = loop.kernel "neg" [8] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<8xf32> {
    %v = loop.load %a[d0 mod s0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// A scatter's ordered dimensions are joined, the others keep their names.
// CHECK-LABEL: @scatter
// SIMPLE:      loop.kernel "scatter" [6, 4, 5]
// SIMPLE:      loop.load %{{.+}}[d0 floordiv 3, d0 mod 3] : tensor<2x3xi64> -> i64
// SIMPLE:      loop.scatter %{{.+}} into %{{.+}}[t0, d1, d2](%{{.+}}) as 0 over [0]
func.func @scatter(%x: tensor<7x4x5xf32>, %i: tensor<2x3xi64>, %s: tensor<2x3x4x5xf32>) -> tensor<7x4x5xf32> {
  %0 = loop.kernel "scatter" [2, 3, 4, 5] (%a = %x, %b = %i, %c = %s) : (tensor<7x4x5xf32>, tensor<2x3xi64>, tensor<2x3x4x5xf32>) -> tensor<7x4x5xf32> {
    %p = loop.load %b[d0, d1] : tensor<2x3xi64> -> i64
    %v = loop.load %c[d0, d1, d2, d3] : tensor<2x3x4x5xf32> -> f32
    loop.scatter %v into %a[t0, d2, d3](%p) as 0 over [0, 1] : f32, tensor<7x4x5xf32>
  }
  return %0 : tensor<7x4x5xf32>
}

// -----

// One ordered dimension stays, though its size is one.
// CHECK-LABEL: @scan
// SIMPLE:      loop.kernel "scan" [1, 24]
// SIMPLE:      loop.scan sum %{{.+}} over [0]
func.func @scan(%x: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %0 = loop.kernel "scan" [1, 4, 6] (%a = %x) : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<1x4x6xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1, d2] : f32
  }
  return %0 : tensor<1x4x6xf32>
}
