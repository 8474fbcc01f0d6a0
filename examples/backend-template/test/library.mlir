// A library computes an operator where the option says so, and its file is loaded then.

// RUN: env ACCELMATH_LIBRARY=%accelmath coil-compile %s --from=input --library=accelmath --to=graph | FileCheck %s
// RUN: env ACCELMATH_LIBRARY=%accelmath coil-compile %s --from=input --library=accelmath --emit=python | FileCheck %s --check-prefix=PYTHON
// RUN: env ACCELMATH_LIBRARY=%accelmath coil-run %s --library=accelmath --random-inputs --reference=interp
// CHECK: graph.custom_call "accelmath::erf"(%arg0)
// PYTHON: accelmath::erf

// Without the file, a library that is named is an error; with "auto" the compiler computes it.
// RUN: not coil-compile %s --from=input --library=accelmath 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: coil-compile %s --from=input --to=graph | FileCheck %s --check-prefix=AUTO
// MISSING: the library 'accelmath' cannot be loaded: {{.*}}; set ACCELMATH_LIBRARY to the path of its file
// AUTO: graph.erf

// RUN: not coil-compile %s --from=input --library=accelmaht 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown value 'accelmaht' of the option 'library', expected 'onednn', {{.*}} or 'accelmath'; did you mean 'accelmath'?

func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.erf %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
