// RUN: coil-run %s --random-inputs --symbol=s0=100003 --symbol=s1=3 --reference=interp --rtol=5e-7 --atol=0
// RUN: coil-run %s --random-inputs --symbol=s0=1 --symbol=s1=1 --reference=interp --rtol=5e-7 --atol=0
// RUN: coil-run %s --random-inputs --symbol=s0=33 --symbol=s1=65 --reference=interp --rtol=5e-7 --atol=0

// Every addition of equal numbers to a sum of theirs rounds the same way, so that
// a plain chain of a thousand loses two digits. The interpreter adds in f64.

!x = tensor<?x?x24xf32, #sym.shape<[s0, s1, 24]>>
!r = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!c = tensor<?x24xf32, #sym.shape<[s1, 24]>>
!p = tensor<?xf32, #sym.shape<[s1]>>
func.func @main(%x: !x, %rows: tensor<9000x1100xf32>, %long: tensor<3x200003xf32>)
    -> (!r, !c, tensor<24xf32>, !p, tensor<f32>, tensor<1100xf32>, tensor<9000xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<1100xf32>)
    attributes {sym.symbols = {s0 = #sym.range<1, 1000000, hint = 1000>, s1 = #sym.range<1, 1000, hint = 4>}} {
  // 0.1 everywhere, in a way that is not seen through.
  %none = graph.sub %x, %x : (!x, !x) -> !x
  %tenth = graph.constant dense<0.1> : tensor<f32>
  %tenths = graph.broadcast %tenth : (tensor<f32>) -> !x
  %y = graph.add %none, %tenths : (!x, !x) -> !x
  %0 = graph.reduce sum, %y dims [2] : (!x) -> !r
  %1 = graph.reduce sum, %y dims [0] : (!x) -> !c
  %2 = graph.reduce sum, %y dims [0, 1] : (!x) -> tensor<24xf32>
  %3 = graph.reduce sum, %y dims [0, 2] : (!x) -> !p
  %4 = graph.reduce sum, %y dims [0, 1, 2] : (!x) -> tensor<f32>
  %nothing = graph.sub %rows, %rows : (tensor<9000x1100xf32>, tensor<9000x1100xf32>) -> tensor<9000x1100xf32>
  %more = graph.broadcast %tenth : (tensor<f32>) -> tensor<9000x1100xf32>
  %z = graph.add %nothing, %more : (tensor<9000x1100xf32>, tensor<9000x1100xf32>) -> tensor<9000x1100xf32>
  %5 = graph.reduce sum, %z dims [0] : (tensor<9000x1100xf32>) -> tensor<1100xf32>
  %6 = graph.reduce sum, %z dims [1] : (tensor<9000x1100xf32>) -> tensor<9000xf32>
  %7 = graph.reduce sum, %z dims [0, 1] : (tensor<9000x1100xf32>) -> tensor<f32>
  // A million standard deviations from zero.
  %far = graph.constant dense<1.0e6> : tensor<f32>
  %offset = graph.broadcast %far : (tensor<f32>) -> tensor<3x200003xf32>
  %w = graph.add %long, %offset : (tensor<3x200003xf32>, tensor<3x200003xf32>) -> tensor<3x200003xf32>
  %8, %9 = graph.welford %w dims [1] : (tensor<3x200003xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %far_rows = graph.broadcast %far : (tensor<f32>) -> tensor<9000x1100xf32>
  %v = graph.add %rows, %far_rows : (tensor<9000x1100xf32>, tensor<9000x1100xf32>) -> tensor<9000x1100xf32>
  %10, %11 = graph.welford %v dims [0] : (tensor<9000x1100xf32>) -> (tensor<1100xf32>, tensor<1100xf32>)
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %11 : !r, !c, tensor<24xf32>, !p, tensor<f32>, tensor<1100xf32>, tensor<9000xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<1100xf32>
}
