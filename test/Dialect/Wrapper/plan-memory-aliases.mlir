// RUN: coil-opt %s --wrapper-plan-memory=mode=none --wrapper-verify-memory | FileCheck %s
// RUN: coil-opt %s --wrapper-plan-memory=mode=reuse --wrapper-verify-memory | FileCheck %s
// RUN: coil-opt %s --wrapper-plan-memory=mode=pool --wrapper-verify-memory | FileCheck %s --check-prefix=PEAK

!w = !wrapper.buffer<[1024], f32, #wrapper.device<"cpu">>
!q = !wrapper.buffer<[256], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
wrapper.kernel @fill() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @sum() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// F30: disjoint parts of one buffer are written through views, and it is read
// through another. It counts once, with its 4096 bytes, until behind the last
// use of any alias: with the 1024 bytes of the buffer that is made between the
// writes and the 64 of the first result that is the peak, by hand 5184. The
// second large buffer begins when the first is gone: 4096 and two results.
// CHECK-LABEL: wrapper.func @disjoint_views
// CHECK-SAME: lower_bound = 5184 : i64, peak = 5184
// CHECK: %[[W:.+]] = wrapper.alloc : !wrapper.buffer<[1024]
// CHECK: %[[LAST:.+]] = wrapper.reinterpret %[[W]] at <768>
// CHECK: wrapper.launch @sum[] ins(%[[LAST]] :
// CHECK-NEXT: wrapper.{{free|reuse}} %[[W]] :
// CHECK-NOT: wrapper.free %[[W]]
// CHECK: wrapper.return
// PEAK-LABEL: wrapper.func @disjoint_views
// PEAK-SAME: lower_bound = 5184 : i64, peak = 5184
wrapper.func @disjoint_views() -> (!s, !s) {
  %w = wrapper.alloc : !w
  %v0 = wrapper.reinterpret %w at <0> : !w to !q
  %v1 = wrapper.reinterpret %w at <256> : !w to !q
  %v3 = wrapper.reinterpret %w at <768> : !w to !q
  wrapper.launch @fill[] outs(%v0 : !q)
  wrapper.launch @fill[] outs(%v1 : !q)
  %t = wrapper.alloc : !q
  wrapper.launch @sum[] ins(%v1 : !q) outs(%t : !q)
  %0 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%t : !q) outs(%0 : !s)
  wrapper.launch @fill[] outs(%v3 : !q)
  wrapper.launch @sum[] ins(%v3 : !q) outs(%0 : !s)
  %x = wrapper.alloc : !w
  wrapper.launch @fill[] outs(%x : !w)
  %1 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%x : !w) outs(%1 : !s)
  wrapper.return %0, %1 : !s, !s
}

// A view of a view keeps the storage alive, too: 4096 twice, and a result.
// CHECK-LABEL: wrapper.func @alias_of_an_alias
// CHECK-SAME: lower_bound = 8256 : i64, peak = 8256
// PEAK-LABEL: wrapper.func @alias_of_an_alias
// PEAK-SAME: lower_bound = 8256 : i64, peak = 8256
wrapper.func @alias_of_an_alias() -> !s {
  %w = wrapper.alloc : !w
  wrapper.launch @fill[] outs(%w : !w)
  %v = wrapper.reinterpret %w at <256> : !w to !q
  %vv = wrapper.reinterpret %v at <0> : !q to !q
  %x = wrapper.alloc : !w
  wrapper.launch @fill[] outs(%x : !w)
  %0 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%x : !w) outs(%0 : !s)
  wrapper.launch @sum[] ins(%vv : !q) outs(%0 : !s)
  wrapper.return %0 : !s
}
