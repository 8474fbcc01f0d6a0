!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.extern_call_out "test::scale"(%x, 2.0) outs(%0 : !b) : !b
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "test::scale"(%0, 2.0) outs(%1 : !b) : !b
  wrapper.return %1 : !b
}
