// RUN: coil-opt %s --wrapper-plan-memory=mode=none --wrapper-track-lifetimes | FileCheck %s
// RUN: coil-opt %s --wrapper-plan-memory=mode=reuse --wrapper-track-lifetimes | FileCheck %s --check-prefix=REUSE
// RUN: coil-opt %s --wrapper-plan-memory=mode=pool --wrapper-track-lifetimes --wrapper-verify-memory | FileCheck %s --check-prefix=POOL
// wrapper_track_lifetimes_c1: without a plan there is nothing to check.
// RUN: coil-opt %s --wrapper-track-lifetimes | FileCheck %s --check-prefix=NONE
// NONE-NOT: check_lifetime
// NONE: wrapper.func @pooled

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.kernel @twice(%a: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "twice" [4] (%i = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %i[d0] : tensor<4xf32> -> f32
    %w = arith.addf %v, %v : f32
    loop.store %w, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// CHECK-LABEL: wrapper.func @chain
// CHECK-NEXT:  wrapper.check_lifetime begin "begin" []
// CHECK-NEXT:  %[[A:.*]] = wrapper.alloc
// CHECK-NEXT:  wrapper.launch
// CHECK-NEXT:  wrapper.check_lifetime exact "twice:0" ["b0"](%[[A]])
// CHECK-NEXT:  %[[B:.*]] = wrapper.alloc
// CHECK-NEXT:  wrapper.launch
// CHECK-NEXT:  wrapper.free %[[A]]
// CHECK-NEXT:  wrapper.check_lifetime exact "twice:1" ["b1"](%[[B]])
// CHECK-NEXT:  wrapper.return %[[B]]
// What hands its storage over is there until then.
// REUSE-LABEL: wrapper.func @chain
// REUSE:       %[[A:.*]] = wrapper.alloc
// REUSE-NEXT:  wrapper.launch
// REUSE-NEXT:  wrapper.check_lifetime exact "twice:0" ["b0"](%[[A]])
// REUSE-NEXT:  %[[B:.*]] = wrapper.reuse %[[A]]
// REUSE-NEXT:  wrapper.launch
// REUSE-NEXT:  wrapper.check_lifetime exact "twice:1" ["b1"](%[[B]])
wrapper.func @chain(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%0 : !b) outs(%1 : !b)
  wrapper.return %1 : !b
}

// One branch takes storage from outside, the other frees it: what is checked
// inside is what is alive. Behind it the result has the storage.
// CHECK-LABEL: wrapper.func @branch
// CHECK:       %[[A:.*]] = wrapper.alloc
// CHECK-NEXT:  wrapper.launch
// CHECK-NEXT:  wrapper.check_lifetime exact "twice:2" ["b0"](%[[A]])
// CHECK-NEXT:  %[[R:.*]] = wrapper.if
// CHECK-NEXT:    wrapper.yield %[[A]]
// CHECK:       else
// CHECK:         wrapper.launch
// CHECK:         wrapper.check_lifetime alive "twice:3" ["b2"]
// CHECK:       wrapper.check_lifetime exact "wrapper.if" ["b1"](%[[R]])
wrapper.func @branch(%x: !b, %p: !i) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.if %p : !i -> (!b) {
    wrapper.yield %0 : !b
  } else {
    %2 = wrapper.alloc : !b
    wrapper.launch @twice[] ins(%0 : !b) outs(%2 : !b)
    wrapper.yield %2 : !b
  }
  wrapper.return %1 : !b
}

// What is carved is part of its pool.
// POOL-LABEL: wrapper.func @pooled
// POOL:       %[[P:.*]] = wrapper.pool <
// POOL:       wrapper.check_lifetime exact "twice:{{[0-9]+}}" ["pool0"](%[[P]])
// POOL:       wrapper.check_lifetime exact "twice:{{[0-9]+}}" ["pool0", "b2"](%[[P]], %{{.*}})
// POOL:       wrapper.pool_release
// POOL-NEXT:  wrapper.pool_free %[[P]]
// POOL-NEXT:  wrapper.check_lifetime exact "twice:{{[0-9]+}}" ["b2"]
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @pooled(%x: !b) -> !b attributes {wrapper.memory = {peak = 192 : i64, lower_bound = 192 : i64}} {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.launch @twice[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.pool_alloc %p at <64> : !p to !b
  %2 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%0 : !b) outs(%1 : !b)
  wrapper.pool_release %0 : !b
  wrapper.launch @twice[] ins(%1 : !b) outs(%2 : !b)
  wrapper.pool_release %1 : !b
  wrapper.pool_free %p : !p
  wrapper.return %2 : !b
}
