// RUN: %corpus %s
// B21, B26: a 'gpu.module' that a user supplies, with shared memory, next to kernels of
// ours on the same stream.
// GPU: only
// CASE: 6xf32=1 2 3 4 5 6 -> 6xf32=6 4 2 12 10 8

!b = !wrapper.buffer<[6], f32, #wrapper.device<"cuda">>
!t = tensor<6xf32>

// Turns pieces of three around.
wrapper.kernel @reverse3() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 3, 1, 1>, reference = @means,
    parameters = [#wrapper.param<"x", update, f32>, #wrapper.param<"n", value, i64>]} {
  gpu.module @code {
    gpu.func @reverse3(%x: !llvm.ptr<1>, %n: i64) workgroup(%shared : memref<3xf32, #gpu.address_space<workgroup>>) kernel {
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %three = arith.constant 3 : index
      %two = arith.constant 2 : index
      %first = arith.muli %block, %three : index
      %place = arith.addi %first, %thread : index
      %number = arith.index_cast %place : index to i64
      %from = llvm.getelementptr %x[%number] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %from : !llvm.ptr<1> -> f32
      memref.store %v, %shared[%thread] : memref<3xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %other = arith.subi %two, %thread : index
      %w = memref.load %shared[%other] : memref<3xf32, #gpu.address_space<workgroup>>
      llvm.store %w, %from : f32, !llvm.ptr<1>
      gpu.return
    }
  }
  func.func @means(%x: tensor<6xf32>, %n: tensor<i64>) -> tensor<6xf32> {
    %r = loop.kernel "reverse" [6] (%a = %x) : (tensor<6xf32>) -> tensor<6xf32> {
      %v = loop.load %a[(d0 floordiv 3) * 3 + 2 - d0 mod 3] : tensor<6xf32> -> f32
      loop.store %v, 0 [d0] : f32
    }
    return %r : tensor<6xf32>
  }
}

wrapper.grid @pieces["n"] cases [#wrapper.grid_case<{}, <[n floordiv 3, 1, 1]>>]

wrapper.kernel @double(%x0: !t) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [6] (%a0 = %x0) : (!t) -> !t {
    %v0 = loop.load %a0[d0] : !t -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : !t
}

wrapper.func @main(%x: !b) -> !b {
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  wrapper.launch_user @reverse3 grid @pieces[6] config {num_warps = 1 : i64}
      arguments [unit, #sym.expr<6>] updates(%0 : !b)
  wrapper.return %0 : !b
}
