// What only a run can show of host programs: layouts of arguments and results,
// solved symbols, checks, handed-over storage.

// RUN: split-file %s %t

// An argument and a result that are not row-major; the argument is copied to
// the layout that the program was compiled for.
// RUN: coil-run %t/layouts.mlir --input="2x3xf32=1 2 3 4 5 6" | FileCheck %s --check-prefix=LAYOUTS
// RUN: coil-run %t/layouts.mlir --random-inputs --output=@%t.1.npy --reference=interp
// RUN: coil-run %t/layouts.mlir --random-inputs --expected-output=@%t.1.npy
// LAYOUTS: 2x3xf32={{\[\[}}-1 -2 -3][-4 -5 -6]]

// RUN: coil-run %t/solve.mlir --input="6xf32=1 2 3 4 5 6" | FileCheck %s --check-prefix=SOLVE
// RUN: not coil-run %t/solve.mlir --input="5xf32=1 2 3 4 5" 2>&1 | FileCheck %s --check-prefix=INEXACT
// RUN: not coil-run %t/solve.mlir --input="8xf32=1 2 3 4 5 6 7 8" 2>&1 | FileCheck %s --check-prefix=ASSERT
// SOLVE: 3xf32=[5 7 9]
// INEXACT: {{input.*s0 \* 2}}
// ASSERT: s0 is odd (got 0 and 1)

// Results that are an argument, a view and a literal; one of them twice.
// RUN: coil-run %t/results.mlir --input="2x2xf32=1 2 3 4" | FileCheck %s --check-prefix=RESULTS
// RESULTS: 2x2xf32={{\[\[}}1 2][3 4]]
// RESULTS-NEXT: 4xf32=[1 3 2 4]
// RESULTS-NEXT: 2xf32=[5 6]
// RESULTS-NEXT: 2xf32=[5 6]

// A chain in place, with and without handing over.
// RUN: coil-run %t/chain.mlir --random-inputs --output=@%t.2.npy --reference=interp
// RUN: coil-run %t/chain.mlir --random-inputs --expected-output=@%t.2.npy
// RUN: coil-run %t/chain.mlir --random-inputs --expected-output=@%t.2.npy --plan=none

//--- layouts.mlir
func.func @main(%x: tensor<2x3xf32> {coil.name = "x", coil.strides = #sym.shape<[1, 2]>})
    -> (tensor<2x3xf32> {coil.strides = #sym.shape<[1, 2]>}) {
  %0 = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

//--- solve.mlir
!x = tensor<?xf32, #sym.shape<[s0 * 2]>>
!y = tensor<?xf32, #sym.shape<[s0]>>
func.func @main(%x: !x {coil.name = "x"}) -> !y attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  sym.assert <s0 mod 2> eq <1>, "s0 is odd"
  %0 = loop.kernel "halves" [s0] (%a = %x) : (!x) -> !y {
    %p = loop.load %a[d0] : !x -> f32
    %q = loop.load %a[d0 + s0] : !x -> f32
    %r = arith.addf %p, %q : f32
    loop.store %r, 0 [d0] : f32
  }
  return %0 : !y
}

//--- results.mlir
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = loop.view %x[d0 mod 2, d0 floordiv 2] : tensor<2x2xf32> -> tensor<4xf32>
  %1 = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
  return %x, %0, %1, %1 : tensor<2x2xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
}

//--- chain.mlir
!x = tensor<?x40xf32, #sym.shape<[s0, 40]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !x {coil.name = "x"}) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 7>}} {
  %0 = graph.exp %x : (!x) -> !x
  %1 = graph.reduce sum, %0 dims [1] keepdims : (!x) -> !r
  %2 = graph.sub %0, %1 : (!x, !r) -> !x
  %3 = graph.reduce max, %2 dims [1] keepdims : (!x) -> !r
  %4 = graph.mul %2, %3 : (!x, !r) -> !x
  %5 = graph.add %4, %x : (!x, !x) -> !x
  return %5 : !x
}
