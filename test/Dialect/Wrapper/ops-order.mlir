// RUN: coil-opt %s | FileCheck %s
// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --emit-bytecode | coil-opt | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[s0 + 1, 4], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @collectives
wrapper.func @collectives(%x: !b, %s: !s, %t: !t) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %s : !s
  // CHECK: %[[Y:.*]] = wrapper.alloc
  %y = wrapper.alloc : !b
  // CHECK: %[[T:.*]] = wrapper.collective all_reduce sum %{{.*}} to %[[Y]] group "0" : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to
  %0 = wrapper.collective all_reduce sum %x to %y group "0" : !b to !b
  // CHECK: wrapper.wait %[[T]] of %{{.*}} to %[[Y]] :
  wrapper.wait %0 of %x to %y : !b to !b
  %a = wrapper.alloc : !s
  // CHECK: wrapper.collective all_to_all %{{.*}} to %{{.*}} splits [1, s0] to [s0, 0] group "1" :
  %1 = wrapper.collective all_to_all %t to %a splits [1, s0] to [s0, 0] group "1" : !t to !s
  wrapper.wait %1 of %t to %a : !t to !s
  // CHECK: wrapper.collective broadcast %{{.*}} to %{{.*}} root 2 group "1" :
  %2 = wrapper.collective broadcast %s to %a root 2 group "1" : !s to !s
  wrapper.wait %2 of %s to %a : !s to !s
  // CHECK: %[[C:.*]] = wrapper.comm_alloc symmetric group "0" :
  %c = wrapper.comm_alloc symmetric group "0" : !b
  // CHECK: wrapper.comm_free %[[C]] :
  wrapper.comm_free %c : !b
  // CHECK: wrapper.comm_alloc registered group "0" :
  %d = wrapper.comm_alloc registered group "0" : !b
  wrapper.comm_free %d : !b
  wrapper.return %y : !b
}

// CHECK-LABEL: wrapper.func @streams
wrapper.func @streams(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  // CHECK: %[[E:.*]] = wrapper.record_event #wrapper.device<"cpu">{{$}}
  %e = wrapper.record_event #wrapper.device<"cpu">
  // CHECK: wrapper.stream #wrapper.device<"cpu"> 1 {
  wrapper.stream #wrapper.device<"cpu"> 1 {
    // CHECK: wrapper.wait_event %[[E]]{{$}}
    wrapper.wait_event %e
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  // CHECK: %[[F:.*]] = wrapper.record_event #wrapper.device<"cpu"> stream 1
  %f = wrapper.record_event #wrapper.device<"cpu"> stream 1
  // CHECK: wrapper.wait_event %[[F]] uses(%{{.*}}, %{{.*}} :
  wrapper.wait_event %f uses(%x, %y : !b, !b)
  // CHECK: %[[G:.*]] = wrapper.record_event #wrapper.device<"cpu">{{$}}
  %g = "wrapper.record_event"() <{device = #wrapper.device<"cpu">}> : () -> !wrapper.token
  // CHECK: wrapper.wait_event %[[G]]{{$}}
  "wrapper.wait_event"(%g) : (!wrapper.token) -> ()
  wrapper.return %y : !b
}
