// RUN: not coil-interpret %s --function=overlap 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not coil-interpret %s --function=handed_over 2>&1 | FileCheck %s --check-prefix=HANDED
// RUN: not coil-interpret %s --function=beyond 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not coil-interpret %s --function=negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not coil-interpret %s --function=in_use 2>&1 | FileCheck %s --check-prefix=USE
// RUN: not coil-interpret %s --function=released 2>&1 | FileCheck %s --check-prefix=RELEASED
// RUN: not coil-interpret %s --function=freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not coil-interpret %s --function=neighbour 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
// RUN: not coil-interpret %s --function=returned 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not coil-interpret %s --function=passed 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not coil-interpret %s --function=large --max-bytes=1000 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: coil-interpret %s --function=right | FileCheck %s --check-prefix=RIGHT

// What plans do wrong with pools, seen at run time.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[20], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

// OVERLAP: [[@LINE+4]]:8: error: carves the bytes [0, 80) of a pool whose bytes [64, 80) are in use
wrapper.func @overlap() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  %1 = wrapper.pool_alloc %p at <0> : !p to !c
  wrapper.return
}

// HANDED: error: carves the bytes [0, 80) of a pool whose bytes [64, 80) are in use
wrapper.func @handed_over() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  %1 = wrapper.reuse %0 : !b to !b
  %2 = wrapper.pool_alloc %p at <0> : !p to !c
  wrapper.return
}

// BEYOND: error: carves the bytes [64, 144) of a pool with 128
wrapper.func @beyond() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !c
  wrapper.return
}

// NEGATIVE: error: carves the bytes [-64, -48) of a pool with 128
wrapper.func @negative() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <-64> : !p to !b
  wrapper.return
}

// USE: error: frees a pool whose bytes [64, 80) are in use
wrapper.func @in_use() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// RELEASED: error: uses storage whose life has ended
// RELEASED: note: it ended here
wrapper.func @released() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.pool_release %0 : !b
  wrapper.copy %0 to %0 : !b
  wrapper.return
}

// FREED: error: uses storage whose life has ended
wrapper.func @freed() {
  %p = wrapper.pool <128> : !p
  wrapper.pool_free %p : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.return
}

// A view that leaves its buffer, though not its pool.
// NEIGHBOUR: error: touches the bytes [16, 32) of storage with 16
wrapper.func @neighbour() {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  %1 = wrapper.reinterpret %0 at <4> : !b to !b
  wrapper.copy %1 to %0 : !b
  wrapper.return
}

// RETURNED: error: passes on storage that is part of a pool
wrapper.func @returned() -> !b {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.return %0 : !b
}
wrapper.func @passed() -> !b {
  %t = arith.constant true
  %r = wrapper.if %t : i1 -> (!b) {
    %p = wrapper.pool <128> : !p
    %0 = wrapper.pool_alloc %p at <64> : !p to !b
    wrapper.yield %0 : !b
  } else {
    %1 = wrapper.alloc : !b
    wrapper.yield %1 : !b
  }
  wrapper.return %r : !b
}

// BYTES: error: exceeds the memory limit of 1000 bytes
wrapper.func @large() {
  %p = wrapper.pool <1024> : !p
  wrapper.pool_free %p : !p
  wrapper.return
}

// RIGHT: [1, 2, 3, 4] : 4xf32
wrapper.func @right() -> !b {
  %c = wrapper.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> to !b
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.copy %c to %0 : !b
  %1 = wrapper.reuse %0 : !b to !b
  %2 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.copy %1 to %2 : !b
  wrapper.pool_release %1 : !b
  %3 = wrapper.alloc : !b
  wrapper.copy %2 to %3 : !b
  wrapper.pool_release %2 : !b
  wrapper.pool_free %p : !p
  wrapper.return %3 : !b
}
