// RUN: coil-opt %s --split-input-file --verify-diagnostics

wrapper.func @c1(%x: !wrapper.buffer<[8, 8], f32, #wrapper.device<"cpu">>) {
  // (C1)
  // expected-error@+1 {{device 'cpu' has no tensor maps}}
  %d = wrapper.tma_descriptor %x box [8, 8] : !wrapper.buffer<[8, 8], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @c2(%x: !wrapper.buffer<[], f32, #wrapper.device<"cuda">>) {
  // (C2)
  // expected-error@+1 {{has a buffer of 0 dimensions, but tensor maps have one to five}}
  %d = wrapper.tma_descriptor %x box [] : !wrapper.buffer<[], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c2_many(%x: !wrapper.buffer<[1, 1, 1, 1, 1, 8], f32, #wrapper.device<"cuda">>) {
  // (C2)
  // expected-error@+1 {{has a buffer of 6 dimensions, but tensor maps have one to five}}
  %d = wrapper.tma_descriptor %x box [1, 1, 1, 1, 1, 8] : !wrapper.buffer<[1, 1, 1, 1, 1, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c3(%x: !wrapper.buffer<[16], i24, #wrapper.device<"cuda">>) {
  // (C3)
  // expected-error@+1 {{tensor maps have no elements of type 'i24'}}
  %d = wrapper.tma_descriptor %x box [16] : !wrapper.buffer<[16], i24, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c4(%x: !wrapper.buffer<[8, 8], strides = [1, 8], f32, #wrapper.device<"cuda">>) {
  // (C4)
  // expected-error@+1 {{the innermost stride is '8' but must be 1}}
  %d = wrapper.tma_descriptor %x box [8, 8] : !wrapper.buffer<[8, 8], strides = [1, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c5(%x: !wrapper.buffer<[8, 6], f32, #wrapper.device<"cuda">>) {
  // (C5)
  // expected-error@+1 {{dimension 0 has a stride of 6 elements of 4 bytes, which must be a positive multiple of 16 bytes, less than 2^40}}
  %d = wrapper.tma_descriptor %x box [8, 4] : !wrapper.buffer<[8, 6], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c5_zero(%x: !wrapper.buffer<[8, 8], strides = [0, 1], f32, #wrapper.device<"cuda">>) {
  // (C5)
  // expected-error@+1 {{dimension 0 has a stride of 0 elements of 4 bytes}}
  %d = wrapper.tma_descriptor %x box [8, 8] : !wrapper.buffer<[8, 8], strides = [0, 1], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c5_interleaved(%x: !wrapper.buffer<[2, 8, 12], f32, #wrapper.device<"cuda">>) {
  // (C5)
  // expected-error@+1 {{dimension 1 has a stride of 12 elements of 4 bytes, which must be a positive multiple of 32 bytes}}
  %d = wrapper.tma_descriptor %x box [1, 8, 8] interleave b32 swizzle b32 : !wrapper.buffer<[2, 8, 12], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c6(%x: !wrapper.buffer<[0, 8], f32, #wrapper.device<"cuda">>) {
  // (C6)
  // expected-error@+1 {{dimension 0 has the size 0, which must be from 1 to 2^32}}
  %d = wrapper.tma_descriptor %x box [8, 8] : !wrapper.buffer<[0, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c7(%x: !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>) {
  // (C7)
  // expected-error@+1 {{expected a box of 2 sizes from 1 to 256 but got [8]}}
  %d = wrapper.tma_descriptor %x box [8] : !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c7_large(%x: !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>) {
  // (C7)
  // expected-error@+1 {{expected a box of 2 sizes from 1 to 256 but got [257, 8]}}
  %d = wrapper.tma_descriptor %x box [257, 8] : !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c8(%x: !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>) {
  // (C8)
  // expected-error@+1 {{expected 2 strides of elements from 1 to 8 but got [9, 1]}}
  %d = wrapper.tma_descriptor %x box [8, 8] strides [9, 1] : !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c9(%x: !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>) {
  // (C9)
  // expected-error@+1 {{the innermost size of the box has 24 bytes, which is no multiple of 16}}
  %d = wrapper.tma_descriptor %x box [8, 6] : !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c9_swizzled(%x: !wrapper.buffer<[8, 32], f32, #wrapper.device<"cuda">>) {
  // (C9)
  // expected-error@+1 {{the innermost size of the box has 128 bytes, but rows of 64 are swizzled}}
  %d = wrapper.tma_descriptor %x box [8, 32] swizzle b64 : !wrapper.buffer<[8, 32], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c10(%x: !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>) {
  // (C10)
  // expected-error@+1 {{interleaves channels of a buffer of 2 dimensions, which needs three or more}}
  %d = wrapper.tma_descriptor %x box [8, 8] interleave b16 : !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c10_swizzle(%x: !wrapper.buffer<[8, 8, 8], f32, #wrapper.device<"cuda">>) {
  // (C10)
  // expected-error@+1 {{interleaves pieces of 32 bytes, which needs 'swizzle b32'}}
  %d = wrapper.tma_descriptor %x box [8, 8, 8] interleave b32 : !wrapper.buffer<[8, 8, 8], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

wrapper.func @c11(%x: !wrapper.buffer<[8, 8], i32, #wrapper.device<"cuda">>) {
  // (C11)
  // expected-error@+1 {{cannot fill elements of type 'i32' with NaNs}}
  %d = wrapper.tma_descriptor %x box [8, 8] fill nan : !wrapper.buffer<[8, 8], i32, #wrapper.device<"cuda">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
wrapper.func @free(%x: !b) {
  %d = wrapper.tma_descriptor %x box [8, 8] : !b
  // Nothing frees one.
  // expected-error@+1 {{operand #0 must be buffer, but got '!wrapper.tma_descriptor'}}
  "wrapper.free"(%d) : (!wrapper.tma_descriptor) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
wrapper.func @drop(%x: !b) {
  %d = wrapper.tma_descriptor %x box [8, 8] : !b
  // expected-error@+1 {{but got '!wrapper.tma_descriptor'}}
  "wrapper.drop"(%d) : (!wrapper.tma_descriptor) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
// It stays in its function.
// expected-error@+1 {{expected buffers in the signature but got '!wrapper.tma_descriptor'}}
wrapper.func @returned(%x: !b) -> !wrapper.tma_descriptor {
  %d = wrapper.tma_descriptor %x box [8, 8] : !b
  "wrapper.return"(%d) : (!wrapper.tma_descriptor) -> ()
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {}
wrapper.func @launch_user_c7(%x: !b) {
  // (C7)
  // expected-error@+1 {{has 0 maps but arguments for 1}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] ins(%x : !b)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {}
wrapper.func @launch_user_c7_other(%x: !b, %y: !b) {
  %d = wrapper.tma_descriptor %y box [8, 8] : !b
  // (C7)
  // expected-error@+1 {{the map for parameter 'x' is not made of the buffer that is passed}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] ins(%x : !b) maps(%d)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {}
wrapper.func @launch_user_c2_null() {
  // There is no map of nothing.
  // expected-error@+1 {{parameter 'x' of kind 'read' does not take the argument #wrapper.null}}
  wrapper.launch_user @k grid @g[] config {} arguments [#wrapper.null]
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 8], f32, #wrapper.device<"cuda">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>]} {}
wrapper.func @launch_user_c7_address(%x: !b) {
  %d = wrapper.tma_descriptor %x box [8, 8] : !b
  // (C7)
  // expected-error@+1 {{has 1 maps but arguments for 0}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] ins(%x : !b) maps(%d)
  wrapper.return
}
