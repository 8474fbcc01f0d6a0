// RUN: %corpus %s
// A float that is NaN, or infinite where that is asked for, stops the program; the
// message says where. Integers and empty buffers are always good.
// CASE: 3xf32=1 -2 3; 2xbf16=1 2 -> 3xf32=2 -4 6
// CASE: 3xf32=1 inf 3; 2xbf16=1 2 -> 3xf32=2 inf 6
// CASE: 3xf32=1 nan 3; 2xbf16=1 2 -> error: value 'after double:0 - out0' has nan at [1] (1 nan and 0 inf of 3 elements)
// CASE: 3xf32=1 2 3; 2xbf16=1 -inf -> error: value 'inputs main - y' has -inf at [1] (0 nan and 1 inf of 2 elements)
// CASE: 3xf32=1 2 3; 2xbf16=nan inf -> error: value 'inputs main - y' has nan at [0] (1 nan and 1 inf of 2 elements)

wrapper.kernel @double(%x0: tensor<3xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xf32>) -> tensor<3xf32> {
    %v = loop.load %a0[d0] : tensor<3xf32> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<3xf32>
}

!x = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[2], bf16, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0, 2], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %y: !y) -> !x {
  wrapper.debug_value finite inputs "main" "y" %y : !y
  %i = wrapper.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64> to !i
  wrapper.debug_value finite inputs "main" "i" %i : !i
  %n = wrapper.constant dense<0.0> : tensor<0x2xf32> to !n
  wrapper.debug_value nan inputs "main" "n" %n : !n
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  wrapper.debug_value nan after "double:0" "out0" %0 : !x
  wrapper.return %0 : !x
}
