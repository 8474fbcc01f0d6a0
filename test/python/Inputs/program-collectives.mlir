!x = !wrapper.buffer<[6], f32, #wrapper.device<"cpu">>
!a = !wrapper.buffer<[18], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !x {coil.name = "x"}) -> (!x, !a, !p, !x, !x) {
  wrapper.assert_layout %x, "x" : !x
  %a = wrapper.alloc : !x
  %0 = wrapper.collective all_reduce sum %x to %a group "ranks" : !x to !x
  %b = wrapper.alloc : !a
  %1 = wrapper.collective all_gather %x to %b group "ranks" : !x to !a
  wrapper.wait %0 of %x to %a : !x to !x
  %c = wrapper.alloc : !p
  %2 = wrapper.collective reduce_scatter sum %x to %c group "ranks" : !x to !p
  %d = wrapper.alloc : !x
  %3 = wrapper.collective all_to_all %x to %d group "ranks" : !x to !x
  wrapper.wait %3 of %x to %d : !x to !x
  %e = wrapper.alloc : !x
  %4 = wrapper.collective broadcast %x to %e root 1 group "ranks" : !x to !x
  wrapper.wait %1 of %x to %b : !x to !a
  wrapper.wait %2 of %x to %c : !x to !p
  wrapper.wait %4 of %x to %e : !x to !x
  wrapper.return %a, %b, %c, %d, %e : !x, !a, !p, !x, !x
}
