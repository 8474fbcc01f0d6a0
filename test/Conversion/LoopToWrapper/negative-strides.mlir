// RUN: coil-compile %s --to=wrapper | FileCheck %s

// No buffer has negative strides, which neither frameworks nor libraries know: what
// is reversed is copied where it is a result or goes to a library.

// CHECK-LABEL: wrapper.func @main
// CHECK-NOT:   strides = [-
// CHECK:       wrapper.launch
// CHECK-NOT:   strides = [-
// CHECK:       wrapper.return
func.func @main(%x: tensor<?x4xf32, #sym.shape<[s0, 4]>>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %0 = graph.aten "aten.flip.default"(%x) ["self"] {dims = [0, 1]} : (tensor<?x4xf32, #sym.shape<[s0, 4]>>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
  return %0 : tensor<?x4xf32, #sym.shape<[s0, 4]>>
}
