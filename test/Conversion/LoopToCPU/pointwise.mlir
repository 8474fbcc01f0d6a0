// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,canonicalize,cse))' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,canonicalize,cse,convert-cpu-kernel-to-llvm{vector-bits=512}))' --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=LLVM

// A block of 4096 points a task: whole vectors, then a masked remainder.
// CHECK-LABEL: wrapper.kernel @exp
// CHECK-SAME:  grain = 8 : i64
// CHECK-SAME:  total = #sym.expr<(s0 + 4095) floordiv 4096>
// CHECK:       llvm.func @exp(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %[[BEGIN:.+]]: i64, %[[END:.+]]: i64) -> i32
// CHECK:       scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK:       scf.for
// CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr -> vector<16xf32>
// CHECK-COUNT-2: math.exp %{{.+}} : vector<16xf32>
// CHECK-COUNT-2: llvm.store %{{.+}} : vector<16xf32>
// CHECK:       scf.for
// CHECK:       llvm.intr.masked.load
// CHECK:       llvm.intr.masked.store
// LLVM-LABEL:  wrapper.kernel @exp
// LLVM:        llvm.func @_ZGVeN16v_expf(vector<16xf32>) -> vector<16xf32>
// LLVM:        llvm.call @_ZGVeN16v_expf
// LLVM-NOT:    scf.
// LLVM-NOT:    math.
wrapper.kernel @exp(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "exp" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> schedule<vector_dim = 0, vector_width = 16, unroll = 2, block = 4096, grain = 8> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %e = math.exp %v : f32
    loop.store %e, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// -----

// Sixteen lanes of f64 are two calls of eight.
// LLVM-LABEL:  wrapper.kernel @split_call
// LLVM-COUNT-2: llvm.call @_ZGVeN8v_tanh
wrapper.kernel @split_call(%x: tensor<16xf64>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "tanh" [16] (%a = %x) : (tensor<16xf64>) -> tensor<16xf64> schedule<vector_dim = 0, vector_width = 16, block = 16> {
    %v = loop.load %a[d0] : tensor<16xf64> -> f64
    %e = math.tanh %v : f64
    loop.store %e, 0 [d0] : f64
  }
  wrapper.yield %0 : tensor<16xf64>
}

// -----

// A stride of more than a few elements is a gather; bools take a byte in memory.
// CHECK-LABEL: wrapper.kernel @strided_bool
// CHECK:       llvm.intr.masked.gather
// CHECK:       arith.cmpf
// CHECK:       arith.extui %{{.+}} : vector<16xi1> to vector<16xi8>
// CHECK:       llvm.store %{{.+}} : vector<16xi8>
wrapper.kernel @strided_bool(%x: tensor<16xf32>) attributes {input_strides = [#sym.shape<[5]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "isnan" [16] (%a = %x) : (tensor<16xf32>) -> tensor<16xi1> schedule<vector_dim = 0, vector_width = 16, block = 16> {
    %v = loop.load %a[d0] : tensor<16xf32> -> f32
    %e = arith.cmpf uno, %v, %v : f32
    loop.store %e, 0 [d0] : i1
  }
  wrapper.yield %0 : tensor<16xi1>
}

// -----

// An index out of range sets the status and is not read.
// CHECK-LABEL: wrapper.kernel @gather
// CHECK:       %[[FLAG:.+]] = llvm.alloca
// CHECK:       arith.cmpi slt
// CHECK:       %[[OK:.+]] = arith.cmpi ult
// CHECK:       scf.if
// CHECK-NEXT:  llvm.store %{{.+}}, %[[FLAG]]
// CHECK:       llvm.intr.masked.gather
// CHECK:       %[[STATUS:.+]] = llvm.load %[[FLAG]]
// CHECK:       llvm.return %[[STATUS]]
wrapper.kernel @gather(%x: tensor<100xf32>, %i: tensor<16xi64>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "gather" [16] (%a = %x, %b = %i) : (tensor<100xf32>, tensor<16xi64>) -> tensor<16xf32> schedule<vector_dim = 0, vector_width = 16, block = 16> {
    %p = loop.load %b[d0] : tensor<16xi64> -> i64
    %v = loop.load %a[t0](%p) bounds wrap_check : tensor<100xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<16xf32>
}

// -----

// expected-error@+1 {{'wrapper.kernel' op has no loop kernel to convert for the CPU}}
wrapper.kernel @convert_loop_to_cpu_c1() attributes {input_strides = [], output_strides = [], symbols = []} {
  llvm.func @convert_loop_to_cpu_c1(!llvm.ptr, !llvm.ptr, i64, i64) -> i32
}

// -----

// expected-error@+1 {{'wrapper.kernel' op is scheduled for the library 'onednn' and cannot be converted to a loop}}
wrapper.kernel @convert_loop_to_cpu_c2(%x: tensor<16xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "copy" [16] (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> schedule<library = "onednn"> {
    %v = loop.load %a[d0] : tensor<16xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<16xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c3(%x: tensor<16xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{'loop.kernel' op has a schedule for another device than the CPU}}
  %0 = loop.kernel "copy" [16] (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> schedule #loop.gpu_schedule<threads_p = 256> {
    %v = loop.load %a[d0] : tensor<16xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<16xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_op(%x: tensor<16xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "copy" [16] (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    // expected-error@+1 {{'loop.view' op has no CPU lowering}}
    %w = loop.view %a[d0] : tensor<16xf32> -> tensor<16xf32>
    %v = loop.load %a[d0] : tensor<16xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<16xf32>
}

// -----

// A streamed result: vectors go past the caches where they are aligned, masked
// ones do not, and a fence ends the function.
// CHECK-LABEL: wrapper.kernel @streamed
// CHECK:       scf.for
// CHECK:         %[[FIRST:.+]] = llvm.ptrtoint
// CHECK:         %[[OFFSET:.+]] = arith.andi %[[FIRST]], %c63
// CHECK:         %[[ALIGNED:.+]] = arith.cmpi eq, %[[OFFSET]]
// CHECK:         scf.if %[[ALIGNED]]
// CHECK-COUNT-2:   llvm.store {{.+}} {alignment = 64 : i64, nontemporal}
// CHECK:         } else {
// CHECK-COUNT-2:   llvm.store {{.+}} {alignment = 4 : i64}
// CHECK:       llvm.intr.masked.store
// CHECK-NOT:   nontemporal
// CHECK:       llvm.fence seq_cst
// CHECK-NEXT:  llvm.return
wrapper.kernel @streamed(%x: tensor<100001xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "neg" [100001] (%a = %x) : (tensor<100001xf32>) -> tensor<100001xf32> schedule<vector_dim = 0, vector_width = 16, unroll = 2, block = 4096, stream = [0]> {
    %v = loop.load %a[d0] : tensor<100001xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<100001xf32>
}
