// Threads keep what they loaded of a long row of short elements in shared memory:
// one read of global memory, and room for two blocks.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local
// Chips without enough of it keep the row in registers.
// RUN: coil-compile %s --target=cuda:sm_75 --to=wrapper | FileCheck %s --check-prefix=OLD

// CHECK-LABEL: .entry softmax
// CHECK: .maxntid 512
// CHECK: .minnctapersm 2
// CHECK-COUNT-8: ld.global{{(.nc)?}}.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.shared.v4.b32
// CHECK: bar.sync
// CHECK-COUNT-2: ld.shared.v4.b32 {{.*}}+57344]
// CHECK-COUNT-8: st.global.v4.b32
// CHECK: ret
// OLD: threads_r = 1024, items_r = 4, persistent = true
func.func @softmax(%x: tensor<4096x32768xbf16>) -> tensor<4096x32768xbf16> {
  %0 = loop.kernel "softmax" [4096, 32768] (%a = %x) : (tensor<4096x32768xbf16>) -> tensor<4096x32768xbf16> {
    %v = loop.load %a[d0, d1] : tensor<4096x32768xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %m = loop.reduce max %f over [1] : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    %r = arith.truncf %q : f32 to bf16
    loop.store %r, 0 [d0, d1] : bf16
  }
  return %0 : tensor<4096x32768xbf16>
}
