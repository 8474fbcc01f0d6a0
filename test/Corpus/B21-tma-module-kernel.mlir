// RUN: %corpus %s
// B21: a 'gpu.module' that takes a tensor map by value: tiles of three dimensions,
// swizzled in shared memory, are doubled where they are. The same map reads and writes.
// GPU: only
// CASE: 2x5x36xf32=-11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 -11 -10 -9 -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 -> 2x5x36xf32=-22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6 8 10 12 14 16 18 20 22 -22 -20 -18 -16 -14 -12 -10 -8 -6 -4 -2 0 2 4 6

!b = !wrapper.buffer<[2, 5, 36], f32, #wrapper.device<"cuda">>
!t = tensor<2x5x36xf32>

wrapper.kernel @twice() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 128, 1, 1>, reference = @means,
    parameters = [#wrapper.param<"x", update, !wrapper.tma_descriptor>]} {
  gpu.module @code {
    llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<512 x i8>
    llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : i64
    llvm.func @twice(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 512 : i32
      %ticks = arith.constant 10000000 : i32
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %z = nvvm.read.ptx.sreg.ctaid.z : i32
      %by = nvvm.read.ptx.sreg.ctaid.y : i32
      %bx = nvvm.read.ptx.sreg.ctaid.x : i32
      %two = arith.constant 2 : i32
      %five = arith.constant 5 : i32
      %x = arith.shli %bx, %five : i32
      %y = arith.shli %by, %two : i32
      %first = arith.cmpi eq, %thread, %zero : i32
      scf.if %first {
        nvvm.mbarrier.init %bar, %one : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
        nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
        %to = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %bar, box [%x, %y, %z] : !llvm.ptr<7>, !llvm.ptr
      }
      gpu.barrier
      nvvm.mbarrier.try_wait.parity %bar, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %place = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %v = llvm.load %place : !llvm.ptr<3> -> f32
      %w = arith.addf %v, %v : f32
      llvm.store %w, %place : f32, !llvm.ptr<3>
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      scf.if %first {
        nvvm.cp.async.bulk.tensor.global.shared.cta %map, %tile, box[%x, %y, %z] : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }
      llvm.return
    }
  }
  func.func @means(%x: !t) -> !t {
    %y = graph.add %x, %x : (!t, !t) -> !t
    return %y : !t
  }
}

wrapper.grid @tiles[] cases [#wrapper.grid_case<{}, <[2, 2, 2]>>]

wrapper.kernel @copy(%x0: !t) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[180, 36, 1]>],
    output_strides = [#sym.shape<[180, 36, 1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "copy" [2, 5, 36] (%a0 = %x0) : (!t) -> !t {
    %v0 = loop.load %a0[d0, d1, d2] : !t -> f32
    loop.store %v0, 0 [d0, d1, d2] : f32
  }
  wrapper.yield %0 : !t
}

wrapper.func @main(%x: !b) -> !b {
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  %map = wrapper.tma_descriptor %0 box [1, 4, 32] swizzle b128 promotion b256 : !b
  wrapper.launch @copy[] ins(%x : !b) outs(%0 : !b)
  wrapper.launch_user @twice grid @tiles[] config {} arguments [unit] updates(%0 : !b) maps(%map)
  wrapper.return %0 : !b
}
