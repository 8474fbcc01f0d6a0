!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b {coil.name = "x"}) -> (!b {coil.user_input_mutation = "x"}) attributes {wrapper.memory = {}} {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.return %0 : !b
}
