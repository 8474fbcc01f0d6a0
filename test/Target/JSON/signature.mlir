// RUN: coil-translate %s --signature-to-json --split-input-file --verify-diagnostics | FileCheck %s

// CHECK:      "inputs": [
// CHECK:        "dtype": "f32",
// CHECK-NEXT:   "name": "x",
// CHECK-NEXT:   "sizes": [
// CHECK-NEXT:     "s0",
// CHECK-NEXT:     4
// CHECK:        "dtype": "i64",
// CHECK:          "s0 * 2"
// CHECK:        "weight": "fc.bias"
// CHECK:      "outputs": [
// CHECK:      "symbols": [
// CHECK:        "hint": 8,
// CHECK-NEXT:   "max": 64,
// CHECK-NEXT:   "min": 1,
// CHECK-NEXT:   "name": "s0"
func.func @main(%x: tensor<?x4xf32, #sym.shape<[s0, 4]>> {coil.name = "x"},
                %i: tensor<?xi64, #sym.shape<[s0 * 2]>>,
                %b: tensor<4xf32> {graph.weight = "fc.bias"})
    -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 8>}} {
  return %x : tensor<?x4xf32, #sym.shape<[s0, 4]>>
}

// -----

// expected-error@+1 {{cannot pass a value of type 'i32' to a program}}
func.func @main(%x: i32) {
  return
}

// -----

// expected-error@+1 {{expected a function 'main' or 'coil_main'}}
module {
  func.func @other() {
    return
  }
}
