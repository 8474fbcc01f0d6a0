// RUN: coil-opt %s --graph-legalize-aten --graph-verify-contract --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operator 'aten.foo.default' is not supported: there is no lowering for it}}
  %0 = graph.aten "aten.foo.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  // An operator is reported once.
  %1 = graph.aten "aten.foo.default"(%0) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @random(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operator 'aten._fused_dropout.default' is not supported: random numbers of its distribution are not drawn}}
  %0:2 = graph.aten "aten._fused_dropout.default"(%x) ["self"] {p = 0.5 : f64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui8>)
  return %0#0 : tensor<4xf32>
}

// -----

func.func @training(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operator 'aten.alpha_dropout.default' is not supported: its probability is not between 0 and 1}}
  %0 = graph.aten "aten.alpha_dropout.default"(%x) ["input"] {p = 1.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @mutation(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operator 'aten.foo_.default' is not supported: it updates its operand in place, which only the importer of exported programs resolves}}
  %0 = graph.aten "aten.foo_.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @wrong_type(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{operator 'aten.relu.default' is not supported: result 0 is declared with sizes [5] but computed with [4]}}
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @missing_operand() -> tensor<4xf32> {
  // expected-error@+1 {{operator 'aten.relu.default' is not supported: its operand is missing}}
  %0 = graph.aten "aten.relu.default"() [] {} : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_size(%x: tensor<4xf32>) -> tensor<?xf32, #sym.shape<[u0]>> {
  // expected-error@+1 {{operator 'aten.relu.default' is not supported: data decides the size 'u0' of a result, and it is not known how}}
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {} defines ["u0"] : (tensor<4xf32>) -> tensor<?xf32, #sym.shape<[u0]>>
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// -----

func.func @mask_of_other_sizes(%x: tensor<4xf32>, %m: tensor<5xi1>) -> tensor<?xf32, #sym.shape<[u0]>> {
  // expected-error@+1 {{operator 'aten.index.Tensor' is not supported: a mask does not have the sizes of what it selects from}}
  %0 = graph.aten "aten.index.Tensor"(%x, %m) ["self", "indices.0"] {} defines ["u0"] : (tensor<4xf32>, tensor<5xi1>) -> tensor<?xf32, #sym.shape<[u0]>>
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// -----

func.func @other_rank(%x: tensor<4x3xf32>) -> tensor<4x?x3xf32, #sym.shape<[4, u0, 3]>> {
  // expected-error@+1 {{operator 'aten.unique_consecutive.default' is not supported: its result is declared with another rank than its operand has}}
  %0 = graph.aten "aten.unique_consecutive.default"(%x) ["self"] {dim = 1 : i64, return_inverse = false, return_counts = false} defines ["u0"] : (tensor<4x3xf32>) -> tensor<4x?x3xf32, #sym.shape<[4, u0, 3]>>
  return %0 : tensor<4x?x3xf32, #sym.shape<[4, u0, 3]>>
}

// -----

// A number of the host is no constant.
func.func @numbers(%x: tensor<4xf32>, %n: tensor<f64>) -> tensor<4xf32> attributes {sym.symbols = {u0 = #sym.range<0, 4>}} {
  // expected-error@+1 {{operator 'aten.hardtanh.default' is not supported: its argument 'min_val' is not constant, which it has to be}}
  %0 = graph.aten "aten.hardtanh.default"(%x, %n) ["self", "min_val"] {max_val = 4.0 : f64} numbers ["min_val"] : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Types that no operator computes with are refused before any handler runs.
func.func @strange_types(%x: tensor<4xcomplex<f32>>, %y: tensor<?xf32>) {
  // expected-error@+1 {{operator 'aten.relu.default' is not supported: elements of type complex<f32> are not computed}}
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error@+1 {{operator 'aten.neg.default' is not supported: a dynamic size has no expression}}
  %1 = graph.aten "aten.neg.default"(%y) ["self"] {} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @wrong_number_of_results(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{operator 'aten.relu.default' is not supported: there is no lowering for it}}
  graph.aten "aten.relu.default"(%x) ["self"] {} : (tensor<4x4xf32>) -> ()
  // expected-error@+1 {{operator 'aten.max.dim' is not supported: it has no positions}}
  %0 = graph.aten "aten.max.dim"(%x) ["self"] {dim = 0 : i64} : (tensor<4x4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{operator 'aten.abs.default' is not supported: it has 2 results instead of 1}}
  %1:2 = graph.aten "aten.abs.default"(%x) ["self"] {} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return
}

// -----

func.func @wrong_ranks(%x: tensor<2x3x4xf32>, %w: tensor<f32>) {
  // expected-error@+1 {{operator 'aten.batch_norm.default' is not supported: 'running_mean' is not a vector}}
  %0 = graph.aten "aten.batch_norm.default"(%x, %w, %w) ["input", "running_mean", "running_var"] {training = false} : (tensor<2x3x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x3x4xf32>
  // expected-error@+1 {{operator 'aten.slice.Tensor' is not supported: its dimension is not constant}}
  %1 = graph.aten "aten.slice.Tensor"(%x) ["self"] {dim = 2 : i64, step = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2xf32>
  // expected-error@+1 {{operator 'aten.conv1d.default' is not supported: its operands have ranks that do not fit}}
  %2 = graph.aten "aten.conv1d.default"(%w, %x) ["input", "weight"] {stride = array<i64: 1>} : (tensor<f32>, tensor<2x3x4xf32>) -> tensor<2xf32>
  return
}

// -----

// Sizes that come out negative are no tensor types, and no crash.
func.func @negative_sizes(%x: tensor<1x1x3xf32>, %w: tensor<1x1x9xf32>) {
  // expected-error@+1 {{operator 'aten.repeat.default' is not supported: result 0 is declared with sizes [1, 1, 3] but computed with [1, 1, -12]}}
  %0 = graph.aten "aten.repeat.default"(%x) ["self"] {repeats = array<i64: 1, 1, -4>} : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  // expected-error@+1 {{operator 'aten.conv1d.default' is not supported: result 0 is declared with sizes [1, 1, 1] but computed with [1, 1, -5]}}
  %1 = graph.aten "aten.conv1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>} : (tensor<1x1x3xf32>, tensor<1x1x9xf32>) -> tensor<1x1x1xf32>
  // expected-error@+1 {{operator 'aten.constant_pad_nd.default' is not supported: result 0 is declared with sizes [1, 1, 3] but computed with [1, 1, -1]}}
  %2 = graph.aten "aten.constant_pad_nd.default"(%x) ["self"] {pad = array<i64: -4, 0>, value = 0 : i64} : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return
}
