// Compiled for a transposed first input, a second one with gaps, and a third one
// that is row-major.
func.func @main(%x: tensor<?x9xf32, #sym.shape<[s0, 9]>> {coil.name = "x", coil.strides = #sym.shape<[1, s0]>},
                %y: tensor<4x5xf32> {coil.name = "y", coil.strides = #sym.shape<[20, 2]>},
                %z: tensor<2x3x4xf32> {coil.name = "z"})
    -> (tensor<?x9xf32, #sym.shape<[s0, 9]>>, tensor<4x5xf32>, tensor<2x3x4xf32>)
    attributes {sym.symbols = {s0 = #sym.range<2, 64, hint = 24>}} {
  %0 = graph.neg %x : (tensor<?x9xf32, #sym.shape<[s0, 9]>>) -> tensor<?x9xf32, #sym.shape<[s0, 9]>>
  %1 = graph.neg %y : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = graph.neg %z : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0, %1, %2 : tensor<?x9xf32, #sym.shape<[s0, 9]>>, tensor<4x5xf32>, tensor<2x3x4xf32>
}
