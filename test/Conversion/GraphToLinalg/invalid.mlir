// RUN: coil-opt %s --convert-graph-to-linalg --split-input-file --verify-diagnostics

func.func @convert_graph_to_linalg_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'math.exp' op has no form in linalg: it is no operator of 'graph'}}
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{has branches between blocks; operators are converted in functions of one block}}
func.func @convert_graph_to_linalg_c1_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^a
^a:
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{has an argument or a result that is no tensor of 'graph'}}
func.func @convert_graph_to_linalg_c1_argument(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @convert_graph_to_linalg_c2(%x: tensor<?xf32, #sym.shape<[s0 * 2]>>) -> tensor<?xf32, #sym.shape<[s0 * 2]>>
    attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  // expected-error@+1 {{'graph.exp' op has no form in linalg: a size of its result is no expression over sizes of arguments}}
  %0 = graph.exp %x : (tensor<?xf32, #sym.shape<[s0 * 2]>>) -> tensor<?xf32, #sym.shape<[s0 * 2]>>
  return %0 : tensor<?xf32, #sym.shape<[s0 * 2]>>
}

// -----

func.func @convert_graph_to_linalg_c3(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error@+1 {{'graph.scan' op has no form in linalg: no conversion of it is known}}
  %1 = graph.scan sum, %0 dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

func.func @convert_graph_to_linalg_c3_runtime(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'graph.special' op has no form in linalg: a function of it has no operation in 'math'}}
  %0 = graph.special lgamma, %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
