// RUN: coil-opt %s --graph-expand-complex --split-input-file | FileCheck %s

// A complex argument is one tensor of parts at the border, and strides count
// parts. What is linear is called for each part.
// CHECK-LABEL: func.func @structure(
// CHECK-SAME:    %[[X:.*]]: tensor<4x3x2xf32> {coil.complex, coil.strides = #sym.shape<[2, 8, 1]>})
// CHECK-SAME:    -> (tensor<3x4x2xf32> {coil.complex})
// CHECK:         %[[RE:.*]] = graph.reshape
// CHECK:         %[[IM:.*]] = graph.reshape
// CHECK:         %[[A:.*]] = graph.aten "aten.permute.default"(%[[RE]]) ["self"] {dims = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK:         %[[B:.*]] = graph.aten "aten.permute.default"(%[[IM]])
// CHECK:         graph.cat
// CHECK-NOT:     complex<
func.func @structure(%x: tensor<4x3xcomplex<f32>> {coil.strides = #sym.shape<[1, 4]>}) -> tensor<3x4xcomplex<f32>> {
  %0 = graph.aten "aten.permute.default"(%x) ["self"] {dims = array<i64: 1, 0>} : (tensor<4x3xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return %0 : tensor<3x4xcomplex<f32>>
}

// -----

// Two complex factors are four products, a real one leaves two.
// CHECK-LABEL: func.func @products
// CHECK-COUNT-4: graph.aten "aten.mm.default"({{.*}}) ["self", "mat2"] {} : (tensor<4x3xf64>, tensor<3x5xf64>)
// CHECK-NOT:     "aten.mm.default"({{.*}}) ["self", "mat2"] {} : (tensor<4x3xf64>, tensor<3x5xf64>)
// CHECK-COUNT-2: graph.aten "aten.mm.default"({{.*}}) ["self", "mat2"] {} : (tensor<4x5xf64>, tensor<5x2xf64>)
// CHECK-NOT:     "aten.mm.default"
// CHECK:         return
func.func @products(%x: tensor<4x3xcomplex<f64>>, %y: tensor<3x5xcomplex<f64>>, %z: tensor<5x2xf64>) -> tensor<4x2xcomplex<f64>> {
  %0 = graph.aten "aten.mm.default"(%x, %y) ["self", "mat2"] {} : (tensor<4x3xcomplex<f64>>, tensor<3x5xcomplex<f64>>) -> tensor<4x5xcomplex<f64>>
  %1 = graph.aten "aten.mm.default"(%0, %z) ["self", "mat2"] {} : (tensor<4x5xcomplex<f64>>, tensor<5x2xf64>) -> tensor<4x2xcomplex<f64>>
  return %1 : tensor<4x2xcomplex<f64>>
}

// -----

// Numbers among the arguments have parts, too; a real result has none.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME:    -> tensor<?xf32, #sym.shape<[s0]>>
// CHECK-DAG:     graph.full 1.000000e+00 : f32 -> tensor<f32>
// CHECK-DAG:     graph.full 2.000000e+00 : f32 -> tensor<f32>
// CHECK:         graph.hypot
func.func @numbers(%x: tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %0 = graph.aten "aten.add.Tensor"(%x) ["self"] {alpha = 1 : i64, other = {imag = 2.0 : f64, real = 1.0 : f64}} : (tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<?xcomplex<f32>, #sym.shape<[s0]>>
  %1 = graph.aten "aten.abs.default"(%0) ["self"] {} : (tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return %1 : tensor<?xf32, #sym.shape<[s0]>>
}

// -----

// Values that branches and loops carry are one tensor.
// CHECK-LABEL: func.func @branch
// CHECK:         %[[R:.*]] = graph.if {{.*}} -> (tensor<4x2xf32>)
// CHECK:           graph.yield %{{.*}} : tensor<4x2xf32>
func.func @branch(%p: tensor<i1>, %x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = graph.if %p : tensor<i1> -> (tensor<4xcomplex<f32>>) {
    %1 = graph.aten "aten.neg.default"(%x) ["self"] {} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    graph.yield %1 : tensor<4xcomplex<f32>>
  } else {
    graph.yield %x : tensor<4xcomplex<f32>>
  }
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// Programs without complex numbers stay as they are.
// CHECK-LABEL: func.func @real
// CHECK-NEXT:    graph.aten "aten.abs.default"(%{{.*}})
// CHECK-NEXT:    return
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.abs.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Random numbers are drawn as parts; of normal ones each has half of the
// variance.
// CHECK-LABEL: func.func @random
// CHECK:         graph.aten "aten.uniform.default"(%{{.*}}) ["self"] {from = 1.000000e+00 : f64, to = 2.000000e+00 : f64} : (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK:         graph.aten "aten.randn.default"() [] {{.*}} : () -> tensor<4x2xf32>
// CHECK-COUNT-2: graph.mul
func.func @random(%x: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  %0 = graph.aten "aten.uniform.default"(%x) ["self"] {from = 1.0 : f64, to = 2.0 : f64} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = graph.aten "aten.randn.default"() [] {size = array<i64: 4>, dtype = complex<f32>} : () -> tensor<4xcomplex<f32>>
  return %0, %1 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
}

// -----

// Ones are real.
// CHECK-LABEL: func.func @ones
// CHECK:         %[[RE:.*]] = graph.aten "aten.ones.default"() [] {{.*}} : () -> tensor<4xf64>
// CHECK:         %[[IM:.*]] = graph.full 0.000000e+00 : f64
func.func @ones() -> tensor<4xcomplex<f64>> {
  %0 = graph.aten "aten.ones.default"() [] {size = array<i64: 4>, dtype = complex<f64>} : () -> tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}

// -----

// The product of any number of elements: in each step of a loop the distance of
// what is multiplied doubles. The first is 1.
// CHECK-LABEL: func.func @product
// CHECK:         graph.cat %{{.*}} : (tensor<1xf32>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0 + 1]>>
// CHECK:         %[[L:.*]]:3 = graph.while
// CHECK:         graph.condition
// CHECK-COUNT-2: graph.index
// CHECK-COUNT-2: graph.select
// CHECK-COUNT-2: graph.slice %[[L]]
func.func @product(%x: tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<complex<f32>> attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %0 = graph.aten "aten.prod.default"(%x) ["self"] {} : (tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}

// -----

// The norm of a difference is not the difference of norms.
// CHECK-LABEL: func.func @distance
// CHECK:         %[[D:.*]] = graph.hypot
// CHECK:         graph.aten "aten.dist.default"(%[[D]], %{{.*}}) ["self", "other"]
func.func @distance(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<f32> {
  %0 = graph.aten "aten.dist.default"(%x, %y) ["self", "other"] {p = 2 : i64} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Positions in memory are those of complex elements, which lie row by row.
// CHECK-LABEL: func.func @strided
// CHECK-COUNT-2: graph.aten "aten.as_strided.default"({{.*}}) ["self"] {{.*}} {graph.row_by_row} : (tensor<6xf32>) -> tensor<2x2xf32>
func.func @strided(%x: tensor<6xcomplex<f32>>) -> tensor<2x2xcomplex<f32>> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 2, 2>, stride = array<i64: 1, 3>, storage_offset = 1 : i64} : (tensor<6xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  return %0 : tensor<2x2xcomplex<f32>>
}

// -----

// Positions may occur several times, and there is no atomic product of two parts: a loop multiplies what stands at one
// place of the index at once.
// CHECK-LABEL: func.func @products_at_positions
// CHECK:         graph.while
// CHECK-COUNT-2: graph.gather
// CHECK-COUNT-2: graph.scatter
// CHECK:         graph.yield
func.func @products_at_positions(%x: tensor<3x4xcomplex<f32>>, %i: tensor<2x4xi64>, %y: tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
  %0 = graph.aten "aten.scatter_reduce.two"(%x, %i, %y) ["self", "index", "src"] {dim = 0 : i64, reduce = "prod", include_self = true} : (tensor<3x4xcomplex<f32>>, tensor<2x4xi64>, tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return %0 : tensor<3x4xcomplex<f32>>
}

// -----

// Both parts are selected by one mask, which is counted once.
// CHECK-LABEL: func.func @data_decides(
// CHECK:         "aten.index.Tensor"(%{{.+}}, %arg1) ["self", "indices.0"] {} defines ["u0"] : (tensor<4xf32>, tensor<4xi1>)
// CHECK:         "aten.index.Tensor"(%{{.+}}, %arg1) ["self", "indices.0"] {} : (tensor<4xf32>, tensor<4xi1>)
func.func @data_decides(%x: tensor<4xcomplex<f32>>, %m: tensor<4xi1>) -> tensor<?xcomplex<f32>, #sym.shape<[u0]>> {
  %0 = graph.aten "aten.index.Tensor"(%x, %m) ["self", "indices.0"] {} defines ["u0"] : (tensor<4xcomplex<f32>>, tensor<4xi1>) -> tensor<?xcomplex<f32>, #sym.shape<[u0]>>
  return %0 : tensor<?xcomplex<f32>, #sym.shape<[u0]>>
}
