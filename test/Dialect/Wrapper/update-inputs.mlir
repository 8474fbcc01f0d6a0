// RUN: coil-opt %s --split-input-file --wrapper-update-inputs | FileCheck %s
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-update-inputs,wrapper-plan-memory,wrapper-verify-memory)' -o /dev/null
// RUN: coil-opt %s --split-input-file --wrapper-update-inputs --remarks-filter=wrapper-update-inputs 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!b = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @put() attributes {input_strides = [#sym.shape<[4, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[4, 1]>], symbols = ["s0"], in_place = array<i64: 0, 0>} {
}

// A cache: only the row is written, the copy is gone. The first result is the
// buffer itself.
// REMARK: InputUpdated | {{.*}}input 'cache' is updated in its memory
// CHECK-LABEL: wrapper.func @cache(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">> {coil.name = "cache", wrapper.updated}, %[[N:[a-z0-9]+]]:
// CHECK-NEXT:    wrapper.input_symbol
// CHECK-NEXT:    wrapper.assert_layout
// CHECK-NEXT:    wrapper.launch @put[s0] ins(%[[C]], %[[N]] : {{.+}}) outs(%[[C]] :
// CHECK-NEXT:    wrapper.return %[[C]] :
wrapper.func @cache(%cache: !b {coil.name = "cache"}, %new: !n {coil.name = "new"}) -> (!b {coil.user_input_mutation = "cache"}) attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %cache : !b
  wrapper.assert_layout %cache, "cache" : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %cache to %0 : !b
  wrapper.launch @put[s0] ins(%0, %new : !b, !n) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[6], f32, #wrapper.device<"cpu">>
wrapper.kernel @step() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>, #sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1>} {
}

// A step of an optimizer, which has flattened its tensors: a parameter (a
// weight) and its state are written where they are read.
// CHECK-LABEL: wrapper.func @optimizer(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: {{[^{]+}} {graph.weight = "p", wrapper.updated}, %[[M:[a-z0-9]+]]: {{[^{]+}} {coil.name = "m", wrapper.updated}, %[[G:[a-z0-9]+]]: {{[^{]+}} {coil.name = "g"})
// CHECK-DAG:     %[[Q:.+]] = wrapper.reinterpret %[[P]] at <0>
// CHECK-DAG:     %[[N:.+]] = wrapper.reinterpret %[[M]] at <0>
// CHECK-NOT:     wrapper.alloc
// CHECK:         wrapper.launch @step[] ins(%{{.+}}, %{{.+}}, %{{.+}} : {{.+}}) outs(%{{.+}}, %{{.+}} :
// CHECK:         wrapper.return %[[P]], %[[M]] :
wrapper.func @optimizer(%p: !b {graph.weight = "p"}, %m: !b {coil.name = "m"}, %g: !b {coil.name = "g"}) -> (!b {coil.parameter_mutation = "p"}, !b {coil.user_input_mutation = "m"}) {
  %0 = wrapper.reinterpret %p at <0> : !b to !f
  %1 = wrapper.reinterpret %m at <0> : !b to !f
  %2 = wrapper.reinterpret %g at <0> : !b to !f
  %3 = wrapper.alloc : !f
  %4 = wrapper.alloc : !f
  wrapper.launch @step[] ins(%0, %1, %2 : !f, !f, !f) outs(%3, %4 : !f, !f)
  %5 = wrapper.reinterpret %3 at <0> : !f to !b
  %6 = wrapper.reinterpret %4 at <0> : !f to !b
  wrapper.return %5, %6 : !b, !b
}

// -----

!t = !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cpu">>
wrapper.kernel @relu() attributes {input_strides = [#sym.shape<[1, 2]>], output_strides = [#sym.shape<[1, 2]>], symbols = [], in_place = array<i64: 0, 0>} {
}

// Dimensions in another order; a buffer.
// CHECK-LABEL: wrapper.func @transposed(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: {{[^{]+}} {graph.weight = "x", wrapper.updated}
// CHECK-NEXT:    wrapper.launch @relu[] ins(%[[X]] : {{.+}}) outs(%[[X]] :
// CHECK-NEXT:    wrapper.return %[[X]] :
wrapper.func @transposed(%x: !t {graph.weight = "x"}) -> (!t {coil.buffer_mutation = "x"}) {
  %0 = wrapper.alloc : !t
  wrapper.launch @relu[] ins(%x : !t) outs(%0 : !t)
  wrapper.return %0 : !t
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// Two inputs exchange their values: the one that is copied first is written
// last.
// REMARK: InputNotUpdated | {{.*}}input 'a' is not updated in its memory: it is read after the step that first writes the result
// REMARK: InputUpdated | {{.*}}input 'b' is updated in its memory
// CHECK-LABEL: wrapper.func @swap(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^{]+}} {coil.name = "a"}, %[[B:[a-z0-9]+]]: {{[^{]+}} {coil.name = "b", wrapper.updated}
// CHECK-NEXT:    %[[N:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.copy %[[B]] to %[[N]]
// CHECK-NEXT:    wrapper.copy %[[A]] to %[[B]]
// CHECK-NEXT:    wrapper.return %[[N]], %[[B]] :
wrapper.func @swap(%a: !b {coil.name = "a"}, %b: !b {coil.name = "b"}) -> (!b {coil.user_input_mutation = "a"}, !b {coil.user_input_mutation = "b"}) {
  %0 = wrapper.alloc : !b
  wrapper.copy %b to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %a to %1 : !b
  wrapper.return %0, %1 : !b, !b
}
