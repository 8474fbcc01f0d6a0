!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"mylib::Counter">
wrapper.func @main(%x: !b {coil.name = "x"}) -> !b {
  %c = wrapper.bound_object "counter" : !o
  %0 = wrapper.object_call "add"(%c, %x, <3>) names ["self", "x", "n"] : (!o, !b) -> !b loc("model.py":7:0)
  wrapper.object_call "note"(%c, "text", none, true, 0.5, [<1>, <2>]) : (!o) -> ()
  wrapper.drop %c : !o
  wrapper.return %0 : !b
}
