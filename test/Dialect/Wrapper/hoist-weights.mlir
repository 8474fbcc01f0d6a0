// RUN: coil-opt %s --wrapper-hoist-weights --split-input-file | FileCheck %s
// RUN: coil-opt %s --wrapper-hoist-weights --wrapper-plan-memory --wrapper-verify-memory --split-input-file -o /dev/null
// RUN: coil-opt %s --wrapper-hoist-weights --split-input-file --remarks-filter=wrapper-hoist-weights 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!x = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[4, 8], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[8, 4], strides = [1, 8], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[8, 4], f32, #wrapper.device<"cpu">>
wrapper.kernel @copy() attributes {input_strides = [#sym.shape<[1, 8]>], output_strides = [#sym.shape<[4, 1]>], symbols = []} {
}
wrapper.kernel @scale() attributes {input_strides = [#sym.shape<[4, 1]>, #sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = []} {
}
wrapper.kernel @use() attributes {input_strides = [#sym.shape<[4, 1]>, #sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = ["s0"]} {
}

// What is made of weights and literals moves, with the steps in between; the
// weight goes, as nothing else reads it, and one that something reads stays.
// REMARK: [Passed] Hoisted | Category:wrapper-hoist-weights | Remark="computed once, from weights: main.prepare:0"
// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !wrapper.buffer<[s0, 4],
// CHECK-SAME:    %[[K:[a-z0-9]+]]: !wrapper.buffer<[8, 4], f32, {{[^{]+}} {graph.weight = "kept"}
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !wrapper.buffer<[8, 4], f32, {{[^{]+}} {coil.name = "main.prepare:0", graph.weight = "main.prepare:0"}
// CHECK-NEXT:    wrapper.assert_layout %[[P]], "main.prepare:0"
// CHECK-NEXT:    wrapper.input_symbol "s0" = size 0 of %[[X]]
// CHECK-NEXT:    wrapper.assert_layout %[[X]], "x"
// CHECK-NEXT:    wrapper.assert_layout %[[K]], "kept"
// CHECK-NEXT:    %[[Y:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.launch @use[s0] ins(%[[X]], %[[P]] :
// CHECK-NEXT:    %[[Z:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.launch @use[s0] ins(%[[Y]], %[[K]] :
// CHECK-NEXT:    wrapper.return %[[Z]]
// CHECK:       wrapper.func @main.prepare(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: !wrapper.buffer<[4, 8], f32, {{[^{]+}} {graph.weight = "w"}
// CHECK-SAME:    %[[K:[a-z0-9]+]]: !wrapper.buffer<[8, 4], f32, {{[^{]+}} {graph.weight = "kept"}
// CHECK-SAME:    -> !wrapper.buffer<[8, 4], f32,
// CHECK:         wrapper.assert_layout %[[W]], "w"
// CHECK-NEXT:    wrapper.assert_layout %[[K]], "kept"
// CHECK-NEXT:    %[[T:.+]] = wrapper.reinterpret %[[W]]
// CHECK-NEXT:    %[[A:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.launch @copy[] ins(%[[T]] : {{.+}}) outs(%[[A]] :
// CHECK-NEXT:    %[[C:.+]] = wrapper.constant
// CHECK-NEXT:    %[[B:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.launch @scale[] ins(%[[A]], %[[C]] : {{.+}}) outs(%[[B]] :
// CHECK-NEXT:    %[[D:.+]] = wrapper.alloc
// CHECK-NEXT:    wrapper.launch @scale[] ins(%[[B]], %[[K]] : {{.+}}) outs(%[[D]] :
// CHECK-NEXT:    wrapper.return %[[D]]
wrapper.func @main(%x: !x, %w: !w {graph.weight = "w"}, %k: !v {graph.weight = "kept"}) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  wrapper.assert_layout %w, "w" : !w
  wrapper.assert_layout %k, "kept" : !v
  %0 = wrapper.reinterpret %w at <0> : !w to !t
  %1 = wrapper.alloc : !v
  wrapper.launch @copy[] ins(%0 : !t) outs(%1 : !v)
  %2 = wrapper.constant dense<2.0> : tensor<8x4xf32> to !v
  %3 = wrapper.alloc : !v
  wrapper.launch @scale[] ins(%1, %2 : !v, !v) outs(%3 : !v)
  %4 = wrapper.alloc : !v
  wrapper.launch @scale[] ins(%3, %k : !v, !v) outs(%4 : !v)
  %5 = wrapper.alloc : !x
  wrapper.launch @use[s0] ins(%x, %4 : !x, !v) outs(%5 : !x)
  %6 = wrapper.alloc : !x
  wrapper.launch @use[s0] ins(%5, %k : !x, !v) outs(%6 : !x)
  wrapper.return %6 : !x
}

// -----

!v = !wrapper.buffer<[8, 4], f32, #wrapper.device<"cpu">>
!big = !wrapper.buffer<[4096, 8], f32, #wrapper.device<"cpu">>
wrapper.kernel @neg() attributes {input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = []} {
}
wrapper.kernel @repeat() attributes {input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[8, 1]>], symbols = []} {
}
wrapper.kernel @sum() attributes {input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = []} {
}
wrapper.kernel @half() attributes {input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = ["s0"]} {
}

// A result, of which the caller may do what it wants. (C2)
// CHECK-LABEL: wrapper.func @wrapper_hoist_weights_c2_returned(
// CHECK-NOT:   .prepare
// CHECK:         wrapper.launch @neg
// CHECK-NOT:   .prepare
wrapper.func @wrapper_hoist_weights_c2_returned(%w: !v {graph.weight = "w"}) -> !v {
  %0 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%w : !v) outs(%0 : !v)
  wrapper.return %0 : !v
}

// What two steps write.
// CHECK-LABEL: wrapper.func @written_twice(
// CHECK-NOT:   .prepare
// CHECK-COUNT-3: wrapper.launch @neg
// CHECK-NOT:   .prepare
wrapper.func @written_twice(%x: !v, %w: !v {graph.weight = "w"}) -> !v {
  %0 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%w : !v) outs(%0 : !v)
  wrapper.launch @neg[] ins(%x : !v) outs(%0 : !v)
  %1 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%0 : !v) outs(%1 : !v)
  wrapper.return %1 : !v
}

// More bytes than were read, and more than a few.
// CHECK-LABEL: wrapper.func @grows(
// CHECK-NOT:   .prepare
// CHECK:         wrapper.launch @repeat
// CHECK-NOT:   .prepare
wrapper.func @grows(%w: !v {graph.weight = "w"}) -> !v {
  %0 = wrapper.alloc : !big
  wrapper.launch @repeat[] ins(%w : !v) outs(%0 : !big)
  %1 = wrapper.alloc : !v
  wrapper.launch @sum[] ins(%0 : !big) outs(%1 : !v)
  wrapper.return %1 : !v
}

// A step that is told a size of the run.
// CHECK-LABEL: wrapper.func @symbolic(
// CHECK-NOT:   .prepare
// CHECK:         wrapper.launch @half
// CHECK-NOT:   .prepare
wrapper.func @symbolic(%x: !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>, %w: !v {graph.weight = "w"}) -> !v attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  %0 = wrapper.alloc : !v
  wrapper.launch @half[s0] ins(%w : !v) outs(%0 : !v)
  %1 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%0 : !v) outs(%1 : !v)
  wrapper.return %1 : !v
}

// What a branch uses: there it may be handed over. (C2)
// CHECK-LABEL: wrapper.func @wrapper_hoist_weights_c2_in_branch(
// CHECK-NOT:   .prepare
// CHECK:         wrapper.launch @neg
// CHECK-NOT:   .prepare
wrapper.func @wrapper_hoist_weights_c2_in_branch(%p: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>, %w: !v {graph.weight = "w"}) -> !v {
  %c = wrapper.item %p : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> -> i1
  %0 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%w : !v) outs(%0 : !v)
  %1 = wrapper.if %c : i1 -> (!v) {
    wrapper.yield %0 : !v
  } else {
    %2 = wrapper.alloc : !v
    wrapper.launch @neg[] ins(%w : !v) outs(%2 : !v)
    wrapper.yield %2 : !v
  }
  wrapper.return %1 : !v
}

// What a call takes over. (C2)
// CHECK-LABEL: wrapper.func @wrapper_hoist_weights_c2_handed_over(
// CHECK-NOT:   .prepare
// CHECK:         wrapper.launch @neg
// CHECK-NOT:   .prepare
wrapper.func private @take(%x: !v {wrapper.consumed}) -> !v {
  wrapper.return %x : !v
}
wrapper.func @wrapper_hoist_weights_c2_handed_over(%w: !v {graph.weight = "w"}) -> !v {
  %0 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%w : !v) outs(%0 : !v)
  %1 = wrapper.invoke @take(%0) consumes [0] : (!v) -> !v
  wrapper.return %1 : !v
}

// Planned before.
// CHECK-LABEL: wrapper.func @planned(
// CHECK-NOT:   .prepare
// CHECK-COUNT-2: wrapper.launch @neg
// CHECK-NOT:   .prepare
wrapper.func @planned(%w: !v {graph.weight = "w"}) -> !v attributes {wrapper.memory = {allocations = 2 : i64, lower_bound = 256 : i64, peak = 256 : i64, reuses = 0 : i64}} {
  %0 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%w : !v) outs(%0 : !v)
  %1 = wrapper.alloc : !v
  wrapper.launch @neg[] ins(%0 : !v) outs(%1 : !v)
  wrapper.free %0 : !v
  wrapper.return %1 : !v
}
