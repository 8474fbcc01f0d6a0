// RUN: coil-opt %s --loop-select-schedule=vector-bits=512 --split-input-file | FileCheck %s

// Outlined kernels without a schedule get one; vectors go where elements lie next to each other.
// CHECK-LABEL: wrapper.kernel @rows
// CHECK: loop.kernel "copy" [64, 128] {{.*}} schedule<vector_dim = 1, vector_width = 16
wrapper.kernel @rows(%x: tensor<64x128xf32>)
    attributes {input_strides = [#sym.shape<[256, 1]>], output_strides = [#sym.shape<[128, 1]>], symbols = []} {
  %0 = loop.kernel "copy" [64, 128] (%a = %x) : (tensor<64x128xf32>) -> tensor<64x128xf32> {
    %1 = loop.load %a[d0, d1] : tensor<64x128xf32> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<64x128xf32>
}

// -----

// CHECK-LABEL: wrapper.kernel @columns
// CHECK: loop.kernel "copy" [64, 128] {{.*}} schedule<vector_dim = 0, vector_width = 16
wrapper.kernel @columns(%x: tensor<64x128xf32>)
    attributes {input_strides = [#sym.shape<[1, 64]>], output_strides = [#sym.shape<[1, 64]>], symbols = []} {
  %0 = loop.kernel "copy" [64, 128] (%a = %x) : (tensor<64x128xf32>) -> tensor<64x128xf32> {
    %1 = loop.load %a[d0, d1] : tensor<64x128xf32> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<64x128xf32>
}

// -----

// Hints of symbols are those of the kernel.
// CHECK-LABEL: wrapper.kernel @symbols
// CHECK: loop.kernel "copy" [s0] {{.*}} schedule<vector_dim = 0, vector_width = 16, block = 4096
wrapper.kernel @symbols(%x: tensor<?xf32, #sym.shape<[s0]>>)
    attributes {input_strides = [#sym.shape<[2]>], output_strides = [#sym.shape<[1]>],
                sym.symbols = {s0 = #sym.range<1, 64, hint = 17>}, symbols = ["s0"]} {
  %0 = loop.kernel "copy" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
    %1 = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %1, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}
