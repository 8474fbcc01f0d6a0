// RUN: coil-opt %s --convert-wrapper-to-llvm | FileCheck %s
// RUN: coil-opt %s --convert-wrapper-to-llvm=max-steps=2 | FileCheck %s --check-prefix=PARTS

!b = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

// A pool is one allocation, a buffer in it an address, and its end nothing.
// CHECK-LABEL: llvm.func @coil_main
// CHECK: %[[BYTES:.+]] = llvm.mul %{{.+}}, %{{.+}} : i64
// CHECK: llvm.call @coil_rt_alloc(%{{.+}}, %[[BYTES]], %[[SLOT:.+]]) :
// CHECK: %[[P:.+]] = llvm.load %[[SLOT]]
// CHECK: %[[OFFSET:.+]] = llvm.mul %{{.+}}, %{{.+}} : i64
// CHECK: %[[B:.+]] = llvm.getelementptr %[[P]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: "llvm.intr.memcpy"(%[[P]], %{{.+}}, %{{.+}})
// CHECK: "llvm.intr.memcpy"(%[[B]], %[[P]], %{{.+}})
// CHECK-NOT: coil_rt_free
// CHECK: llvm.call @coil_rt_free(%{{.+}}, %[[P]])
// CHECK-NOT: coil_rt_free
// CHECK: llvm.return
// PARTS: llvm.func @coil_main.part
// PARTS: llvm.call @coil_rt_free
wrapper.func @main(%x: !b) attributes {sym.symbols = {s = #sym.range<1, 64>}} {
  wrapper.input_symbol "s" = size 0 of %x : !b
  %p = wrapper.pool <s * 256> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  %1 = wrapper.pool_alloc %p at <s * 64> : !p to !b
  wrapper.copy %x to %0 : !b
  wrapper.copy %0 to %1 : !b
  wrapper.pool_release %0 : !b
  wrapper.pool_release %1 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// The size of a pool must not overflow, either.
// CHECK-LABEL: llvm.func @coil_unbounded
// CHECK: llvm.intr.smul.with.overflow
// CHECK: llvm.call @coil_rt_fail
wrapper.func @unbounded(%x: !b, %y: !wrapper.buffer<[t], f32, #wrapper.device<"cpu">>) {
  wrapper.input_symbol "s" = size 0 of %x : !b
  wrapper.input_symbol "t" = size 0 of %y : !wrapper.buffer<[t], f32, #wrapper.device<"cpu">>
  %p = wrapper.pool <max(s * t * 64, s * 64)> : !p
  wrapper.pool_free %p : !p
  wrapper.return
}
