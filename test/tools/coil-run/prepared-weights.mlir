// RUN: coil-run %s --weights=%models/digits_cnn.pt2 --library=none --random-inputs --symbol=s0=5 --reference=interp --atol=1e-4 --time | FileCheck %s --check-prefix=TIME
// The function that prepares is part of the program at later stages.
// RUN: coil-compile %s --from=input --to=wrapper --library=none --hoist-weights -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: coil-run %t.mlir --weights=%models/digits_cnn.pt2 --random-inputs --symbol=s0=5 --reference=interp --atol=1e-4
// RUN: coil-compile %t.mlir --to=native -o %t.native.mlir
// RUN: coil-run %t.native.mlir --weights=%models/digits_cnn.pt2 --random-inputs --symbol=s0=5 --output=@%t.npy
// Without weights there is nothing to prepare from.
// RUN: not coil-run %t.mlir --random-inputs --symbol=s0=5 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the program needs the weight 'f1.weight', which no file was given for

// TIME: buffers made once, of weights alone: 1
// TIME: 1 launches

// CHECK: wrapper.func @main({{.+}} {coil.name = "main.prepare:0", graph.weight = "main.prepare:0"})
// CHECK: wrapper.func @main.prepare({{.+}} {graph.weight = "f1.weight"}
!w = tensor<64x512xf32>
!x = tensor<?x64xf32, #sym.shape<[s0, 64]>>
func.func @main(%x: !x, %w: !w {graph.weight = "f1.weight"}) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %t = graph.permute %w [1, 0] : (!w) -> tensor<512x64xf32>
  %g = graph.matmul %w, %t : (!w, tensor<512x64xf32>) -> tensor<64x64xf32>
  %y = graph.matmul %x, %g : (!x, tensor<64x64xf32>) -> !x
  return %y : !x
}
