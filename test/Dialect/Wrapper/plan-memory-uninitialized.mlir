// RUN: coil-opt %s --wrapper-plan-memory=mode=pool --wrapper-verify-memory | FileCheck %s --check-prefix=POOL
// RUN: coil-opt %s --wrapper-pass-destinations --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s --check-prefix=ARRAY

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cpu">>

// Storage whose elements are open may be read, wherever planning puts it.
// POOL-LABEL: wrapper.func @carved
// POOL: wrapper.pool_alloc {{.*}} {coil.uninitialized}
wrapper.func @carved(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc {coil.uninitialized} : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  %2 = wrapper.alloc : !b
  %3 = wrapper.alloc : !b
  wrapper.copy %0 to %2 : !b
  wrapper.copy %1 to %3 : !b
  wrapper.copy %0 to %1 : !b
  wrapper.return %2, %3 : !b, !b
}

// A destination has to be written: what nothing writes is copied there.
// ARRAY-LABEL: wrapper.func @main
// ARRAY: %[[OPEN:.*]] = wrapper.alloc {coil.uninitialized}
// ARRAY: wrapper.copy %[[OPEN]] to %{{.*}}
wrapper.func @main() -> !b {
  %0 = wrapper.alloc {coil.uninitialized} : !b
  wrapper.return %0 : !b
}
