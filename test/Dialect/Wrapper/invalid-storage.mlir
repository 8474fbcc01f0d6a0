// RUN: coil-opt %s --wrapper-verify-memory --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c1(%x: !b) {
  // expected-error@+1 {{expected one element type and one device}}
  %0 = wrapper.resize_storage %x : !b to !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c1_device(%x: !b) {
  // expected-error @below {{'wrapper.resize_storage' op has '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>' and '!wrapper.buffer<[4], f32, #wrapper.device<"cuda">>', expected one element type and one device}}
  %0 = wrapper.resize_storage %x : !b to !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 2], strides = [1, 4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c2(%x: !b) {
  // expected-error@+1 {{expected contiguous buffers}}
  %0 = wrapper.resize_storage %x : !b to !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c2_result(%x: !b) {
  // expected-error @below {{'wrapper.resize_storage' op expected contiguous buffers}}
  %0 = wrapper.resize_storage %x : !b to !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c3_view(%x: !b) {
  %v = wrapper.reinterpret %x at <0> : !b to !b
  // expected-error@+1 {{resizes a view, a part of a pool, or memory that neither the function nor a caller of the program owns}}
  %0 = wrapper.resize_storage %v : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @resize_storage_c3_private(%x: !b) {
  // expected-error@+1 {{resizes a view, a part of a pool, or memory that neither the function nor a caller of the program owns}}
  %0 = wrapper.resize_storage %x : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c3_destination(%x: !b {wrapper.destination}) {
  // expected-error @below {{'wrapper.resize_storage' op resizes a view, a part of a pool, or memory that neither the function nor a caller of the program owns}}
  %0 = wrapper.resize_storage %x : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @resize_storage_c3_pool() {
  %p = wrapper.pool <64> : !wrapper.pool<#wrapper.device<"cpu">>
  %0 = wrapper.pool_alloc %p at <0> : !wrapper.pool<#wrapper.device<"cpu">> to !b
  // expected-error @below {{'wrapper.resize_storage' op resizes a view, a part of a pool, or memory that neither the function nor a caller of the program owns}}
  %1 = wrapper.resize_storage %0 : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @set_storage_c1_same(%x: !b) {
  // expected-error@+1 {{expected two different arguments of a public function}}
  wrapper.set_storage %x from %x : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @set_storage_c1_own(%x: !b) {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{expected two different arguments of a public function}}
  wrapper.set_storage %x from %0 : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @set_storage_c1_private(%x: !b, %y: !b) {
  // expected-error @below {{'wrapper.set_storage' op expected two different arguments of a public function}}
  wrapper.set_storage %x from %y : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @set_storage_c1_destination(%x: !b, %y: !b {wrapper.destination}) {
  // expected-error @below {{'wrapper.set_storage' op expected two different arguments of a public function}}
  wrapper.set_storage %x from %y : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
wrapper.func @set_storage_c2(%x: !b, %y: !i) {
  // expected-error@+1 {{expected one element type and one device}}
  wrapper.set_storage %x from %y : !b, !i
  wrapper.return
}

// -----

// Views of what was resized or exchanged are dead.
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_resized(%x: !b) -> !b {
  %v = wrapper.reinterpret %x at <0> : !b to !wrapper.buffer<[4], strides = [1], f32, #wrapper.device<"cpu">>
  // expected-note@+1 {{given away here}}
  %0 = wrapper.resize_storage %x : !b to !b
  %1 = wrapper.alloc : !b
  // expected-error@+1 {{uses a buffer after its storage was given away}}
  wrapper.copy %v to %1 : !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_set(%x: !b, %y: !b) -> !b {
  // expected-note@+1 {{given away here}}
  wrapper.set_storage %x from %y : !b, !b
  %1 = wrapper.alloc : !b
  // expected-error@+1 {{uses a buffer after its storage was given away}}
  wrapper.copy %x to %1 : !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c5_resized(%x: !b) -> !b {
  %0 = wrapper.resize_storage %x : !b to !b
  // expected-error@+1 {{returns storage that the function does not own}}
  wrapper.return %0 : !b
}
