// A kernel that may start while the one before it runs waits for that before its
// first access, and has no load that could be moved in front of the wait.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=ld.global.nc
// RUN: coil-compile %s --target=cuda:sm_89 --to=native -o %t.old.mlir
// RUN: coil-translate --kernels-to-ptx %t.old.mlir | FileCheck %s --check-prefix=OLD --implicit-check-not=griddepcontrol

// CHECK-LABEL: .entry row
// CHECK-NOT: {{(ld|st).global}}
// CHECK: griddepcontrol.wait;
// CHECK: griddepcontrol.launch_dependents;
// CHECK: ld.global.v4.b32
// CHECK: st.global
// OLD: ld.global.nc.v4.b32
func.func @row(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
  %0 = loop.kernel "row" [512, 1024] (%a = %x) : (tensor<512x1024xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d0, d1] : tensor<512x1024xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<512xf32>
}

// What a scatter adds is loaded before the index is there, not behind the check of
// the index.
// CHECK-LABEL: .entry rows
// CHECK: ld.global.b64
// CHECK-NOT: bra
// CHECK: ld.global.v4.b32
// CHECK: bra
// CHECK: red.relaxed.gpu.global.add.v4.f32
func.func @rows(%x: tensor<512x1024xf32>, %i: tensor<64xi64>, %v: tensor<64x1024xf32>) -> tensor<512x1024xf32> {
  %0 = loop.kernel "rows" [64, 1024] (%in = %x, %a = %v, %b = %i) : (tensor<512x1024xf32>, tensor<64x1024xf32>, tensor<64xi64>) -> tensor<512x1024xf32> {
    %n = loop.load %b[d0] : tensor<64xi64> -> i64
    %w = loop.load %a[d0, d1] : tensor<64x1024xf32> -> f32
    loop.scatter sum %w into %in[t0, d1](%n) bounds wrap_check as 0 over [0] : f32, tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// What only writes is through before it could wait.
// CHECK-LABEL: .entry zero
// CHECK-NOT: griddepcontrol
// CHECK: ret;
func.func @zero() -> tensor<65536xf32> {
  %0 = loop.kernel "zero" [65536] () : () -> tensor<65536xf32> {
    %z = arith.constant 0.0 : f32
    loop.store %z, 0 [d0] : f32
  }
  return %0 : tensor<65536xf32>
}
