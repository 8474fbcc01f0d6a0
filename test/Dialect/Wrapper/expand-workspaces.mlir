// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-workspaces))' | FileCheck %s
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-workspaces),wrapper-plan-memory,wrapper-verify-memory)' -o /dev/null

!b = !wrapper.buffer<[16], i32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], i32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.kernel @use() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// Anything and zeros are allocated where they are; what is shared is allocated
// and filled once, in front of the loop or the branch that has the first of it.
// CHECK-LABEL: wrapper.func @main(
// CHECK:         wrapper.input_symbol
// CHECK-NEXT:    %[[A:.+]] = wrapper.alloc {coil.note} : !wrapper.buffer<[16], i32
// CHECK-NEXT:    %[[Z:.+]] = wrapper.alloc : !wrapper.buffer<[s0], i32
// CHECK-NEXT:    wrapper.fill %[[Z]] bytes 0
// CHECK-NEXT:    wrapper.launch @use[] ins(%[[X:.+]] : {{.+}}) outs(%[[A]] :
// CHECK-NEXT:    %[[S:.+]] = wrapper.alloc : !wrapper.buffer<[16], i32
// CHECK-NEXT:    wrapper.fill %[[S]] bytes 0
// CHECK-NEXT:    wrapper.if
// CHECK-NEXT:      wrapper.launch @use[] ins(%[[X]] : {{.+}}) outs(%[[S]] :
// CHECK-NEXT:      wrapper.yield
// CHECK:         wrapper.launch @use[] ins(%[[X]] : {{.+}}) outs(%[[S]] :
// CHECK-NEXT:    wrapper.return
wrapper.func @main(%p: !i, %x: !b, %y: !s) attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %y : !s
  %a = wrapper.workspace uninitialized {coil.note} : !b
  %z = wrapper.workspace on_call : !s
  wrapper.launch @use[] ins(%x : !b) outs(%a : !b)
  wrapper.if %p : !i {
    %s = wrapper.workspace per_graph "counters" : !b
    wrapper.launch @use[] ins(%x : !b) outs(%s : !b)
    wrapper.yield
  } else {
    wrapper.yield
  }
  %t = wrapper.workspace per_graph "counters" : !b
  wrapper.launch @use[] ins(%x : !b) outs(%t : !b)
  wrapper.return
}
