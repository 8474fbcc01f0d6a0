// A buffer that was freed before its plan says, and one that never was, are found
// at the step where that shows, by their names. (The plan's verifier would
// refuse these programs; it does not look behind planning.)
// RUN: not coil-run %s --function=early --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not coil-run %s --function=late --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not coil-interpret %s --function=late --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: coil-run %s --function=right --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=RIGHT
// RUN: coil-interpret %s --function=right --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=RIGHT
// EARLY: after 'twice:0' in 'early': buffer 'b0' is not allocated any more
// LATE:  after 'twice:2' in 'late': buffer 'b0' is still allocated
// RIGHT: 1{{,?}} 2{{,?}} 3{{,?}} 4

// The interpreter sees the first of them before the check does.
// RUN: not coil-interpret %s --function=early --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=INTERPRETED
// INTERPRETED: after 'twice:0' in 'early': buffer 'b0' is not allocated any more

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @early(%x: !b) -> !b {
  wrapper.check_lifetime begin "begin" []
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.free %0 : !b
  wrapper.check_lifetime exact "twice:0" ["b0"] (%0) : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  wrapper.return %1 : !b
}
wrapper.func @late(%x: !b) -> !b {
  wrapper.check_lifetime begin "begin" []
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.check_lifetime exact "twice:1" ["b0"] (%0) : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  wrapper.check_lifetime exact "twice:2" ["b1"] (%1) : !b
  wrapper.return %1 : !b
}
wrapper.func @right(%x: !b) -> !b {
  wrapper.check_lifetime begin "begin" []
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.check_lifetime exact "twice:1" ["b0"] (%0) : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  wrapper.free %0 : !b
  wrapper.check_lifetime exact "twice:2" ["b1"] (%1) : !b
  wrapper.return %1 : !b
}
