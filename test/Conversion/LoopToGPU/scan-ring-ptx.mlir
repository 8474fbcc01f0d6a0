// Scans of many tiles: blocks stay, one thread starts the copies that bring
// tiles to shared memory, and the sum of the next tile is published before the
// block looks for what comes before the one it has.

// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=native | FileCheck %s --check-prefix=LAUNCH

// Two stages of 48 KiB, and a record for each tile.
// LAUNCH: wrapper.kernel @row_0.module() attributes {device = #wrapper.device<"cuda">, geometry = #wrapper.geometry<grid = [264, 1, 1], block = [512, 1, 1], shared = 98464, errors = false, scratch = 336>

// A multiprocessor with 100 KiB can hold one such block, and there are 188.
// RUN: coil-compile %s --target=cuda:sm_120 --library=none --to=wrapper | FileCheck %s --check-prefix=SMALL
// SMALL: min_blocks = 1, {{.*}}stages = 2, blocks = 188>

// CHECK-LABEL: .entry row_0(
// CHECK: .maxntid 512
// CHECK: .minnctapersm 2
// What the kernel before wrote is there.
// CHECK: griddepcontrol.wait
// CHECK-COUNT-2: mbarrier.init.shared.b64
// CHECK: fence.mbarrier_init
// A number, and a copy, for each stage.
// CHECK: atom{{.*}}.add.u32
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: atom{{.*}}.add.u32
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: bar.sync
// CHECK: mbarrier.try_wait.parity
// The sum of the next tile, also of the first one.
// CHECK-NOT: ld.relaxed
// CHECK-COUNT-6: ld.shared.v4.b32
// CHECK: st.relaxed.gpu.global.b64
// CHECK-COUNT-2: ld.relaxed.gpu.global.b64
// CHECK: st.relaxed.gpu.global.b64
// CHECK: atom{{.*}}.add.u32
// CHECK-COUNT-6: ld.shared.v4.b32
// CHECK-COUNT-6: st.global.v4.b32
// CHECK-NOT: shared.v4
// CHECK: bar.sync
// CHECK: fence.proxy.async.shared::cta
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: ret
func.func @row(%x: tensor<67104768xf32>) -> tensor<67104768xf32> {
  %0 = loop.kernel "row" [67104768] (%a = %x) : (tensor<67104768xf32>) -> tensor<67104768xf32> {
    %v = loop.load %a[d0] : tensor<67104768xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<67104768xf32>
}

// Rows of halves; what is computed around the scan needs no other pass.
// CHECK-LABEL: .entry rows_1(
// CHECK-NOT: ld.global
// CHECK-COUNT-3: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: ret
func.func @rows(%x: tensor<16x4194304xbf16>) -> tensor<16x4194304xbf16> {
  %0 = loop.kernel "rows" [16, 4194304] (%a = %x) : (tensor<16x4194304xbf16>) -> tensor<16x4194304xbf16> {
    %v = loop.load %a[d0, d1] : tensor<16x4194304xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %c = arith.constant 2.0 : f32
    %p = arith.mulf %f, %c : f32
    %s = loop.scan sum %p over [1] : f32
    %d = arith.subf %s, %p : f32
    %r = arith.truncf %d : f32 to bf16
    loop.store %r, 0 [d0, d1] : bf16
  }
  return %0 : tensor<16x4194304xbf16>
}

// The last elements of a row of any length that are no whole chunk come by a
// plain load each, to shared memory, with zeros behind them.
// CHECK-LABEL: .entry dynamic_2(
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: ld.global{{.*}}b32
// CHECK: st.shared.b32
// CHECK: st.shared.v4.b32
// CHECK: bar.sync
// CHECK-NOT: ld.global
// CHECK: ret
func.func @dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 1000000000>}} {
  %0 = loop.kernel "dynamic" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 512, items_r = 6, persistent = true, min_blocks = 2, index_bits = 32, split_r = true, stages = 2, blocks = 264> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}
