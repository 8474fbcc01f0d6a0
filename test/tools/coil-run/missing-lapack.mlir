// Without LAPACK a run fails with one line, which says what calls it and how to
// get it.
//
// RUN: env COIL_LAPACK_LIBRARY=libno-such.so sh %S/Inputs/status.sh 4 coil-run %s --input='2x2xf32=2 0 0 4' | FileCheck %s --check-prefix=MISSING
// MISSING: coil-run: error: the function 'coil::linalg_lu' {{.*}}failed: library 'lapack' is not available: libno-such.so: {{.*}} (Debian: libopenblas0-openmp; COIL_LAPACK_LIBRARY names another file)

func.func @main(%a: tensor<2x2xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.linalg_det.default"(%a) ["A"] {} : (tensor<2x2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
