// RUN: coil-opt %s --graph-expand-complex --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'aten.sort.default' is not computed for complex numbers}}
  %0:2 = graph.aten "aten.sort.default"(%x) ["self"] {} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xi64>)
  return %0#0 : tensor<4xcomplex<f32>>
}

// -----

func.func @symbolic_product(%x: tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<complex<f32>> attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  // expected-error @below {{'aten.prod.default' of complex numbers is not computed: products of complex numbers need a constant size}}
  %0 = graph.aten "aten.prod.default"(%x) ["self"] {} : (tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
