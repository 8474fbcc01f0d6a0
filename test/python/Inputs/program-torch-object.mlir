!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"quantized::LinearPackedParamsBase">
wrapper.func @main() -> !b {
  %p = wrapper.bound_object "packed" : !o
  %0 = wrapper.object_call "bias"(%p) : (!o) -> !b
  wrapper.return %0 : !b
}
