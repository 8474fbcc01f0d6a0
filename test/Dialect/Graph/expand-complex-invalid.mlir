// RUN: coil-opt %s --graph-expand-complex --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'aten.sort.default' is not computed for complex numbers}}
  %0:2 = graph.aten "aten.sort.default"(%x) ["self"] {} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xi64>)
  return %0#0 : tensor<4xcomplex<f32>>
}

// -----

func.func @training(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'aten.dropout.default' of complex numbers is not computed: it is in training mode}}
  %0 = graph.aten "aten.dropout.default"(%x) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @distances(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'aten.gradient.tensorarray' of complex numbers is not computed: the order at its ends is neither 1 nor 2}}
  %0 = graph.aten "aten.gradient.tensorarray"(%x, %y) ["self", "spacing.0"] {dim = array<i64: 0>, edge_order = 3 : i64} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @order(%x: tensor<0x3xcomplex<f32>>) -> tensor<f32> {
  // expected-error @below {{'aten.linalg_matrix_norm.default' of complex numbers is not computed: a dimension has size zero}}
  %0 = graph.aten "aten.linalg_matrix_norm.default"(%x) ["self"] {ord = -2 : i64, dim = array<i64: -2, -1>, keepdim = false} : (tensor<0x3xcomplex<f32>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @real_operands(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4xcomplex<f32>> {
  // expected-error @below {{'aten.linear.default' of complex numbers is not computed: its operands are real and its result is complex}}
  %0 = graph.aten "aten.linear.default"(%x, %w, %b) ["input", "weight", "bias"] {} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xcomplex<f32>>
  return %0 : tensor<2x4xcomplex<f32>>
}

// -----

func.func @largest_at_positions(%x: tensor<3x4xcomplex<f32>>, %i: tensor<2x4xi64>, %y: tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
  // expected-error @below {{'aten.scatter_reduce.two' of complex numbers is not computed: complex numbers have no order}}
  %0 = graph.aten "aten.scatter_reduce.two"(%x, %i, %y) ["self", "index", "src"] {dim = 0 : i64, reduce = "amax", include_self = true} : (tensor<3x4xcomplex<f32>>, tensor<2x4xi64>, tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return %0 : tensor<3x4xcomplex<f32>>
}

// -----

// expected-error @below {{a dynamic size of a complex tensor has no expression}}
func.func @no_sizes(%x: tensor<?xcomplex<f32>>) {
  return
}
