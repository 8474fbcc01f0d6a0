// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=softmax --symbol=s0=5 --symbol=s1=1031 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=softmax --symbol=s0=131 --symbol=s1=7 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=softmax_static --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=layer_norm --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=layer_norm_columns --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=gathers --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=views --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=contractions --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --function=nothing --reference=interp

// Two results of a row are kept, and its sizes are unknown.
func.func @softmax(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 5000>, s1 = #sym.range<1, 5000>}} {
  %m = graph.reduce max, %x dims [1] keepdims : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x1xf32, #sym.shape<[s0, 1]>>
  %d = graph.sub %x, %m : (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x1xf32, #sym.shape<[s0, 1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %e = graph.exp %d : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x1xf32, #sym.shape<[s0, 1]>>
  %y = graph.div %e, %s : (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x1xf32, #sym.shape<[s0, 1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  return %y : tensor<?x?xf32, #sym.shape<[s0, s1]>>
}

// In bf16 that computes in f32, along the inner and the outer dimension.
func.func @softmax_static(%x: tensor<33x515xbf16>) -> (tensor<33x515xbf16>, tensor<33x515xf32>) {
  %f = graph.convert %x : (tensor<33x515xbf16>) -> tensor<33x515xf32>
  %m = graph.reduce max, %f dims [1] keepdims : (tensor<33x515xf32>) -> tensor<33x1xf32>
  %d = graph.sub %f, %m : (tensor<33x515xf32>, tensor<33x1xf32>) -> tensor<33x515xf32>
  %e = graph.exp %d : (tensor<33x515xf32>) -> tensor<33x515xf32>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<33x515xf32>) -> tensor<33x1xf32>
  %y = graph.div %e, %s : (tensor<33x515xf32>, tensor<33x1xf32>) -> tensor<33x515xf32>
  %r = graph.convert %y : (tensor<33x515xf32>) -> tensor<33x515xbf16>
  %m0 = graph.reduce max, %f dims [0] keepdims : (tensor<33x515xf32>) -> tensor<1x515xf32>
  %d0 = graph.sub %f, %m0 : (tensor<33x515xf32>, tensor<1x515xf32>) -> tensor<33x515xf32>
  %e0 = graph.exp %d0 : (tensor<33x515xf32>) -> tensor<33x515xf32>
  %s0 = graph.reduce sum, %e0 dims [0] keepdims : (tensor<33x515xf32>) -> tensor<1x515xf32>
  %y0 = graph.div %e0, %s0 : (tensor<33x515xf32>, tensor<1x515xf32>) -> tensor<33x515xf32>
  return %r, %y0 : tensor<33x515xbf16>, tensor<33x515xf32>
}

// Mean and variance of a row, and an epilogue with weights of the columns.
func.func @layer_norm(%x: tensor<19x770xf32>, %w: tensor<770xf32>, %b: tensor<770xf32>) -> tensor<19x770xf32> {
  %n = graph.full 7.700000e+02 : f32 -> tensor<f32>
  %eps = graph.full 1.000000e-05 : f32 -> tensor<f32>
  %s = graph.reduce sum, %x dims [1] keepdims : (tensor<19x770xf32>) -> tensor<19x1xf32>
  %mean = graph.div %s, %n : (tensor<19x1xf32>, tensor<f32>) -> tensor<19x1xf32>
  %c = graph.sub %x, %mean : (tensor<19x770xf32>, tensor<19x1xf32>) -> tensor<19x770xf32>
  %q = graph.mul %c, %c : (tensor<19x770xf32>, tensor<19x770xf32>) -> tensor<19x770xf32>
  %v = graph.reduce sum, %q dims [1] keepdims : (tensor<19x770xf32>) -> tensor<19x1xf32>
  %var = graph.div %v, %n : (tensor<19x1xf32>, tensor<f32>) -> tensor<19x1xf32>
  %e = graph.add %var, %eps : (tensor<19x1xf32>, tensor<f32>) -> tensor<19x1xf32>
  %i = graph.rsqrt %e : (tensor<19x1xf32>) -> tensor<19x1xf32>
  %y = graph.mul %c, %i : (tensor<19x770xf32>, tensor<19x1xf32>) -> tensor<19x770xf32>
  %z = graph.mul %y, %w : (tensor<19x770xf32>, tensor<770xf32>) -> tensor<19x770xf32>
  %r = graph.add %z, %b : (tensor<19x770xf32>, tensor<770xf32>) -> tensor<19x770xf32>
  return %r : tensor<19x770xf32>
}

// The gradients of such weights: sums by columns of many rows.
func.func @layer_norm_columns(%x: tensor<1027x67xf32>, %g: tensor<1027x67xf32>) -> (tensor<67xf32>, tensor<67xf32>) {
  %p = graph.mul %x, %g : (tensor<1027x67xf32>, tensor<1027x67xf32>) -> tensor<1027x67xf32>
  %s = graph.reduce sum, %p dims [0] : (tensor<1027x67xf32>) -> tensor<67xf32>
  %t = graph.reduce sum, %g dims [0] : (tensor<1027x67xf32>) -> tensor<67xf32>
  return %s, %t : tensor<67xf32>, tensor<67xf32>
}

// Made-up indices are in [0, 8).
func.func @gathers(%x: tensor<8x33xf32>, %i: tensor<5x7xi64>, %j: tensor<8x3xi64>, %k: tensor<9xi32>) -> (tensor<5x7x33xf32>, tensor<8x3xf32>, tensor<9x33xf32>) {
  %a = graph.index %x[%i] dims [0] : (tensor<8x33xf32>, tensor<5x7xi64>) -> tensor<5x7x33xf32>
  %b = graph.gather %x, %j dim 1 : (tensor<8x33xf32>, tensor<8x3xi64>) -> tensor<8x3xf32>
  %l = graph.convert %k : (tensor<9xi32>) -> tensor<9xi64>
  %c = graph.index %x[%l] dims [0] : (tensor<8x33xf32>, tensor<9xi64>) -> tensor<9x33xf32>
  %d = graph.sin %c : (tensor<9x33xf32>) -> tensor<9x33xf32>
  return %a, %b, %d : tensor<5x7x33xf32>, tensor<8x3xf32>, tensor<9x33xf32>
}

func.func @views(%x: tensor<37x41xf32>, %y: tensor<11x41xf32>) -> (tensor<41x37xf32>, tensor<48x41xf32>, tensor<40x44xf32>, tensor<12x20xf32>, tensor<37x41xf32>) {
  %t = graph.permute %x [1, 0] : (tensor<37x41xf32>) -> tensor<41x37xf32>
  %e = graph.neg %t : (tensor<41x37xf32>) -> tensor<41x37xf32>
  %c = graph.cat %x, %y dim 0 : (tensor<37x41xf32>, tensor<11x41xf32>) -> tensor<48x41xf32>
  %p = graph.pad %x low [1, 2] high [2, 1] value 5.000000e-01 : f32 : (tensor<37x41xf32>) -> tensor<40x44xf32>
  %s = graph.slice %x starts <[1, 2]> steps [3, 2] : (tensor<37x41xf32>) -> tensor<12x20xf32>
  %r = graph.reshape %x : (tensor<37x41xf32>) -> tensor<1517xf32>
  %f = graph.slice %r starts <[1516]> steps [-1] : (tensor<1517xf32>) -> tensor<1517xf32>
  %b = graph.reshape %f : (tensor<1517xf32>) -> tensor<37x41xf32>
  return %e, %c, %p, %s, %b : tensor<41x37xf32>, tensor<48x41xf32>, tensor<40x44xf32>, tensor<12x20xf32>, tensor<37x41xf32>
}

// Without a library, contractions are loops like others.
func.func @contractions(%a: tensor<2x17x33xf32>, %b: tensor<1x33x19xf32>, %x: tensor<2x3x9x9xf32>, %w: tensor<4x3x3x3xf32>, %q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>) -> (tensor<2x17x19xf32>, tensor<2x4x9x9xf32>, tensor<2x3x4x4xf32>, tensor<1x2x7x16xf32>) {
  %m = graph.matmul %a, %b : (tensor<2x17x33xf32>, tensor<1x33x19xf32>) -> tensor<2x17x19xf32>
  %r = graph.relu %m : (tensor<2x17x19xf32>) -> tensor<2x17x19xf32>
  %c = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x9x9xf32>
  %p = graph.pool max, %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x9x9xf32>) -> tensor<2x3x4x4xf32>
  %t = graph.attention %q, %k, %v causal scale 2.500000e-01 : (tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %r, %c, %p, %t : tensor<2x17x19xf32>, tensor<2x4x9x9xf32>, tensor<2x3x4x4xf32>, tensor<1x2x7x16xf32>
}

func.func @nothing(%x: tensor<0x7xf32>, %y: tensor<3x0xf32>) -> (tensor<0x7xf32>, tensor<7xf32>, tensor<3xf32>, tensor<3x7xf32>) {
  %a = graph.exp %x : (tensor<0x7xf32>) -> tensor<0x7xf32>
  %b = graph.reduce sum, %x dims [0] : (tensor<0x7xf32>) -> tensor<7xf32>
  %c = graph.reduce sum, %y dims [1] : (tensor<3x0xf32>) -> tensor<3xf32>
  %d = graph.matmul %y, %x : (tensor<3x0xf32>, tensor<0x7xf32>) -> tensor<3x7xf32>
  return %a, %b, %c, %d : tensor<0x7xf32>, tensor<7xf32>, tensor<3xf32>, tensor<3x7xf32>
}
