// RUN: coil-opt %s --convert-loop-to-wrapper=device=cuda --split-input-file --verify-diagnostics

// expected-error @below {{argument 0 is on "moon", which is not registered as a device}}
func.func @argument(%x: tensor<4xf32> {coil.device = "moon"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 is on 3 : i64, which is not registered as a device}}
func.func @result(%x: tensor<4xf32>) -> (tensor<4xf32> {coil.device = 3 : i64}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 is on 'cpu' and has strides with gaps}}
func.func @gaps(%x: tensor<4xf32>) -> (tensor<4xf32> {coil.device = "cpu", coil.strides = #sym.shape<[2]>}) {
  return %x : tensor<4xf32>
}
