// RUN: not coil-interpret %s --function=freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not coil-interpret %s --function=consumed 2>&1 | FileCheck %s --check-prefix=CONSUMED
// RUN: not coil-interpret %s --function=outside --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not coil-interpret %s --function=library_outside --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not coil-interpret %s --function=literal 2>&1 | FileCheck %s --check-prefix=LITERAL
// RUN: not coil-interpret %s --function=lowered 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: not coil-interpret %s --function=endless --max-steps=1000 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not coil-interpret %s --function=recursive 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: not coil-interpret %s --function=large --max-bytes=1000 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not coil-interpret %s --function=takes 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not coil-interpret %s --function=takes --input=3xi32=1 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not coil-interpret %s --function=takes --input=4xf3=1 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not coil-interpret %s --function=attention 2>&1 | FileCheck %s --check-prefix=HEADS
// RUN: not coil-interpret %s --function=number 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not coil-interpret %s --function=semantics 2>&1 | FileCheck %s --check-prefix=SEMANTICS
// RUN: not coil-interpret %s --function=part 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: coil-interpret %s --function=takes --input=4xf32=1.5 | FileCheck %s --check-prefix=RIGHT

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// FREED: [[@LINE+6]]:3: error: uses storage whose life has ended
// FREED: [[@LINE+4]]:3: note: it ended here
wrapper.func @freed() -> !b {
  %0 = wrapper.alloc : !b
  %1 = wrapper.alloc : !b
  wrapper.free %0 : !b
  wrapper.copy %0 to %1 : !b
  wrapper.return %1 : !b
}

wrapper.func private @take(%x: !b {wrapper.consumed}) {
  wrapper.free %x : !b
  wrapper.return
}
// CONSUMED: error: uses storage whose life has ended
wrapper.func @consumed() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.invoke @take(%0) consumes [0] : (!b) -> ()
  wrapper.return %0 : !b
}

// What an argument views is known only when it is given.
// OUTSIDE: [[@LINE+4]]:3: error: touches the bytes [4, 20) of storage with 16
wrapper.func @outside(%0: !b) -> !b {
  %1 = wrapper.reinterpret %0 at <1> : !b to !b
  %2 = wrapper.alloc : !b
  wrapper.copy %1 to %2 : !b
  wrapper.return %2 : !b
}

// LIBRARY: error: touches bytes outside of an operand's storage
wrapper.func @library_outside(%0: !b) -> !b {
  %1 = wrapper.alloc : !b
  %2 = wrapper.reinterpret %0 at <1> : !b to !b
  wrapper.contraction "onednn"[2, 2, 2] a(%2[2, 0, 1] : !b) b(%0[0, 1, 2] : !b) c(%1[2, 1, 0] : !b) post none
  wrapper.return %1 : !b
}

// LITERAL: error: writes to a literal
wrapper.func @literal() -> !b {
  %0 = wrapper.alloc : !b
  %1 = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  wrapper.copy %0 to %1 : !b
  wrapper.return %0 : !b
}

// LOWERED: error: kernel 'k' is no value function any more
wrapper.kernel @k() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @lowered() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] outs(%0 : !b)
  wrapper.return %0 : !b
}

// ENDLESS: error: exceeds the limit of 1000 steps
wrapper.func @endless() {
  wrapper.while {
    %t = arith.constant true
    wrapper.condition %t
  } do {
    wrapper.yield
  }
  wrapper.return
}

// DEPTH: error: exceeds the limit of 64 nested calls
wrapper.func private @itself() {
  wrapper.invoke @itself() : () -> ()
  wrapper.return
}
wrapper.func @recursive() {
  wrapper.invoke @itself() : () -> ()
  wrapper.return
}

// BYTES: error: exceeds the memory limit of 1000 bytes
wrapper.func @large() {
  %0 = wrapper.alloc : !wrapper.buffer<[1000], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// COUNT: error: 'takes' takes 1 arguments but got 0
// TYPE: error: argument 0 of 'takes' is not a '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>'
// TEXT: error: {{.*}}4xf3
// RIGHT: @takes
// RIGHT-NEXT: [1.5, 1.5, 1.5, 1.5] : 4xf32
wrapper.func @takes(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}

// HEADS: error: 3 heads share 2
wrapper.func @attention() {
  %q = wrapper.alloc : !wrapper.buffer<[1, 3, 2, 4], f16, #wrapper.device<"cpu">>
  %k = wrapper.alloc : !wrapper.buffer<[1, 2, 2, 4], f16, #wrapper.device<"cpu">>
  %o = wrapper.alloc : !wrapper.buffer<[1, 3, 2, 4], f16, #wrapper.device<"cpu">>
  wrapper.attention "cudnn" ins(%q, %k, %k : !wrapper.buffer<[1, 3, 2, 4], f16, #wrapper.device<"cpu">>, !wrapper.buffer<[1, 2, 2, 4], f16, #wrapper.device<"cpu">>, !wrapper.buffer<[1, 2, 2, 4], f16, #wrapper.device<"cpu">>)
      outs(%o : !wrapper.buffer<[1, 3, 2, 4], f16, #wrapper.device<"cpu">>) scale 1.0
  wrapper.return
}

// NUMBER: error: has an unsupported literal
wrapper.func @number() {
  %0 = arith.constant 3 : i64
  wrapper.return
}

// SEMANTICS: error: 'arith.addui_extended' has no reference semantics
wrapper.func @semantics() {
  %0 = arith.constant true
  %1:2 = arith.addui_extended %0, %0 : i1, i1
  wrapper.return
}

// The runtime has no such elements.
// RUN: not coil-interpret %s --function=element_type 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not coil-interpret %s --function=result_type 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not coil-interpret %s --function=argument_type 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ELEMENT: error: cannot hold a value of type '!wrapper.buffer<[4], i24, #wrapper.device<"cpu">>'
// ARGUMENT: error: cannot pass the element type 'i24'
!i = !wrapper.buffer<[4], i24, #wrapper.device<"cpu">>
wrapper.func @element_type() {
  %0 = wrapper.alloc : !i
  %1 = wrapper.alloc : !i
  wrapper.copy %0 to %1 : !i
  wrapper.return
}
wrapper.func @result_type() {
  %0 = wrapper.extern_call "test::f"() : () -> !i
  wrapper.free %0 : !i
  wrapper.return
}
wrapper.func @argument_type() {
  %0 = wrapper.alloc : !b
  wrapper.extern_call_out "test::f"(%0, i24) mutates [0] : !b
  wrapper.return
}

// RUN: not coil-interpret %s --function=twice --functions=%coil_lib/coil-test-functions.so 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [[@LINE+4]]:3: error: releases an object twice
wrapper.func @twice() {
  %0 = wrapper.bound_object "triple" : !wrapper.object<"test::Scale">
  wrapper.drop %0 : !wrapper.object<"test::Scale">
  wrapper.drop %0 : !wrapper.object<"test::Scale">
  wrapper.return
}

// PARTS: error: 'wrapper.param_symbols' op binds 1 symbols, but its function is run with 0
wrapper.func private @part() {
  wrapper.param_symbols ["s0"]
  wrapper.return
}
