// RUN: %corpus %s
// Values are shown on every executor with the same text: statistics of what is
// a number, views with their own strides, scalars, empty buffers, all types.
// CASE: 2x3xf32=1 2 3 4 5 nan; 4xbf16=0.5 -inf inf 1 -> 2x3xf32=1 2 3 4 5 nan
// CASE: 2x3xf32=0 0 0 0 0 0; 4xbf16=nan nan nan nan -> 2x3xf32=0 0 0 0 0 0

// What they say:
// RUN: coil-run %s --input=2x3xf32=1,2,3,4,5,nan --input=4xbf16=0.5,-inf,inf,1 2>&1 >/dev/null | FileCheck %s
// RUN: coil-interpret %s --function=main --input=2x3xf32=1,2,3,4,5,nan --input=4xbf16=0.5,-inf,inf,1 2>&1 >/dev/null | FileCheck %s
// CHECK:      coil: [ before here:0 ]
// CHECK-NEXT: coil: inputs main - x: f32[2, 3], 6 elements, 24 bytes, min 1, max 5, mean 3, std 1.41421, 1 nan
// CHECK-NEXT: coil:   [1, 2, 3, 4, 5, nan]
// CHECK-NEXT: coil: before here:0 - columns: f32[3, 2], 6 elements, 24 bytes, min 1, max 5, mean 3, std 1.41421, 1 nan
// CHECK-NEXT: coil:   [1, 4, 2, 5, 3, nan]
// CHECK-NEXT: coil: after here:0 - y: bf16[4], 4 elements, 8 bytes, min -inf, max inf, mean 0.75, std 0.25, 2 inf
// CHECK-NEXT: coil:   [0.5, -inf, inf, 1]
// CHECK-NEXT: coil: after here:0 - i: i64[3], 3 elements, 24 bytes, min -9223372036854775808, max 9223372036854775807, mean
// CHECK-NEXT: coil:   [-9223372036854775808, 0, 9223372036854775807]
// CHECK-NEXT: coil: after here:0 - b: bool[], 1 element, 1 byte, min 1, max 1, mean 1, std 0
// CHECK-NEXT: coil:   [1]
// CHECK-NEXT: coil: after here:0 - none: f32[0, 3], 0 elements, 0 bytes{{$}}
// CHECK-NEXT: coil: after here:0 - many: f32[65], 65 elements, 260 bytes, min 7, max 7, mean 7, std 0{{$}}
// CHECK-NEXT: coil: [ after here:0 ]
// CHECK-NOT:  coil:

!x = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[3, 2], strides = [1, 3], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[4], bf16, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0, 3], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[65], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %y: !y) -> !x {
  wrapper.debug_mark before "here:0"
  wrapper.debug_value print inputs "main" "x" %x : !x
  %t = wrapper.reinterpret %x at <0> : !x to !t
  wrapper.debug_value print before "here:0" "columns" %t : !t
  wrapper.debug_value print after "here:0" "y" %y : !y
  %i = wrapper.constant dense<[-9223372036854775808, 0, 9223372036854775807]> : tensor<3xi64> to !i
  wrapper.debug_value print after "here:0" "i" %i : !i
  %b = wrapper.constant dense<true> : tensor<i1> to !b
  wrapper.debug_value print after "here:0" "b" %b : !b
  %n = wrapper.constant dense<0.0> : tensor<0x3xf32> to !n
  wrapper.debug_value print after "here:0" "none" %n : !n
  %m = wrapper.constant dense<7.0> : tensor<65xf32> to !m
  wrapper.debug_value print after "here:0" "many" %m : !m
  wrapper.debug_mark after "here:0"
  %r = wrapper.alloc : !x
  wrapper.copy %x to %r : !x
  wrapper.return %r : !x
}
