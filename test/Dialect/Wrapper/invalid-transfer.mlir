// RUN: coil-opt %s --split-input-file --verify-diagnostics

!h = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[5], f32, #wrapper.device<"cuda">>
wrapper.func @transfer_c1(%x: !h, %y: !g) {
  // (C1)
  // expected-error @below {{moves elements of '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>' to '!wrapper.buffer<[5], f32, #wrapper.device<"cuda">>'}}
  wrapper.transfer %x to %y : !h to !g
  wrapper.return
}

// -----

!h = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @transfer_c2(%x: !h, %y: !h) {
  // (C2)
  // expected-error @below {{stays on #wrapper.device<"cpu">; that is 'wrapper.copy'}}
  wrapper.transfer %x to %y : !h to !h
  wrapper.return
}

// -----

!h = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cuda">>
wrapper.func @transfer_c3(%x: !h, %y: !g) {
  // (C3)
  // expected-error @below {{expected a contiguous target but got}}
  wrapper.transfer %x to %y : !h to !g
  wrapper.return
}

// -----

!h = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @transfer_c4(%x: !g, %y: !h) {
  // (C4)
  // expected-error @below {{nothing tells when the host may read its target}}
  wrapper.transfer %x to %y non_blocking : !g to !h
  wrapper.return
}
