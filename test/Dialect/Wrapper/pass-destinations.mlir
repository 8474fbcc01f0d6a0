// RUN: coil-opt %s --split-input-file --wrapper-pass-destinations | FileCheck %s
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-pass-destinations,wrapper-plan-memory,wrapper-verify-memory)' -o /dev/null
// RUN: coil-opt %s --split-input-file --wrapper-pass-destinations --remarks-filter=wrapper-pass-destinations 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!b = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[s0 * 4], f32, #wrapper.device<"cpu">>
wrapper.kernel @relu() attributes {input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = ["s0"]} {
}

// B35: what is allocated for a result is the caller's memory, through a view,
// too; it is checked behind the symbols that its layout mentions.
// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>,
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">> {coil.name = "y", wrapper.destination},
// CHECK-SAME:    %[[Z:[a-z0-9]+]]: !wrapper.buffer<[s0 * 4], f32, #wrapper.device<"cpu">> {coil.name = "out1", wrapper.destination}) attributes
// CHECK-NEXT:    wrapper.input_symbol "s0" = size 0 of %[[X]]
// CHECK-NEXT:    wrapper.assert_layout %[[X]], "x"
// CHECK-NEXT:    wrapper.assert_layout %[[Y]], "y"
// CHECK-NEXT:    wrapper.assert_layout %[[Z]], "out1"
// CHECK-NEXT:    wrapper.launch @relu[s0] ins(%[[X]] : {{.+}}) outs(%[[Y]] :
// CHECK-NEXT:    %[[V:.+]] = wrapper.reinterpret %[[Z]] at <0>
// CHECK-NEXT:    wrapper.launch @relu[s0] ins(%[[Y]] : {{.+}}) outs(%[[V]] :
// CHECK-NEXT:    wrapper.reinterpret %[[V]]
// CHECK-NEXT:    wrapper.return
// CHECK-NEXT:  }
wrapper.func @main(%x: !b) -> (!b {coil.name = "y"}, !c) attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  wrapper.launch @relu[s0] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @relu[s0] ins(%0 : !b) outs(%1 : !b)
  %2 = wrapper.reinterpret %1 at <0> : !b to !c
  wrapper.return %0, %2 : !b, !c
}

// -----

!b = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.kernel @fill() attributes {input_strides = [], output_strides = [#sym.shape<[1, 2]>], symbols = []} {
}
wrapper.kernel @dense() attributes {input_strides = [], output_strides = [#sym.shape<[3, 1]>], symbols = []} {
}

// A result with strides, and one that a branch makes, are copied.
// REMARK: [Missed] ResultCopied | {{.*}}Remark="result 0 is copied to its destination"
// REMARK: [Missed] ResultCopied | {{.*}}Remark="result 1 is copied to its destination"
// CHECK:       wrapper.kernel @copy_to_destination(%{{.+}}: tensor<2x3xf32>) attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[1, 2]>], output_strides = [#sym.shape<[3, 1]>], symbols = []}
// CHECK:         loop.kernel "copy" [2, 3]
// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">> {coil.name = "out0", wrapper.destination}
// CHECK-SAME:    %[[B:[a-z0-9]+]]: !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">> {coil.name = "out1", wrapper.destination})
// CHECK:         %[[T:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.launch @fill[] outs(%[[T]] :
// CHECK:         %[[R:.+]] = wrapper.if
// CHECK:         wrapper.launch @copy_to_destination[] ins(%[[T]] : {{.+}}) outs(%[[A]] :
// CHECK-NEXT:    wrapper.copy %[[R]] to %[[B]]
// CHECK-NEXT:    wrapper.return
wrapper.func @main(%p: !i) -> (!t, !b) {
  %0 = wrapper.alloc : !t
  wrapper.launch @fill[] outs(%0 : !t)
  %1 = wrapper.if %p : !i -> (!b) {
    %2 = wrapper.alloc : !b
    wrapper.launch @dense[] outs(%2 : !b)
    wrapper.yield %2 : !b
  } else {
    %2 = wrapper.alloc : !b
    wrapper.launch @dense[] outs(%2 : !b)
    wrapper.yield %2 : !b
  }
  wrapper.return %0, %1 : !t, !b
}
