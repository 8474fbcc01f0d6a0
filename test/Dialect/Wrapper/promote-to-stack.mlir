// RUN: coil-opt %s --split-input-file --wrapper-promote-to-stack=limit=512 | FileCheck %s
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-promote-to-stack{limit=512},wrapper-verify-memory)' -o /dev/null
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-promote-to-stack{limit=512},wrapper-promote-to-stack{limit=0})' | FileCheck %s
// RUN: coil-opt %s --split-input-file --wrapper-promote-to-stack=limit=512 --remarks-filter=wrapper-promote-to-stack 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: not coil-opt %s --split-input-file --wrapper-promote-to-stack=limit=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: the limit of the stack is negative

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[16], i32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[128], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.kernel @k() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// The smaller first: a pool of 128 bytes, and a buffer with what takes it over,
// which is freed in its block. What is too large with them, of a size that is
// not constant, or returned, stays.
// REMARK: [Missed] NotOnStack | {{.*}}stays with the allocator: its size is not constant
// REMARK: [Missed] NotOnStack | {{.*}}stays with the allocator: its storage outlives its block
// REMARK: [Passed] OnStack | {{.*}}Bytes=64
// REMARK: [Passed] OnStack | {{.*}}Bytes=128
// REMARK: [Missed] NotOnStack | {{.*}}stays with the allocator: the limit of the stack is reached
// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    wrapper.memory = {allocations = 3 : i64, peak = 2048 : i64, pools = 2 : i64}
// CHECK:         %[[P:.+]] = wrapper.pool stack <64>
// CHECK-NEXT:    %[[A:.+]] = wrapper.pool_alloc %[[P]] at <0> {coil.note} : {{.*}} to !wrapper.buffer<[16], f32
// CHECK-NEXT:    wrapper.launch @k[] ins(%{{.+}} : {{.+}}) outs(%[[A]] :
// CHECK-NEXT:    %[[R:.+]] = wrapper.reuse %[[A]]
// CHECK:         wrapper.pool stack <128>
// CHECK:         wrapper.pool_release %[[R]]
// CHECK-NEXT:    wrapper.pool_free %[[P]]
// CHECK:         wrapper.alloc : !wrapper.buffer<[128], f32
// CHECK:         wrapper.alloc : !wrapper.buffer<[s0], f32
// CHECK:         %[[O:.+]] = wrapper.alloc : !wrapper.buffer<[16], f32
// CHECK:         wrapper.return %[[O]]
wrapper.func @main(%x: !b, %y: !s) -> !b attributes {sym.symbols = {s0 = #sym.range<0, 8>},
    wrapper.memory = {allocations = 5 : i64, peak = 2048 : i64, pools = 1 : i64}} {
  wrapper.input_symbol "s0" = size 0 of %y : !s
  %0 = wrapper.alloc {coil.note} : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.reuse %0 : !b to !h
  %q = wrapper.pool <128> : !p
  %2 = wrapper.pool_alloc %q at <64> : !p to !b
  wrapper.launch @k[] ins(%x : !b) outs(%2 : !b)
  wrapper.pool_release %2 : !b
  wrapper.pool_free %q : !p
  wrapper.free %1 : !h
  %3 = wrapper.alloc : !l
  wrapper.free %3 : !l
  %4 = wrapper.alloc : !s
  wrapper.free %4 : !s
  %5 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%5 : !b)
  wrapper.return %5 : !b
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[16], f32, #wrapper.device<"cuda">>

// Not planned (C1), or with checks (C2), or on a device of its own memory.
// CHECK-LABEL: wrapper.func @wrapper_promote_to_stack_c1(
// CHECK:         wrapper.alloc
wrapper.func @wrapper_promote_to_stack_c1() {
  %0 = wrapper.alloc : !b
  wrapper.free %0 : !b
  wrapper.return
}
// CHECK-LABEL: wrapper.func @wrapper_promote_to_stack_c2(
// CHECK:         wrapper.alloc
wrapper.func @wrapper_promote_to_stack_c2() attributes {wrapper.memory = {}} {
  wrapper.check_lifetime begin "begin" []
  %0 = wrapper.alloc : !b
  wrapper.free %0 : !b
  wrapper.return
}
// REMARK: [Missed] NotOnStack | {{.*}}stays with the allocator: its device cannot use the host's stack
// CHECK-LABEL: wrapper.func @device(
// CHECK:         wrapper.alloc
wrapper.func @device() attributes {wrapper.memory = {}} {
  %0 = wrapper.alloc : !g
  wrapper.free %0 : !g
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.kernel @k() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// In a region, what ends there; what is yielded or freed in a region of another
// op stays.
// CHECK-LABEL: wrapper.func @main(
// CHECK:         wrapper.alloc
// CHECK:         wrapper.if
// CHECK:           wrapper.pool stack <64>
// CHECK:           wrapper.alloc
// CHECK:         } else {
wrapper.func @main(%p: !i, %x: !b) -> !b attributes {wrapper.memory = {}} {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %r = wrapper.if %p : !i -> (!b) {
    %1 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%0 : !b) outs(%1 : !b)
    wrapper.free %0 : !b
    %2 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%1 : !b) outs(%2 : !b)
    wrapper.free %1 : !b
    wrapper.yield %2 : !b
  } else {
    wrapper.yield %0 : !b
  }
  wrapper.return %r : !b
}
