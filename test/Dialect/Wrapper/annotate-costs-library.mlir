// RUN: coil-opt %s --wrapper-annotate-costs --split-input-file | FileCheck %s

// The numbers are counted by hand.

// 2 * m * n * k; 16-bit floats are for the units for matrices.
// CHECK-LABEL: wrapper.func @contraction
// CHECK: wrapper.contraction {{.*}} {wrapper.cost = #wrapper.cost<bytes = <s0 * 640 + 16512>, flops = <s0 * 8192>>}
// CHECK: wrapper.contraction {{.*}} {wrapper.cost = #wrapper.cost<bytes = <10240>, flops = <131072>, matrix = <131072>>}
!x = !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[32, 128], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[32], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s0, 32], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[4, 16, 32], bf16, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[32, 32], bf16, #wrapper.device<"cpu">>
wrapper.func @contraction(%x: !x, %w: !w, %v: !v, %h: !h, %s: !s) attributes {sym.symbols = {s0 = #sym.range<1, 100>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  %y = wrapper.alloc : !y
  wrapper.contraction "onednn"[s0, 32, 128] a(%x[128, 0, 1] : !x) b(%w[0, 128, 1] : !w) bias(%v[0, 1, 0] : !v)
      c(%y[32, 1, 0] : !y) post relu
  // The second factor is that of all batches: 4 * 16 * 32 twice, and 32 * 32.
  %z = wrapper.alloc : !h
  wrapper.contraction "cublaslt"[4, 16, 32, 32] a(%h[512, 32, 0, 1] : !h) b(%s[0, 0, 1, 32] : !s)
      c(%z[512, 32, 1, 0] : !h) post none
  wrapper.return
}

// -----

// Two for each element of the result (2 * 16 * 8 * 8) and of its window
// (3 * 3 * 3).
// CHECK-LABEL: wrapper.func @convolution
// CHECK: wrapper.convolution {{.*}} {wrapper.cost = #wrapper.cost<bytes = <11456>, flops = <110592>>}
!x = !wrapper.buffer<[2, 3, 8, 8], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[16, 3, 3, 3], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[2, 16, 8, 8], f32, #wrapper.device<"cpu">>
wrapper.func @convolution(%x: !x, %w: !w) {
  %y = wrapper.alloc : !y
  wrapper.convolution "onednn" ins(%x, %w : !x, !w) outs(%y : !y)
      stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 post none
  wrapper.return
}

// -----

// q and o have 2 * 8 * 64 * 64 elements, k and v a quarter. 2 * 8 heads, 64 * 64
// pairs, 64 + 64 columns, two operations; causal, 64 * 65 / 2 pairs.
// CHECK-LABEL: wrapper.func @attention
// CHECK: wrapper.attention {{.*}} {wrapper.cost = #wrapper.cost<bytes = <327680>, flops = <16777216>, matrix = <16777216>>}
// CHECK: wrapper.attention {{.*}} {wrapper.cost = #wrapper.cost<bytes = <327680>, flops = <8519680>, matrix = <8519680>>}
!q = !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"cuda">>
!k = !wrapper.buffer<[2, 2, 64, 64], bf16, #wrapper.device<"cuda">>
wrapper.func @attention(%q: !q, %k: !k, %v: !k) {
  %o = wrapper.alloc : !q
  wrapper.attention "cudnn" ins(%q, %k, %v : !q, !k, !k) outs(%o : !q) scale 1.250000e-01
  wrapper.attention "cudnn" ins(%q, %k, %v : !q, !k, !k) outs(%o : !q) causal scale 1.250000e-01
  wrapper.return
}

// -----

// A kernel that was converted has no body to count in.
// CHECK-LABEL: wrapper.func @converted
// CHECK: wrapper.launch @k[] ins(%{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) outs(%{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>){{$}}
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @k() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @converted(%x: !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  wrapper.return
}

// -----

// Reads 4 * 8 elements, writes 4 * 3 and as many positions.
// CHECK-LABEL: wrapper.func @sort
// CHECK: wrapper.sort {{.*}}wrapper.cost = #wrapper.cost<bytes = <272>, flops = <0>>
!x = !wrapper.buffer<[4, 8], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[4, 3], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4, 3], i64, #wrapper.device<"cpu">>
wrapper.func @sort(%x: !x) {
  %v = wrapper.alloc : !v
  %i = wrapper.alloc : !i
  wrapper.sort "runtime" %x dim 1 values(%v : !v) indices(%i : !i) : !x
  wrapper.return
}
