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

// Real numbers as the coefficients of real numbers.
// CHECK-LABEL: @real_to_real
// CHECK:         graph.custom_call "coil::fft_c2r"(%{{.*}}, [<0>], <8>, 1.250000e-01) : (tensor<5x2xf32>) -> tensor<8xf32>
func.func @real_to_real(%x: tensor<5xf32>) -> tensor<8xf32> {
  %0 = graph.aten "aten.fft_irfft.default"(%x) ["self"] {dim = -1 : i64} : (tensor<5xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Frames, half of them common to the next, times a window between zeros.
// CHECK-LABEL: @stft
// CHECK:         %[[W:.+]] = graph.pad %{{.*}} low [1] high [1] {{.*}} -> tensor<8xf32>
// CHECK:         %[[F:.+]] = graph.index %{{.*}} dims [1] : (tensor<2x16xf32>, tensor<3x8xi64>) -> tensor<2x3x8xf32>
// CHECK:         %[[M:.+]] = graph.mul %[[F]], %[[W]]
// CHECK:         graph.custom_call "coil::fft_r2c"(%[[M]], [<2>], true, {{.*}}) : (tensor<2x3x8xf32>) -> tensor<2x3x5x2xf32>
// CHECK-COUNT-2: graph.permute %{{.*}} [0, 2, 1] : (tensor<2x3x5xf32>)
func.func @stft(%x: tensor<2x16xf32>, %w: tensor<6xf32>) -> tensor<2x5x3xcomplex<f32>> {
  %0 = graph.aten "aten.stft.default"(%x, %w) ["self", "window"] {n_fft = 8 : i64, hop_length = 4 : i64, win_length = 6 : i64, normalized = true, onesided = true, return_complex = true} : (tensor<2x16xf32>, tensor<6xf32>) -> tensor<2x5x3xcomplex<f32>>
  return %0 : tensor<2x5x3xcomplex<f32>>
}
