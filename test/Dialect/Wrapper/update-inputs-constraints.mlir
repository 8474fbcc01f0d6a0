// What keeps an input from being updated in its own memory, by constraint of the
// pass: nothing changes, and a remark says why.
// RUN: coil-opt %s --split-input-file --wrapper-update-inputs --remarks-filter=wrapper-update-inputs 2>&1 >/dev/null | FileCheck %s
// RUN: coil-opt %s --split-input-file --wrapper-update-inputs | FileCheck %s --check-prefix=IR
// RUN: not coil-opt %S/Inputs/update-inputs-planned.mlir --wrapper-update-inputs 2>&1 | FileCheck %s --check-prefix=PLANNED
// PLANNED: error: memory of function 'main' is planned already

// IR-NOT: wrapper.updated

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c1_argument' is not updated in its memory: the result is no allocation of its own
wrapper.func @c1_argument(%x: !b {coil.name = "c1_argument"}, %y: !b {coil.name = "y", wrapper.destination}) -> (!b {coil.user_input_mutation = "c1_argument"}) {
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c1_twice' is not updated in its memory: something else takes the storage over
wrapper.func @c1_twice(%x: !b {coil.name = "c1_twice"}) -> (!b {coil.user_input_mutation = "c1_twice"}, !b) {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.return %0, %0 : !b, !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c1_returned' is not updated in its memory: something else takes the storage over
wrapper.func @c1_returned(%x: !b {coil.name = "c1_returned"}) -> (!b {coil.user_input_mutation = "c1_returned"}, !b) {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.return %0, %x : !b, !b
}

// -----

!b = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cpu">>
wrapper.kernel @relu() attributes {input_strides = [#sym.shape<[1, 2]>], output_strides = [#sym.shape<[3, 1]>], symbols = []} {
}

// CHECK: input 'c2_transposed' is not updated in its memory: the result has another layout
wrapper.func @c2_transposed(%x: !t {coil.name = "c2_transposed"}) -> (!b {coil.user_input_mutation = "c2_transposed"}) {
  %0 = wrapper.alloc : !b
  wrapper.launch @relu[] ins(%x : !t) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!e = !wrapper.buffer<[2, 3], strides = [0, 1], f32, #wrapper.device<"cpu">>
wrapper.kernel @relu() attributes {input_strides = [#sym.shape<[0, 1]>], output_strides = [#sym.shape<[0, 1]>], symbols = [], in_place = array<i64: 0, 0>} {
}

// CHECK: input 'c2_overlapping' is not updated in its memory: the result has another layout
wrapper.func @c2_overlapping(%x: !e {coil.name = "c2_overlapping"}) -> (!e {coil.user_input_mutation = "c2_overlapping"}) {
  %0 = wrapper.alloc : !e
  wrapper.launch @relu[] ins(%x : !e) outs(%0 : !e)
  wrapper.return %0 : !e
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c3_alignment' is not updated in its memory: its address is a multiple of fewer bytes than a result's
wrapper.func @c3_alignment(%x: !b {coil.name = "c3_alignment", coil.alignment = 4 : i64}) -> (!b {coil.user_input_mutation = "c3_alignment"}) {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c4_read_later' is not updated in its memory: it is read after the step that first writes the result
wrapper.func @c4_read_later(%x: !b {coil.name = "c4_read_later"}) -> (!b {coil.user_input_mutation = "c4_read_later"}, !b) {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  wrapper.return %0, %1 : !b, !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @flip() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// CHECK: input 'c4_other_elements' is not updated in its memory: the step that first writes the result may read other elements
wrapper.func @c4_other_elements(%x: !b {coil.name = "c4_other_elements"}) -> (!b {coil.user_input_mutation = "c4_other_elements"}) {
  %0 = wrapper.alloc : !b
  wrapper.launch @flip[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @add() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
}

// Read twice, and only as one of the two at the element that is written.
// CHECK: input 'c4_one_of_two' is not updated in its memory: the step that first writes the result may read other elements
wrapper.func @c4_one_of_two(%x: !b {coil.name = "c4_one_of_two"}) -> (!b {coil.user_input_mutation = "c4_one_of_two"}) {
  %0 = wrapper.alloc : !b
  wrapper.launch @add[] ins(%x, %x : !b, !b) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

// CHECK: input 'c5_stream' is not updated in its memory: it is used on a stream of its own or by a collective
wrapper.func @c5_stream(%x: !b {coil.name = "c5_stream"}) -> (!b {coil.user_input_mutation = "c5_stream"}) {
  %0 = wrapper.alloc : !b
  wrapper.stream #wrapper.device<"cuda"> 1 {
    wrapper.copy %x to %0 : !b
    wrapper.yield
  }
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c5_written' is not updated in its memory: it is used on a stream of its own or by a collective
wrapper.func @c5_written(%x: !b {coil.name = "c5_written"}) -> (!b {coil.user_input_mutation = "c5_written"}) {
  %0 = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %0 group "0" : !b to !b
  wrapper.wait %t of %x to %0 : !b to !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK: input 'c5_read' is not updated in its memory: it is read after the step that first writes the result
wrapper.func @c5_read(%x: !b {coil.name = "c5_read"}) -> (!b {coil.user_input_mutation = "c5_read"}, !b) {
  %1 = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %1 group "0" : !b to !b
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.wait %t of %x to %1 : !b to !b
  wrapper.return %0, %1 : !b, !b
}
