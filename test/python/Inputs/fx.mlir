!x = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
!a = !wrapper.buffer<[6], f32, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[3, 2], strides = [1, 3], f32, #wrapper.device<"cpu">>

wrapper.kernel @add(%x: tensor<?xf32, #sym.shape<[s0 * 2]>>, %c: tensor<f32>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "add" [s0 * 2] (%a = %x, %b = %c) : (tensor<?xf32, #sym.shape<[s0 * 2]>>, tensor<f32>) -> tensor<?xf32, #sym.shape<[s0 * 2]>> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0 * 2]>> -> f32
    %w = loop.load %b[] : tensor<f32> -> f32
    %m = arith.addf %v, %w : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0 * 2]>>
}

wrapper.func @F08_solved(%x: !x) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  %c = wrapper.constant dense<1.0> : tensor<f32> to !c
  %0 = wrapper.alloc : !x
  wrapper.launch @add[s0] ins(%x, %c : !x, !c) outs(%0 : !x)
  wrapper.assert <s0 * 2> le <128>, "too long"
  wrapper.return %0 : !x
}

wrapper.func @F07_several(%x: !a, %unused: !b) -> (!a, !t) {
  %0 = wrapper.alloc : !a
  wrapper.copy %x to %0 : !a
  %1 = wrapper.reinterpret %0 at <0> : !a to !t
  wrapper.return %0, %1 : !a, !t
}

wrapper.func @F20_branch(%p: !p, %x: !v, %other: !w) -> !v {
  %0 = wrapper.if %p : !p -> (!v) {
    %1 = wrapper.alloc : !v
    wrapper.copy %x to %1 : !v
    wrapper.yield %1 : !v
  } else {
    %1 = wrapper.alloc : !v
    %c = wrapper.constant dense<1.0> : tensor<4xf32> to !v
    wrapper.copy %c to %1 : !v
    wrapper.yield %1 : !v
  }
  wrapper.return %0 : !v
}
