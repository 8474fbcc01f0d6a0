// Kernels of sizes that are not known are measured at the hints of their symbols, and another hint is another kernel
// (F14, B28).

// RUN: rm -rf %t && mkdir %t
// RUN: coil-tune %s --records=%t/records --candidates=2 | FileCheck %s
// RUN: coil-tune %s --records=%t/records --candidates=2 | FileCheck %s --check-prefix=WARM
// RUN: sed 's/hint = 40/hint = 60/' %s > %t/hint.mlir
// RUN: coil-tune %t/hint.mlir --records=%t/records --candidates=2 | FileCheck %s
// RUN: sed -E 's/"schedule":"[^"]*"/"schedule":"#loop.schedule<vector_dim = 1, vector_width = 4, unroll = 2, grain = 5>"/' %t/records > %t/edited
// RUN: coil-run %s --tuning-records=%t/edited --random-inputs --symbol=s0=7 --reference=interp

// CHECK: 1 kernels measured, {{.*}} 0 failed
// WARM: 0 kernels measured, {{.*}} 1 were in the records

!x = tensor<?x8xf32, #sym.shape<[s0, 8]>>
func.func @main(%x: !x, %b: tensor<8xf32>) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 40>}} {
  %0 = graph.add %x, %b : (!x, tensor<8xf32>) -> !x
  return %0 : !x
}
