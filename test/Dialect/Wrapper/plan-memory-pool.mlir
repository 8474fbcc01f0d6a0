// RUN: coil-opt %s --wrapper-plan-memory=mode=pool --wrapper-verify-memory --split-input-file | FileCheck %s
// RUN: coil-opt %s --wrapper-plan-memory=mode=pool --split-input-file --remarks-filter=wrapper-plan-memory 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!s = !wrapper.buffer<[16, s], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @k() attributes {input_strides = [#sym.shape<[s, 1]>], output_strides = [#sym.shape<[s, 1]>], symbols = ["s"]} {
}
wrapper.kernel @both() attributes {input_strides = [#sym.shape<[s, 1]>, #sym.shape<[s, 1]>], output_strides = [#sym.shape<[s, 1]>], symbols = ["s"]} {
}
wrapper.kernel @small() attributes {input_strides = [#sym.shape<[s, 1]>], output_strides = [#sym.shape<[1]>], symbols = ["s"]} {
}
wrapper.kernel @in_place() attributes {input_strides = [#sym.shape<[s, 1]>], output_strides = [#sym.shape<[s, 1]>], symbols = ["s"], in_place = array<i64: 0, 0>} {
}

// Three buffers are alive at most, and four do with the memory of two and one
// more: all three as long as the result lives would be above the peak. What
// works in place in a pool stays where it is. The result is no part of a pool.
// REMARK: [Passed] Pooled | {{.*}}pooled: 3 buffers of 1536 bytes in 's * 128' bytes
// CHECK-LABEL: wrapper.func @chain
// CHECK-SAME: wrapper.memory = {allocations = 3 : i64, lower_bound = 1536 : i64, peak = 1536 : i64, pools = 1 : i64, reuses = 1 : i64}
// CHECK: %[[P:.+]] = wrapper.pool <s * 128> : !wrapper.pool<#wrapper.device<"cpu">>
// CHECK: %[[A:.+]] = wrapper.pool_alloc %[[P]] at <0> :
// CHECK: %[[B:.+]] = wrapper.alloc : !wrapper.buffer<[16, s]
// CHECK: wrapper.launch @k[s] ins(%[[A]] : {{.+}}) outs(%[[B]] :
// CHECK: %[[C:.+]] = wrapper.pool_alloc %[[P]] at <s * 64> :
// CHECK: wrapper.launch @both[s] ins(%[[A]], %[[B]] : {{.+}}) outs(%[[C]] :
// CHECK-DAG: wrapper.pool_release %[[A]]
// CHECK-DAG: wrapper.free %[[B]]
// CHECK: %[[D:.+]] = wrapper.reuse %[[C]]
// CHECK: wrapper.launch @in_place[s] ins(%[[D]] : {{.+}}) outs(%[[D]] :
// CHECK: %[[E:.+]] = wrapper.pool_alloc %[[P]] at <0> :
// CHECK: wrapper.launch @k[s] ins(%[[D]] : {{.+}}) outs(%[[E]] :
// CHECK: wrapper.pool_release %[[D]]
// CHECK: %[[R:.+]] = wrapper.alloc : !wrapper.buffer<[4]
// CHECK: wrapper.pool_release %[[E]]
// CHECK-NEXT: wrapper.pool_free %[[P]]
// CHECK-NEXT: wrapper.return %[[R]]
wrapper.func @chain(%x: !s) -> !r attributes {sym.symbols = {s = #sym.range<1, 64, hint = 8>}} {
  wrapper.input_symbol "s" = size 1 of %x : !s
  %0 = wrapper.alloc : !s
  wrapper.launch @k[s] ins(%x : !s) outs(%0 : !s)
  %1 = wrapper.alloc : !s
  wrapper.launch @k[s] ins(%0 : !s) outs(%1 : !s)
  %2 = wrapper.alloc : !s
  wrapper.launch @both[s] ins(%0, %1 : !s, !s) outs(%2 : !s)
  %3 = wrapper.alloc : !s
  wrapper.launch @in_place[s] ins(%2 : !s) outs(%3 : !s)
  %4 = wrapper.alloc : !s
  wrapper.launch @k[s] ins(%3 : !s) outs(%4 : !s)
  %5 = wrapper.alloc : !r
  wrapper.launch @small[s] ins(%4 : !s) outs(%5 : !r)
  wrapper.return %5 : !r
}

// -----

!s = !wrapper.buffer<[16, s], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[t], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.kernel @k() attributes {input_strides = [#sym.shape<[s, 1]>], output_strides = [#sym.shape<[s, 1]>], symbols = ["s"]} {
}
wrapper.kernel @fill() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["t"]} {
}
wrapper.kernel @next() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["t"]} {
}

// F28: a pool with a buffer of a size that is read from data begins behind the
// read, though buffers that would fit in live before.
// CHECK-LABEL: wrapper.func @known_late
// CHECK: %[[P:.+]] = wrapper.pool <s * 128>
// CHECK: wrapper.pool_alloc %[[P]] at <0>
// CHECK: wrapper.item "t"
// CHECK: %[[Q:.+]] = wrapper.pool <((t * 4 + 63) floordiv 64) * 128>
// CHECK: wrapper.pool_alloc %[[Q]] at <0>
// CHECK: wrapper.pool_alloc %[[Q]] at <((t * 4 + 63) floordiv 64) * 64>
// CHECK: wrapper.pool_free %[[Q]]
// CHECK: wrapper.return
wrapper.func @known_late(%x: !s, %n: !i) attributes {sym.symbols = {s = #sym.range<1, 64, hint = 8>, t = #sym.range<0, 4096, hint = 16>}} {
  wrapper.input_symbol "s" = size 1 of %x : !s
  %0 = wrapper.alloc : !s
  wrapper.launch @k[s] ins(%x : !s) outs(%0 : !s)
  %1 = wrapper.alloc : !s
  wrapper.launch @k[s] ins(%0 : !s) outs(%1 : !s)
  %2 = wrapper.alloc : !s
  wrapper.launch @k[s] ins(%1 : !s) outs(%2 : !s)
  wrapper.item "t" = %n : !i
  %3 = wrapper.alloc : !t
  wrapper.launch @fill[t] outs(%3 : !t)
  %4 = wrapper.alloc : !t
  wrapper.launch @next[t] ins(%3 : !t) outs(%4 : !t)
  %5 = wrapper.alloc : !t
  wrapper.launch @next[t] ins(%4 : !t) outs(%5 : !t)
  wrapper.return
}

// -----

!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[t], f32, #wrapper.device<"cpu">>
wrapper.kernel @one() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["s"]} {
}

// Buffers of two sizes take turns: the pool can hold the larger, whichever
// that is in a run.
// CHECK-LABEL: wrapper.func @two_symbols
// CHECK: wrapper.pool <max(((s * 4 + 63) floordiv 64) * 128, ((t * 4 + 63) floordiv 64) * 128)>
// CHECK: wrapper.pool_alloc {{.+}} at <0> : {{.+}} to !wrapper.buffer<[s]
// CHECK: wrapper.pool_alloc {{.+}} at <((s * 4 + 63) floordiv 64) * 64> : {{.+}} to !wrapper.buffer<[s]
// CHECK: wrapper.pool_alloc {{.+}} at <0> : {{.+}} to !wrapper.buffer<[t]
// CHECK: wrapper.pool_alloc {{.+}} at <((t * 4 + 63) floordiv 64) * 64> : {{.+}} to !wrapper.buffer<[t]
wrapper.func @two_symbols(%x: !s, %y: !t) attributes {sym.symbols = {s = #sym.range<1, 64, hint = 32>, t = #sym.range<1, 64, hint = 32>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  wrapper.input_symbol "t" = size 0 of %y : !t
  %0 = wrapper.alloc : !s
  wrapper.launch @one[s] ins(%x : !s) outs(%0 : !s)
  %1 = wrapper.alloc : !s
  wrapper.launch @one[s] ins(%0 : !s) outs(%1 : !s)
  wrapper.launch @one[s] ins(%0 : !s) outs(%1 : !s)
  %2 = wrapper.alloc : !t
  wrapper.launch @one[t] ins(%y : !t) outs(%2 : !t)
  %3 = wrapper.alloc : !t
  wrapper.launch @one[t] ins(%2 : !t) outs(%3 : !t)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>
wrapper.kernel @k() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @c() attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// Each device has pools of its own, in units of its own alignment; a region has
// pools of its own, too.
// CHECK-LABEL: wrapper.func @devices
// CHECK: %[[H:.+]] = wrapper.pool <512> : !wrapper.pool<#wrapper.device<"cpu">>
// CHECK: %[[D:.+]] = wrapper.pool <1024> : !wrapper.pool<#wrapper.device<"cuda">>
// CHECK: wrapper.pool_alloc %[[D]] at <512> :
// CHECK: wrapper.if
// CHECK: %[[I:.+]] = wrapper.pool <512>
// CHECK: wrapper.pool_free %[[I]]
// CHECK-NEXT: wrapper.yield
// CHECK: wrapper.return
wrapper.func @devices(%x: !b, %y: !c, %q: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !c
  wrapper.launch @c[] ins(%y : !c) outs(%1 : !c)
  %2 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%0 : !b) outs(%2 : !b)
  %3 = wrapper.alloc : !c
  wrapper.launch @c[] ins(%1 : !c) outs(%3 : !c)
  wrapper.if %q : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> {
    %4 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%x : !b) outs(%4 : !b)
    %5 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%4 : !b) outs(%5 : !b)
    %6 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%5 : !b) outs(%6 : !b)
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.launch @c[] ins(%1 : !c) outs(%3 : !c)
  wrapper.return
}
