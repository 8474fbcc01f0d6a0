// What is in memory between two kernels is a minimum cut of what the reader needs: from operands, from narrower values, or
// from what reductions give for each row, it computes again what costs more to be written and read.
// RUN: coil-opt %s --loop-recompute --remarks-filter=loop-fuse --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t
// Cores find in their caches what the kernel before has written:
// RUN: sed 's/<"cuda" = /<"cpu" = /; s/cuda:sm_90a/cpu:x86-64-v3/' %s | coil-opt --loop-recompute | FileCheck %s --check-prefix=CPU

// WHY: 'columns' computes 1 results of 'square_sum' again, which saves {{2[0-9]+}} of 58753024 bytes
// WHY: 'read' computes 1 results of 'norm' again
// WHY: 'wide' computes 1 results of 'long' again
// WHY: 'pad' computes 1 results of 'square_sum' again
// WHY-NOT: again

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// From an operand of half the bytes.
// CHECK-LABEL: func.func @operand
// CHECK: %[[S:.+]] = loop.kernel "square_sum" [8192, 512] (%{{.+}} = %[[X:.+]]) : (tensor<8192x512xbf16>) -> tensor<8192xf32>
// CHECK: %[[Y:.+]] = loop.kernel "square_sum+columns" [512, 8192] (%[[IN:.+]] = %[[X]]) : (tensor<8192x512xbf16>) -> tensor<512x8192xf32>
// CHECK: %[[V:.+]] = loop.load %[[IN]][d1, d0]
// CHECK: %[[W:.+]] = arith.extf %[[V]]
// CHECK: arith.mulf %[[W]], %[[W]]
// CHECK: return %[[S]], %[[Y]]
// CPU-LABEL: func.func @operand
// CPU: %{{.+}}:2 = loop.kernel "square_sum"
func.func @operand(%x: tensor<8192x512xbf16>) -> (tensor<8192xf32>, tensor<512x8192xf32>) {
  %p, %s = loop.kernel "square_sum" [8192, 512] (%a = %x) : (tensor<8192x512xbf16>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %q = arith.mulf %w, %w : f32
    %r = loop.reduce sum %q over [1] : f32
    loop.store %q, 0[d0, d1] : f32
    loop.store %r, 1[d0] : f32
  }
  %y = loop.kernel "columns" [512, 8192] (%a = %p) : (tensor<8192x512xf32>) -> tensor<512x8192xf32> {
    %v = loop.load %a[d1, d0] : tensor<8192x512xf32> -> f32
    loop.store %v, 0[d0, d1] : f32
  }
  return %s, %y : tensor<8192xf32>, tensor<512x8192xf32>
}

// From what the reduction gives for each row, which is stored instead.
// CHECK-LABEL: func.func @row_values
// CHECK: %[[R:.+]] = loop.kernel "norm" [8192, 512] (%{{.+}} = %[[X:.+]]) : (tensor<8192x512xf32>) -> tensor<8192xf32>
// CHECK: loop.kernel "norm+read" [512, 8192] (%{{.+}} = %[[X]], %{{.+}} = %[[R]])
func.func @row_values(%x: tensor<8192x512xf32>) -> tensor<512x8192xf32> {
  %p = loop.kernel "norm" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> tensor<8192x512xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    loop.store %d, 0[d0, d1] : f32
  }
  %y = loop.kernel "read" [512, 8192] (%a = %p) : (tensor<8192x512xf32>) -> tensor<512x8192xf32> {
    %v = loop.load %a[d1, d0] : tensor<8192x512xf32> -> f32
    %w = arith.mulf %v, %v : f32
    loop.store %w, 0[d0, d1] : f32
  }
  return %y : tensor<512x8192xf32>
}

// In the middle: the operands are three, the value that is narrowed is one, and what follows it is wide.
// CHECK-LABEL: func.func @narrow_value
// CHECK: %[[K:.+]]:2 = loop.kernel "long" {{.*}} -> (tensor<8192xf32>, tensor<8192x512xbf16>)
// CHECK: %[[T:.+]] = arith.truncf
// CHECK: loop.store %[[T]], 1[d0, d1] : bf16
// CHECK: loop.kernel "long+wide" [8192, 512] (%{{.+}} = %[[K]]#1)
// CHECK: arith.extf
// CHECK: arith.mulf
func.func @narrow_value(%x: tensor<8192x512xf32>, %y: tensor<8192x512xf32>, %z: tensor<8192x512xf32>) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %p, %s = loop.kernel "long" [8192, 512] (%a = %x, %b = %y, %c = %z) : (tensor<8192x512xf32>, tensor<8192x512xf32>, tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
    %u = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %v = loop.load %b[d0, d1] : tensor<8192x512xf32> -> f32
    %w = loop.load %c[d0, d1] : tensor<8192x512xf32> -> f32
    %t = arith.mulf %u, %v : f32
    %q = arith.addf %t, %w : f32
    %n = arith.truncf %q : f32 to bf16
    %e = arith.extf %n : bf16 to f32
    %m = arith.mulf %e, %e : f32
    %r = loop.reduce sum %m over [1] : f32
    loop.store %m, 0[d0, d1] : f32
    loop.store %r, 1[d0] : f32
  }
  %o = loop.kernel "wide" [8192, 512] (%a = %p) : (tensor<8192x512xf32>) -> tensor<8192xf32> {
    %v = loop.load %a[d0, 511 - d1] : tensor<8192x512xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s, %o : tensor<8192xf32>, tensor<8192xf32>
}

// Three exponentials take longer than what they make does to move.
// CHECK-LABEL: func.func @operations
// CHECK: %{{.+}}:2 = loop.kernel "exponentials"
// CHECK: loop.kernel "reader" [512, 8192] (%{{.+}} = %{{.+}}#0)
func.func @operations(%x: tensor<8192x512xf32>) -> (tensor<8192xf32>, tensor<512x8192xf32>) {
  %p, %s = loop.kernel "exponentials" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %e = math.erf %v : f32
    %f = math.erf %e : f32
    %g = math.erf %f : f32
    %h = math.erf %g : f32
    %r = loop.reduce sum %h over [1] : f32
    loop.store %h, 0[d0, d1] : f32
    loop.store %r, 1[d0] : f32
  }
  %y = loop.kernel "reader" [512, 8192] (%a = %p) : (tensor<8192x512xf32>) -> tensor<512x8192xf32> {
    %v = loop.load %a[d1, d0] : tensor<8192x512xf32> -> f32
    loop.store %v, 0[d0, d1] : f32
  }
  return %s, %y : tensor<8192xf32>, tensor<512x8192xf32>
}

// (C1) A reader that scans.
// CHECK-LABEL: func.func @scans
// CHECK: loop.kernel "square_sum"{{.*}}-> (tensor<8192x512xf32>, tensor<8192xf32>)
func.func @scans(%x: tensor<8192x512xbf16>) -> (tensor<8192xf32>, tensor<8192x512xf32>) {
  %p, %s = loop.kernel "square_sum" [8192, 512] (%a = %x) : (tensor<8192x512xbf16>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %q = arith.mulf %w, %w : f32
    %r = loop.reduce sum %q over [1] : f32
    loop.store %q, 0[d0, d1] : f32
    loop.store %r, 1[d0] : f32
  }
  %y = loop.kernel "scan" [8192, 512] (%a = %p) : (tensor<8192x512xf32>) -> tensor<8192x512xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %c = loop.scan sum %v over [0] : f32
    loop.store %c, 0[d0, d1] : f32
  }
  return %s, %y : tensor<8192xf32>, tensor<8192x512xf32>
}

// A mask stays with what is loaded.
// CHECK-LABEL: func.func @masked
// CHECK: loop.kernel "square_sum"{{.*}}-> tensor<8192xf32>
// CHECK: loop.kernel "square_sum+pad"
// CHECK: loop.load %{{.+}}[d0, d1] mask %{{.+}} else %{{.+}} : bf16
func.func @masked(%x: tensor<8192x512xbf16>) -> (tensor<8192xf32>, tensor<8192x600xf32>) {
  %p, %s = loop.kernel "square_sum" [8192, 512] (%a = %x) : (tensor<8192x512xbf16>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %q = arith.mulf %w, %w : f32
    %r = loop.reduce sum %q over [1] : f32
    loop.store %q, 0[d0, d1] : f32
    loop.store %r, 1[d0] : f32
  }
  %y = loop.kernel "pad" [8192, 600] (%a = %p) : (tensor<8192x512xf32>) -> tensor<8192x600xf32> {
    %i = loop.index <d1>
    %n = loop.index <512>
    %in = arith.cmpi slt, %i, %n : i64
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d1] mask %in else %zero : f32 : tensor<8192x512xf32> -> f32
    loop.store %v, 0[d0, d1] : f32
  }
  return %s, %y : tensor<8192xf32>, tensor<8192x600xf32>
}

// (C2) An indirect index.
// CHECK-LABEL: func.func @indirect
// CHECK: loop.kernel "square_sum"{{.*}}-> (tensor<8192x512xf32>, tensor<8192xf32>)
func.func @indirect(%x: tensor<8192x512xbf16>, %at: tensor<8192xi64>) -> (tensor<8192xf32>, tensor<8192x512xf32>) {
  %p, %s = loop.kernel "square_sum" [8192, 512] (%a = %x) : (tensor<8192x512xbf16>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %q = arith.mulf %w, %w : f32
    %r = loop.reduce sum %q over [1] : f32
    loop.store %q, 0[d0, d1] : f32
    loop.store %r, 1[d0] : f32
  }
  %y = loop.kernel "gather" [8192, 512] (%a = %p, %b = %at) : (tensor<8192x512xf32>, tensor<8192xi64>) -> tensor<8192x512xf32> {
    %i = loop.load %b[d0] : tensor<8192xi64> -> i64
    %v = loop.load %a[t0, d1](%i) bounds check : tensor<8192x512xf32> -> f32
    loop.store %v, 0[d0, d1] : f32
  }
  return %s, %y : tensor<8192xf32>, tensor<8192x512xf32>
}

// (C3) What varies over one of two dimensions that are reduced cannot be stored once.
// CHECK-LABEL: func.func @part
// CHECK: loop.kernel "part"{{.*}}-> (tensor<64x128x512xf32>, tensor<64xf32>)
func.func @part(%x: tensor<64x128x512xf32>, %y: tensor<128xi64>, %t: tensor<4096xbf16>) -> (tensor<64xf32>, tensor<512x128x64xf32>) {
  %p, %s = loop.kernel "part" [64, 128, 512] (%a = %x, %b = %y, %c = %t) : (tensor<64x128x512xf32>, tensor<128xi64>, tensor<4096xbf16>) -> (tensor<64x128x512xf32>, tensor<64xf32>) {
    %v = loop.load %a[d0, d1, d2] : tensor<64x128x512xf32> -> f32
    %i = loop.load %b[d1] : tensor<128xi64> -> i64
    %n = loop.load %c[t0](%i) bounds check : tensor<4096xbf16> -> bf16
    %w = arith.extf %n : bf16 to f32
    %q = arith.mulf %v, %w : f32
    %r = loop.reduce sum %q over [1, 2] : f32
    loop.store %q, 0[d0, d1, d2] : f32
    loop.store %r, 1[d0] : f32
  }
  %o = loop.kernel "turned" [512, 128, 64] (%a = %p) : (tensor<64x128x512xf32>) -> tensor<512x128x64xf32> {
    %v = loop.load %a[d2, d1, d0] : tensor<64x128x512xf32> -> f32
    loop.store %v, 0[d0, d1, d2] : f32
  }
  return %s, %o : tensor<64xf32>, tensor<512x128x64xf32>
}

}
