// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @pool
wrapper.func @pool(%x: !b) {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  // CHECK: %[[P:.+]] = wrapper.pool <s0 * 4 + 64> : !wrapper.pool<#wrapper.device<"cpu">>
  %p = wrapper.pool <s0 * 4 + 64> : !p
  // CHECK: %[[A:.+]] = wrapper.pool_alloc %[[P]] at <64> : !wrapper.pool<#wrapper.device<"cpu">> to !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  %a = wrapper.pool_alloc %p at <64> : !p to !b
  // CHECK: %[[B:.+]] = wrapper.reuse %[[A]]
  %b = wrapper.reuse %a : !b to !b
  // CHECK: wrapper.pool_release %[[B]] : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  wrapper.pool_release %b : !b
  // CHECK: wrapper.pool_free %[[P]] : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.pool_free %p : !p
  // CHECK: wrapper.pool <0> : !wrapper.pool<#wrapper.device<"toy", 1>>
  %q = wrapper.pool <0> : !wrapper.pool<#wrapper.device<"toy", 1>>
  wrapper.return
}
