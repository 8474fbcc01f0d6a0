// RUN: coil-opt %s --split-input-file --wrapper-outline-partitions --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_outline_partitions_c1_branch(%x: !b, %p: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.if %p : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> {
    // expected-error@+1 {{writes or ends storage from outside that does not belong to its block}}
    wrapper.partition #wrapper.device<"cpu"> {
      wrapper.copy %x to %0 : !b
      wrapper.yield
    }
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_outline_partitions_c1_pool(%x: !b) {
  %p = wrapper.pool <64> : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.partition #wrapper.device<"cpu"> {
    // expected-error@+1 {{uses a pool from outside of a partition}}
    %1 = wrapper.pool_alloc %p at <0> : !wrapper.pool<#wrapper.device<"cpu">> to !b
    wrapper.copy %x to %1 : !b
    wrapper.pool_release %1 : !b
    wrapper.yield
  }
  wrapper.pool_free %p : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_outline_partitions_c1_argument(%x: !b, %y: !b {wrapper.destination}) {
  // expected-error@+1 {{writes or ends storage from outside that does not belong to its block}}
  wrapper.partition #wrapper.device<"cpu"> {
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_outline_partitions_c1_carved(%x: !b) {
  %p = wrapper.pool <64> : !wrapper.pool<#wrapper.device<"cpu">>
  %0 = wrapper.pool_alloc %p at <0> : !wrapper.pool<#wrapper.device<"cpu">> to !b
  // expected-error@+1 {{writes or ends storage from outside that does not belong to its block}}
  wrapper.partition #wrapper.device<"cpu"> {
    wrapper.copy %x to %0 : !b
    wrapper.yield
  }
  wrapper.pool_release %0 : !b
  wrapper.pool_free %p : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return
}
