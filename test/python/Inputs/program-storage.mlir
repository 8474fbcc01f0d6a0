!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
!z = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b {coil.name = "x"}, %y: !b {coil.name = "y"}, %z: !z {coil.name = "z"}) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.resize_storage %x : !b to !n
  wrapper.set_storage %y from %z : !b, !z
  wrapper.return %0 : !b
}
