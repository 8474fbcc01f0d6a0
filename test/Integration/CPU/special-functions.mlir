// Special functions of f32 in vectors, in what is left over and in scalars, with
// arguments on both sides of zero: optimized, as they are, and for AVX2.

// RUN: coil-run %s --random-inputs --reference=interp
// RUN: coil-run %s --random-inputs --reference=interp --opt-level=0
// RUN: coil-run %s --random-inputs --reference=interp --target=cpu:x86-64-v3

!t = tensor<53xf32>
func.func @main(%x: !t {coil.name = "x"}) -> (!t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, tensor<1xf32>) {
  %0 = graph.special lgamma, %x : (!t) -> !t
  %1 = graph.special digamma, %x : (!t) -> !t
  %2 = graph.special trigamma, %x : (!t) -> !t
  %3 = graph.special erfinv, %x : (!t) -> !t
  %4 = graph.special ndtri, %x : (!t) -> !t
  %5 = graph.special log_ndtr, %x : (!t) -> !t
  %6 = graph.special i0, %x : (!t) -> !t
  %7 = graph.special i0e, %x : (!t) -> !t
  %8 = graph.special i1, %x : (!t) -> !t
  %9 = graph.special i1e, %x : (!t) -> !t
  %10 = graph.special k0, %x : (!t) -> !t
  %11 = graph.special k0e, %x : (!t) -> !t
  %12 = graph.special k1, %x : (!t) -> !t
  %13 = graph.special k1e, %x : (!t) -> !t
  %14 = graph.special bessel_j0, %x : (!t) -> !t
  %15 = graph.special bessel_j1, %x : (!t) -> !t
  %16 = graph.special bessel_y0, %x : (!t) -> !t
  %17 = graph.special bessel_y1, %x : (!t) -> !t
  %s = graph.slice %x starts <[3]> steps [1] : (!t) -> tensor<1xf32>
  %y = graph.special lgamma, %s : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %y : !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, tensor<1xf32>
}
