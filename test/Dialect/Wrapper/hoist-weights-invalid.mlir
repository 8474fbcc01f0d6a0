// RUN: coil-opt %s --wrapper-hoist-weights | FileCheck %s

!v = !wrapper.buffer<[8, 4], f32, #wrapper.device<"cpu">>
wrapper.kernel @neg() attributes {input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = []} {
}

// A function that says that it is planned stays as it is, also where it frees
// nothing, which would be a reason of its own.
// CHECK-LABEL: wrapper.func @wrapper_hoist_weights_c1(
// CHECK-NOT:   .prepare
// CHECK-COUNT-2: wrapper.launch @neg
// CHECK-NOT:   .prepare
wrapper.func @wrapper_hoist_weights_c1(%w: !v {graph.weight = "w"}) -> !v attributes {wrapper.memory = {}} {
  %0 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%w : !v) outs(%0 : !v)
  %1 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%0 : !v) outs(%1 : !v)
  wrapper.return %1 : !v
}
