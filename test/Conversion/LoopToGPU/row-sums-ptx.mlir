// Sums of rows at sorted positions: accesses of 16 bytes, four or eight rows under way at a time, nothing through local memory,
// no atomic operation. Lengths that no vector divides are read element by element, in the same loops.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local --implicit-check-not=red. --implicit-check-not=atom.

// Two ranges, their first places and the rows of these, then loops. Eight sums in each of two rows need more registers.
// CHECK-LABEL: .entry rows_bf16
// CHECK:         .minnctapersm 6
// CHECK-COUNT-2: ld.global.v2.b64
// CHECK-NOT:     bra
// CHECK:         ld.global.b64
// CHECK-NOT:     bra
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK-COUNT-4: ld.global.b64
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK:         st.global.v4.b32
// CHECK:         ret
func.func @rows_bf16(%x: tensor<65536x2048xbf16>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>, %p: tensor<65536xi64>) -> tensor<32768x2048xbf16> {
  %0 = loop.kernel "rows_bf16" [32768, 2048] (%a = %x, %l = %lo, %h = %hi, %q = %p) : (tensor<65536x2048xbf16>, tensor<32768xi64>, tensor<32768xi64>, tensor<65536xi64>) -> tensor<32768x2048xbf16> {
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %3 = loop.segment_sum %a[t0, d1] at %q : tensor<65536xi64> from %1 to %2 : tensor<65536x2048xbf16> -> f32
    %4 = arith.truncf %3 : f32 to bf16
    loop.store %4, 0[d0, d1] : bf16
  }
  return %0 : tensor<32768x2048xbf16>
}

// Without positions places are rows.
// CHECK-LABEL: .entry rows_f32
// CHECK-COUNT-2: ld.global.b64
// CHECK-NOT:     ld.global.b64
// CHECK-COUNT-5: ld.global.v4.b32
// CHECK:         st.global.v4.b32
// CHECK:         ret
func.func @rows_f32(%x: tensor<65536x1024xf32>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>) -> tensor<32768x1024xf32> {
  %0 = loop.kernel "rows_f32" [32768, 1024] (%a = %x, %l = %lo, %h = %hi) : (tensor<65536x1024xf32>, tensor<32768xi64>, tensor<32768xi64>) -> tensor<32768x1024xf32> {
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %3 = loop.segment_sum %a[t0, d1] from %1 to %2 : tensor<65536x1024xf32> -> f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<32768x1024xf32>
}

// CHECK-LABEL: .entry rows_odd
// CHECK-NOT:     v4
// CHECK:         ret
func.func @rows_odd(%x: tensor<4096x1021xf32>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>) -> tensor<32768x1021xf32> {
  %0 = loop.kernel "rows_odd" [32768, 1021] (%a = %x, %l = %lo, %h = %hi) : (tensor<4096x1021xf32>, tensor<32768xi64>, tensor<32768xi64>) -> tensor<32768x1021xf32> {
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %3 = loop.segment_sum %a[t0, d1] from %1 to %2 : tensor<4096x1021xf32> -> f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<32768x1021xf32>
}

// What the gradient of an embedding becomes: sums in f32 of rows in bf16, and of chunks.
// CHECK-LABEL: .entry chunks
// CHECK:         .minnctapersm 6
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK:         .pragma "nounroll"
// CHECK:         st.global.v4.b32
// CHECK:         ret
func.func @chunks(%x: tensor<65536x2048xbf16>, %c: tensor<512x2048xf32>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>, %p: tensor<65536xi64>) -> tensor<32768x2048xbf16> {
  %0 = loop.kernel "chunks" [32768, 2048] (%a = %x, %b = %c, %l = %lo, %h = %hi, %q = %p) : (tensor<65536x2048xbf16>, tensor<512x2048xf32>, tensor<32768xi64>, tensor<32768xi64>, tensor<65536xi64>) -> tensor<32768x2048xbf16> {
    %shift = arith.constant 7 : i64
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %first = arith.shrsi %1, %shift : i64
    %last = arith.shrsi %2, %shift : i64
    %front = arith.shli %first, %shift : i64
    %back = arith.shli %last, %shift : i64
    %head = loop.segment_sum %a[t0, d1] at %q : tensor<65536xi64> from %1 to %front : tensor<65536x2048xbf16> -> f32
    %middle = loop.segment_sum %b[t0, d1] from %first to %last plus %head : f32 : tensor<512x2048xf32> -> f32
    %4 = loop.segment_sum %a[t0, d1] at %q : tensor<65536xi64> from %back to %2 plus %middle : f32 : tensor<65536x2048xbf16> -> f32
    %5 = arith.truncf %4 : f32 to bf16
    loop.store %5, 0[d0, d1] : bf16
  }
  return %0 : tensor<32768x2048xbf16>
}

// Two rows of f32 begin together: their places, and then their elements.
// CHECK-LABEL: .entry listed_f32
// CHECK:         .minnctapersm 8
// CHECK:         ld.global.v2.b64
// CHECK:         ld.global.v2.b64
// CHECK-COUNT-2: ld.global.b64
// CHECK-NOT:     bra
// CHECK:         ld.global.v4.b32
// CHECK:         ret
func.func @listed_f32(%x: tensor<65536x1024xf32>, %lo: tensor<65536xi64>, %hi: tensor<65536xi64>, %p: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %0 = loop.kernel "listed_f32" [65536, 1024] (%a = %x, %l = %lo, %h = %hi, %q = %p) : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi64>) -> tensor<65536x1024xf32> {
    %1 = loop.load %l[d0] : tensor<65536xi64> -> i64
    %2 = loop.load %h[d0] : tensor<65536xi64> -> i64
    %3 = loop.segment_sum %a[t0, d1] at %q : tensor<65536xi64> from %1 to %2 : tensor<65536x1024xf32> -> f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<65536x1024xf32>
}

// A range that can be seen to have one place at most needs no loop.
// CHECK-LABEL: .entry at_most_one
// CHECK-NOT:     bra
// CHECK:         st.global.v4.b32
// CHECK-NOT:     bra
// CHECK:         ret
func.func @at_most_one(%x: tensor<65536x1024xf32>, %some: tensor<65536xi1>, %p: tensor<65536xi32>) -> tensor<65536x1024xf32> {
  %0 = loop.kernel "at_most_one" [65536, 1024] (%a = %x, %s = %some, %q = %p) : (tensor<65536x1024xf32>, tensor<65536xi1>, tensor<65536xi32>) -> tensor<65536x1024xf32> {
    %1 = loop.index <d0>
    %2 = loop.load %s[d0] : tensor<65536xi1> -> i1
    %3 = arith.extui %2 : i1 to i64
    %4 = arith.addi %1, %3 : i64
    %5 = loop.segment_sum %a[t0, d1] at %q : tensor<65536xi32> from %1 to %4 : tensor<65536x1024xf32> -> f32
    loop.store %5, 0[d0, d1] : f32
  }
  return %0 : tensor<65536x1024xf32>
}

// Few sums of many places: as many rows under way as registers are for.
// CHECK-LABEL: .entry long_ranges
// CHECK-NOT:     .minnctapersm
// CHECK:         .pragma "nounroll"
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK:         ret
func.func @long_ranges(%x: tensor<65536x2048xbf16>, %lo: tensor<512xi64>, %hi: tensor<512xi64>, %p: tensor<65536xi64>) -> tensor<512x2048xf32> {
  %0 = loop.kernel "long_ranges" [512, 2048] (%a = %x, %l = %lo, %h = %hi, %q = %p) : (tensor<65536x2048xbf16>, tensor<512xi64>, tensor<512xi64>, tensor<65536xi64>) -> tensor<512x2048xf32> {
    %1 = loop.load %l[d0] : tensor<512xi64> -> i64
    %2 = loop.load %h[d0] : tensor<512xi64> -> i64
    %3 = loop.segment_sum %a[t0, d1] at %q : tensor<65536xi64> from %1 to %2 : tensor<65536x2048xbf16> -> f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<512x2048xf32>
}
