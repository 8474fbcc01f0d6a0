// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --input='1000xf32=1' | FileCheck %s

// In place, a thread reads what itself writes and nothing beside it: neither the
// threads that have no row of a scan, nor vectors that begin between two aligned
// addresses. The simulated device finds the race.
// CHECK: 1000xf32=[2 2 2 2 2 2 2 2

!b = !wrapper.buffer<[1000], f32, #wrapper.device<"cuda">>

wrapper.kernel @most(%x: tensor<1000xf32>) attributes {device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0>, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "most" [1000] (%in = %x) : (tensor<1000xf32>) -> tensor<1000xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_p = 2, threads_r = 4, items_r = 9, index_bits = 32> {
    %v = loop.load %in[d0] : tensor<1000xf32> -> f32
    %s = loop.scan max %v over [0] : f32
    loop.store %s, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<1000xf32>
}

// Rows of five.
wrapper.kernel @twice(%x: tensor<1000xf32>) attributes {device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0>, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "twice" [200, 5] (%in = %x) : (tensor<1000xf32>) -> tensor<1000xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 128, index_bits = 32> {
    %v = loop.load %in[d0 * 5 + d1] : tensor<1000xf32> -> f32
    %s = arith.addf %v, %v : f32
    loop.store %s, 0[d0 * 5 + d1] : f32
  }
  wrapper.yield %0 : tensor<1000xf32>
}

wrapper.func @main(%x: !b) -> !b {
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.launch @most[] ins(%0 : !b) outs(%0 : !b)
  wrapper.launch @twice[] ins(%0 : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
