// RUN: coil-opt %s --wrapper-release-inputs | FileCheck %s

// F06: what a region yields has another name behind it; nothing comes after the end of the region.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @yielded(
// CHECK-NOT: wrapper.drop
// CHECK: wrapper.return
wrapper.func @yielded(%x: !b) -> !b {
  %r = wrapper.profile_range "r" -> (!b) {
    wrapper.yield %x : !b
  }
  wrapper.return %r : !b
}
