// RUN: coil-opt %s --graph-expand-complex --graph-legalize-aten --split-input-file | FileCheck %s

// Cut to the size that is asked for; the norm is a factor of the call.
// CHECK-LABEL: @inverse
// CHECK:         graph.custom_call "coil::fft_c2c"(%{{.*}}, [<1>], true, 2.500000e-01) : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
func.func @inverse(%x: tensor<3x6xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
  %0 = graph.aten "aten.fft_ifft.default"(%x) ["self"] {n = 4 : i64, dim = -1 : i64} : (tensor<3x6xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return %0 : tensor<3x4xcomplex<f32>>
}

// Real numbers to half of the coefficients, and back.
// CHECK-LABEL: @real
// CHECK:         graph.custom_call "coil::fft_r2c"(%{{.*}}, [<0>, <1>], true, 1.000000e+00) : (tensor<3x6xf64>) -> tensor<3x4x2xf64>
// CHECK:         graph.custom_call "coil::fft_c2r"(%{{.*}}, [<0>, <1>], <6>, 0.055555555555555552) : (tensor<3x4x2xf64>) -> tensor<3x6xf64>
func.func @real(%x: tensor<3x6xf64>) -> tensor<3x6xf64> {
  %0 = graph.aten "aten.fft_rfft2.default"(%x) ["self"] {dim = array<i64: -2, -1>} : (tensor<3x6xf64>) -> tensor<3x4xcomplex<f64>>
  %1 = graph.aten "aten.fft_irfft2.default"(%0) ["self"] {dim = array<i64: -2, -1>} : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
  return %1 : tensor<3x6xf64>
}

// A norm of a symbolic size is a product behind the call.
// CHECK-LABEL: @symbolic
// CHECK:         %[[F:.*]] = graph.rsqrt
// CHECK:         graph.custom_call "coil::fft_c2c"(%{{.*}}, [<0>], false, 1.000000e+00)
// CHECK-COUNT-2: graph.mul %{{.*}}, %[[F]]
func.func @symbolic(%x: tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<?xcomplex<f32>, #sym.shape<[s0]>> attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.fft_fft.default"(%x) ["self"] {dim = -1 : i64, norm = "ortho"} : (tensor<?xcomplex<f32>, #sym.shape<[s0]>>) -> tensor<?xcomplex<f32>, #sym.shape<[s0]>>
  return %0 : tensor<?xcomplex<f32>, #sym.shape<[s0]>>
}
