// RUN: not coil-interpret %s --function=freed --functions=%coil_lib/coil-test-functions.so --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not coil-interpret %s --function=forgotten --functions=%coil_lib/coil-test-functions.so --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=FORGOTTEN

// What a collective still uses does not end, in programs that nobody has verified.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// FREED: error: ends storage that a collective still uses
// FREED: note: it was started here
wrapper.func @freed(%x: !b) -> !b {
  %a = wrapper.alloc : !b
  wrapper.copy %x to %a : !b
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %a to %y group "test::world" : !b to !b
  wrapper.free %a : !b
  wrapper.wait %t of %a to %y : !b to !b
  wrapper.return %y : !b
}

// FORGOTTEN: error: nothing has waited for the collective
wrapper.func @forgotten(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  wrapper.copy %x to %y : !b
  %z = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %z group "test::world" : !b to !b
  wrapper.return %y : !b
}
