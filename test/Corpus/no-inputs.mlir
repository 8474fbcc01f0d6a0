// RUN: %corpus %s
// A program without inputs and without kernels: what it gives is part of it.
// CASE: -> 3xf32=1 2 3

!x = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
wrapper.func @main() -> !x {
  %0 = wrapper.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> to !x
  %1 = wrapper.alloc : !x
  wrapper.copy %0 to %1 : !x
  wrapper.return %1 : !x
}
