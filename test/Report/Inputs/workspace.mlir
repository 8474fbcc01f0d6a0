!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @main() -> !b attributes {wrapper.memory = {}} {
  %0 = wrapper.workspace on_call : !b
  wrapper.return %0 : !b
}
