// The blocks of a cluster share a row. Each reduces its part, writes what that
// combines to into the shared memory of all of them, and combines the parts behind
// the barrier of the cluster.

// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' | FileCheck %s

#cuda = #wrapper.device<"cuda">

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  // Four blocks for each of eight rows.
  // CHECK-LABEL: wrapper.kernel @rows
  // CHECK-SAME: #wrapper.geometry<grid = [32, 1, 1], block = [64, 1, 1]
  // CHECK: gpu.func @rows
  // CHECK-SAME: known_cluster_size = array<i32: 4, 1, 1>
  // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: nvvm.cluster.arrive.relaxed
  // CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xf32>
  // CHECK: gpu.barrier
  // Nobody writes to a block that has not begun.
  // CHECK: nvvm.cluster.wait
  // CHECK: scf.if
  // CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.store %{{.*}}, %[[THERE]]
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK-COUNT-3: arith.addf
  // CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<1>
  wrapper.kernel @rows(%x: tensor<8x4096xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
    %0 = loop.kernel "rows" [8, 4096] (%a = %x) : (tensor<8x4096xf32>) -> tensor<8x4096xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 4, persistent = true, index_bits = 32, cluster = 4> {
      %v = loop.load %a[d0, d1] : tensor<8x4096xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      %d = arith.subf %v, %s : f32
      loop.store %d, 0 [d0, d1] : f32
    }
    wrapper.yield %0 : tensor<8x4096xf32>
  }
}
