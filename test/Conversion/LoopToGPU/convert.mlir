// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_89},wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' | FileCheck %s --check-prefix=OLD --implicit-check-not=griddepcontrol
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu{approximate=false},canonicalize,cse))' | FileCheck %s --check-prefix=EXACT

// A kernel of whole vectors that fill their blocks has no comparison at all.
// CHECK-LABEL: wrapper.kernel @whole
// CHECK-SAME: geometry = #wrapper.geometry<grid = [64, 1, 1], block = [256, 1, 1], shared = 0, errors = false>
// CHECK: gpu.func @whole(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.writeonly})
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// It may start while the kernel before it runs, so it waits before it reads. Older
// chips start it later, and what it reads is constant then.
// CHECK-NOT: llvm.load
// CHECK: llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}"
// CHECK-NEXT: llvm.inline_asm has_side_effects "griddepcontrol.launch_dependents;", "~{memory}"
// CHECK-NOT: cmpi
// OLD-LABEL: wrapper.kernel @whole
// OLD: gpu.func @whole(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %
// OLD: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[V:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[N:.*]] = arith.negf %[[V]] : vector<4xf32>
// CHECK: llvm.store %[[N]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
wrapper.kernel @whole(%x: tensor<65536xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "neg" [65536] (%a = %x) : (tensor<65536xf32>) -> tensor<65536xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<65536xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<65536xf32>
}

// The last vector is cut off: lane by lane, never a wide access over the end.
// CHECK-LABEL: wrapper.kernel @cut
// CHECK: scf.if %{{.*}} {
// CHECK:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: } else {
// CHECK-NOT: vector<4xf32>{{$}}
// CHECK:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NOT: masked.load
wrapper.kernel @cut(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0>, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"], sym.symbols = {s0 = #sym.range<1, 4096>}} {
  %0 = loop.kernel "neg" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// A warp reduces a row: five shuffles, no shared memory, no barrier. What is
// rounded to bf16 takes a fast exponential and one inverse for each row.
// CHECK-LABEL: wrapper.kernel @softmax
// CHECK-COUNT-8: math.exp %{{.*}} fastmath<afn> : vector<4xf32>
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: gpu.barrier
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : vector<4xf32>
// EXACT-LABEL: wrapper.kernel @softmax
// EXACT-NOT: fastmath
wrapper.kernel @softmax(%x: tensor<64x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [64, 1024] (%a = %x) : (tensor<64x1024xf32>) -> tensor<64x1024xbf16> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 4, threads_r = 32, items_r = 8, persistent = true, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x1024xf32> -> f32
    %e = math.exp %v : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    %t = arith.truncf %q : f32 to bf16
    loop.store %t, 0 [d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<64x1024xbf16>
}

// So does a hyperbolic tangent that is rounded before anything else sees it.
// CHECK-LABEL: wrapper.kernel @rounded_tanh
// CHECK: math.tanh %{{.*}} fastmath<afn> : vector<4xf32>
// EXACT-LABEL: wrapper.kernel @rounded_tanh
// EXACT-NOT: fastmath
wrapper.kernel @rounded_tanh(%x: tensor<65536xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "tanh" [65536] (%a = %x) : (tensor<65536xf32>) -> tensor<65536xbf16> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<65536xf32> -> f32
    %e = math.tanh %v : f32
    %t = arith.truncf %e : f32 to bf16
    loop.store %t, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<65536xbf16>
}

// An exponential of which one is taken away keeps its digits.
// CHECK-LABEL: wrapper.kernel @cancels
// CHECK: math.exp %{{.*}} : vector<4xf32>
wrapper.kernel @cancels(%x: tensor<65536xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "elu" [65536] (%a = %x) : (tensor<65536xf32>) -> tensor<65536xbf16> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<65536xf32> -> f32
    %c = arith.constant 1.0 : f32
    %e = math.exp %v : f32
    %d = arith.subf %e, %c : f32
    %t = arith.truncf %d : f32 to bf16
    loop.store %t, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<65536xbf16>
}

// Eight warps meet in shared memory, once.
// CHECK-LABEL: wrapper.kernel @block
// CHECK: llvm.mlir.global internal @block_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x i8>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
wrapper.kernel @block(%x: tensor<64x8192xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[8192, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [64, 8192] (%a = %x) : (tensor<64x8192xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 256, items_r = 4, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x8192xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// Under a mask a pointer does not claim to be inside of the buffer.
// CHECK-LABEL: wrapper.kernel @masked
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
wrapper.kernel @masked(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "pad" [66] (%a = %x) : (tensor<64xf32>) -> tensor<66xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 2, threads_p = 64, index_bits = 32> {
    %z = arith.constant 0.0 : f32
    %c = arith.constant 0 : i64
    %i = loop.index <d0 - 1>
    %m = arith.cmpi sge, %i, %c : i64
    %v = loop.load %a[d0 - 1] mask %m else %z : f32 : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<66xf32>
}

// A row that begins between aligned addresses: the first vector and the last are
// masked, lane by lane; those between are aligned loads without a mask.
// CHECK-LABEL: gpu.func @odd_rows
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:       scf.for
// CHECK-NOT:     scf.if
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:       gpu.return
wrapper.kernel @odd_rows(%x: tensor<512x5001xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[5001, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "max" [512, 5001] (%a = %x) : (tensor<512x5001xf32>) -> tensor<512xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 128, index_bits = 32, align_to = 0> {
    %v = loop.load %a[d0, d1] : tensor<512x5001xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<512xf32>
}
