// Weights may be left alone.
// RUN: coil-opt %s --wrapper-update-inputs=weights=false --remarks-filter=wrapper-update-inputs 2>&1 | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

// CHECK: input 'c7_buffer' is not updated in its memory: it is a weight
// CHECK: %[[X:[a-z0-9]+]]: {{[^{]+}} {coil.name = "x", wrapper.updated}
wrapper.func @main(%w: !b {graph.weight = "c7_buffer"}, %x: !b {coil.name = "x"}) -> (!b {coil.buffer_mutation = "c7_buffer"}, !b {coil.user_input_mutation = "x"}) {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  %1 = wrapper.alloc : !b
  wrapper.fill %1 bytes 0 : !b
  wrapper.return %0, %1 : !b, !b
}
