// RUN: %corpus %s
// F45: numbers that a step is given have the same text on every executor: expressions over symbols, bools and floats.
// CASE: 3xf32=1 2 3; f64=0.1; i1=true -> 3xf32=1 2 3
// CASE: 0xf32=; f64=-inf; i1=false -> 0xf32=

// What they say:
// RUN: coil-run %s --input=3xf32=1,2,3 --input=f64=0.1 --input=i1=true 2>&1 >/dev/null | FileCheck %s
// RUN: coil-interpret %s --function=main --input=3xf32=1,2,3 --input=f64=0.1 --input=i1=true 2>&1 >/dev/null | FileCheck %s
// CHECK:      coil: inputs main - s0: 3
// CHECK-NEXT: coil: before step:0 - twice: 6
// CHECK-NEXT: coil: before step:0 - f: 0.1
// CHECK-NEXT: coil: before step:0 - p: true
// CHECK-NOT:  coil:

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.func @main(%x: !s, %f: !f, %p: !p) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.debug_number inputs "main" "s0" = <s0>
  wrapper.debug_number before "step:0" "twice" = <s0 * 2>
  %v = wrapper.item %f : !f -> f64
  wrapper.debug_number before "step:0" "f" of %v : f64
  %b = wrapper.item %p : !p -> i1
  wrapper.debug_number before "step:0" "p" of %b : i1
  %0 = wrapper.alloc : !s
  wrapper.copy %x to %0 : !s
  wrapper.return %0 : !s
}
