// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu))' | FileCheck %s

// Elements a few apart, such as parts of complex numbers, are read and written
// in a row with a mask, not one by one.
// CHECK-LABEL: wrapper.kernel @parts
wrapper.kernel @parts(%x: tensor<100x2xf32>)
    attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[2, 1]>], output_strides = [#sym.shape<[2, 1]>], symbols = []} {
  // CHECK-NOT: masked_gather
  // CHECK:     llvm.intr.masked.load {{.*}} -> vector<16xf32>
  // CHECK:     vector.shuffle %{{.+}}, %{{.+}} [0, 2, 4, 6, 8, 10, 12, 14] : vector<16xf32>, vector<16xf32>
  // CHECK:     arith.negf {{.*}} : vector<8xf32>
  // CHECK:     vector.shuffle %{{.+}}, %{{.+}} [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7] : vector<8xf32>, vector<8xf32>
  // CHECK:     llvm.intr.masked.store {{.*}} : vector<16xf32>, vector<16xi1>
  // CHECK-NOT: masked_scatter
  %0 = loop.kernel "neg" [100, 2] (%a = %x) : (tensor<100x2xf32>) -> tensor<100x2xf32>
      schedule<vector_dim = 0, vector_width = 8, block = 64> {
    %1 = loop.load %a[d0, d1] : tensor<100x2xf32> -> f32
    %2 = arith.negf %1 : f32
    loop.store %2, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<100x2xf32>
}

// Three apart, too; vectors of eight lanes, without the masks of AVX-512, are scattered.
// CHECK-LABEL: wrapper.kernel @colours
wrapper.kernel @colours(%x: tensor<100x3xf32>)
    attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[3, 1]>], output_strides = [#sym.shape<[3, 1]>], symbols = []} {
  // CHECK-NOT: masked.gather
  // CHECK:     llvm.intr.masked.load {{.*}} -> vector<24xf32>
  // CHECK:     vector.shuffle %{{.+}}, %{{.+}} [0, 3, 6, 9, 12, 15, 18, 21] : vector<24xf32>, vector<24xf32>
  // CHECK:     llvm.intr.masked.scatter
  %0 = loop.kernel "neg" [100, 3] (%a = %x) : (tensor<100x3xf32>) -> tensor<100x3xf32>
      schedule<vector_dim = 0, vector_width = 8, block = 64> {
    %1 = loop.load %a[d0, d1] : tensor<100x3xf32> -> f32
    %2 = arith.negf %1 : f32
    loop.store %2, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<100x3xf32>
}

// CHECK-LABEL: wrapper.kernel @colours_of_sixteen
wrapper.kernel @colours_of_sixteen(%x: tensor<100x3xf32>)
    attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[3, 1]>], output_strides = [#sym.shape<[3, 1]>], symbols = []} {
  // CHECK-NOT: masked.scatter
  // CHECK:     llvm.intr.masked.store {{.*}} : vector<48xf32>, vector<48xi1>
  %0 = loop.kernel "neg" [100, 3] (%a = %x) : (tensor<100x3xf32>) -> tensor<100x3xf32>
      schedule<vector_dim = 0, vector_width = 16, block = 64> {
    %1 = loop.load %a[d0, d1] : tensor<100x3xf32> -> f32
    %2 = arith.negf %1 : f32
    loop.store %2, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<100x3xf32>
}

// More than 16 bytes apart they are gathered and scattered.
// CHECK-LABEL: wrapper.kernel @far
wrapper.kernel @far(%x: tensor<100x5xf32>)
    attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[5, 1]>], output_strides = [#sym.shape<[5, 1]>], symbols = []} {
  // CHECK: llvm.intr.masked.gather
  // CHECK: llvm.intr.masked.scatter
  %0 = loop.kernel "neg" [100, 5] (%a = %x) : (tensor<100x5xf32>) -> tensor<100x5xf32>
      schedule<vector_dim = 0, vector_width = 16, block = 64> {
    %1 = loop.load %a[d0, d1] : tensor<100x5xf32> -> f32
    %2 = arith.negf %1 : f32
    loop.store %2, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<100x5xf32>
}
