// RUN: coil-run %s --random-inputs --reference=interp
// RUN: env COIL_CPU=x86-64-v3 coil-run %s --random-inputs --reference=interp
// RUN: env COIL_CPU=x86-64-v3 coil-run %s --random-inputs --reference=interp --vector-bits=16
// Compiled anywhere; an object that needed a compiler's support library would be
// an error.
// RUN: coil-compile %s --target=cpu:x86-64-v3 -o %t.v3.coilpkg
// RUN: coil-compile %s --target=cpu:x86-64-v4 -o %t.v4.coilpkg
// RUN: coil-compile %s --target=cpu:sapphirerapids -o %t.spr.coilpkg

// Floats of 16 bits from and to every type, moved, chosen, compared, reduced,
// gathered and scattered.
func.func @main(%b: tensor<37x19xbf16>, %h: tensor<37x19xf16>, %f: tensor<37x19xf32>, %d: tensor<37x19xf64>, %i: tensor<37x19xi64>, %c: tensor<37x19xi8>, %at: tensor<5xi64>)
    -> (tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xf16>, tensor<37x19xf16>, tensor<37x19xf64>,
        tensor<37x19xi64>, tensor<37x19xi8>, tensor<37x19xbf16>, tensor<74x19xbf16>, tensor<37xbf16>, tensor<37xbf16>, tensor<19x37xbf16>, tensor<37x19xi1>) {
  %0 = graph.convert %f : (tensor<37x19xf32>) -> tensor<37x19xbf16>
  %1 = graph.convert %d : (tensor<37x19xf64>) -> tensor<37x19xbf16>
  %2 = graph.convert %i : (tensor<37x19xi64>) -> tensor<37x19xbf16>
  %3 = graph.convert %c : (tensor<37x19xi8>) -> tensor<37x19xbf16>
  %4 = graph.convert %h : (tensor<37x19xf16>) -> tensor<37x19xbf16>
  %5 = graph.convert %b : (tensor<37x19xbf16>) -> tensor<37x19xf16>
  %6 = graph.convert %d : (tensor<37x19xf64>) -> tensor<37x19xf16>
  %7 = graph.convert %b : (tensor<37x19xbf16>) -> tensor<37x19xf64>
  %8 = graph.convert %b : (tensor<37x19xbf16>) -> tensor<37x19xi64>
  %9 = graph.convert %b : (tensor<37x19xbf16>) -> tensor<37x19xi8>
  %10 = graph.add %b, %0 : (tensor<37x19xbf16>, tensor<37x19xbf16>) -> tensor<37x19xbf16>
  %11 = graph.cat %b, %0 dim 0 : (tensor<37x19xbf16>, tensor<37x19xbf16>) -> tensor<74x19xbf16>
  %12 = graph.reduce max, %b dims [1] : (tensor<37x19xbf16>) -> tensor<37xbf16>
  %13 = graph.reduce sum, %b dims [1] : (tensor<37x19xbf16>) -> tensor<37xbf16>
  %14 = graph.permute %b [1, 0] : (tensor<37x19xbf16>) -> tensor<19x37xbf16>
  %15 = graph.compare lt, %b, %0 : (tensor<37x19xbf16>, tensor<37x19xbf16>) -> tensor<37x19xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15
    : tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xbf16>, tensor<37x19xf16>, tensor<37x19xf16>, tensor<37x19xf64>,
      tensor<37x19xi64>, tensor<37x19xi8>, tensor<37x19xbf16>, tensor<74x19xbf16>, tensor<37xbf16>, tensor<37xbf16>, tensor<19x37xbf16>, tensor<37x19xi1>
}
