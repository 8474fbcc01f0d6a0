// RUN: coil-opt %s --loop-fuse-columns="rows=32 always" --split-input-file --remarks-filter=loop-fuse --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --loop-fuse-columns --split-input-file --remarks-filter=loop-fuse --remark-policy=all 2>%t.bytes | FileCheck %s --check-prefix=BYTES
// RUN: FileCheck %s --check-prefix=WHY < %t.bytes

// Both directions read the data once; a small kernel reduces the chunks.
// CHECK-LABEL: @siblings
// CHECK:       %[[K:.+]]:2 = loop.kernel "dw+mean" [8192, 256] ({{.*}}) : (tensor<8192x256xf32>) -> (tensor<256x256xf32>, tensor<8192xf32>)
// CHECK:       %[[V:.+]] = loop.load {{.*}}[d0, d1]
// CHECK-NEXT:  loop.accumulate sum %[[V]], 0 columns [1] rows 32 : f32
// CHECK:       loop.reduce sum {{.*}} over [1] : f32
// CHECK:       %[[R:.+]] = loop.kernel "dw" [256, 256] ({{.*}} = %[[K]]#0)
// CHECK:       loop.load {{.*}}[d1, d0]
// CHECK-NEXT:  loop.reduce sum {{.*}} over [1]
// CHECK:       return %[[R]], %[[K]]#1
// REMARK: fused: columns of 'dw' with rows of 'mean', in chunks of 32 rows

// As many chunks as blocks that run at a time.
// BYTES-LABEL: @siblings
// BYTES:       loop.accumulate sum %{{.*}}, 0 columns [1] rows 16 : f32
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @siblings(%x: tensor<8192x256xf32>) -> (tensor<256xf32>, tensor<8192xf32>) {
    %c = loop.kernel "dw" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<256xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "mean" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<8192xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %c, %r : tensor<256xf32>, tensor<8192xf32>
  }
}

// -----

// Columns of what the rows compute take the value, and what nobody else reads is
// not stored; dimensions may have another order.
// CHECK-LABEL: @computed
// CHECK:       %[[K:.+]] = loop.kernel "softmax+db" [8192, 256] ({{.*}}) : (tensor<8192x256xf32>) -> tensor<256x256xf32>
// CHECK:       %[[Q:.+]] = arith.divf
// CHECK-NEXT:  loop.accumulate sum %[[Q]], 0 columns [1] rows 32 : f32
// CHECK-NOT:   loop.store
// CHECK:       loop.kernel "db" [256, 256] ({{.*}} = %[[K]])
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @computed(%x: tensor<8192x256xf32>) -> tensor<256xf32> {
    %y = loop.kernel "softmax" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<8192x256xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      %q = arith.divf %v, %s : f32
      loop.store %q, 0[d0, d1] : f32
    }
    %c = loop.kernel "db" [256, 8192] (%a = %y) : (tensor<8192x256xf32>) -> tensor<256xf32> {
      %v = loop.load %a[d1, d0] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %c : tensor<256xf32>
  }
}

// -----

// Few rows: there would be one block, where the columns alone have many.
// BYTES-LABEL: @few_rows
// BYTES-NOT:   loop.accumulate
// WHY: not fused: columns of 'dw' with rows of 'mean': 4 chunks of rows would leave most processors idle
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @few_rows(%x: tensor<8x2048xf32>) -> (tensor<2048xf32>, tensor<8xf32>) {
    %c = loop.kernel "dw" [8, 2048] (%a = %x) : (tensor<8x2048xf32>) -> tensor<2048xf32> {
      %v = loop.load %a[d0, d1] : tensor<8x2048xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "mean" [8, 2048] (%a = %x) : (tensor<8x2048xf32>) -> tensor<8xf32> {
      %v = loop.load %a[d0, d1] : tensor<8x2048xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %c, %r : tensor<2048xf32>, tensor<8xf32>
  }
}

// -----

// Long rows, of which each is a chunk: the chunks would be as much as what is read twice.
// BYTES-LABEL: @long_rows
// BYTES-NOT:   loop.accumulate
// WHY: not fused: columns of 'dw' with rows of 'mean': it would save 4325376 bytes and add
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @long_rows(%x: tensor<132x8192xf32>) -> (tensor<8192xf32>, tensor<132xf32>) {
    %c = loop.kernel "dw" [132, 8192] (%a = %x) : (tensor<132x8192xf32>) -> tensor<8192xf32> {
      %v = loop.load %a[d0, d1] : tensor<132x8192xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "mean" [132, 8192] (%a = %x) : (tensor<132x8192xf32>) -> tensor<132xf32> {
      %v = loop.load %a[d0, d1] : tensor<132x8192xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %c, %r : tensor<8192xf32>, tensor<132xf32>
  }
}

// -----

// (C2) A scan goes through its points in order.
// CHECK-LABEL: @loop_fuse_columns_c2
// CHECK-NOT:   loop.accumulate
// REMARK: not fused: columns of 'dw' with rows of 'cumsum': it scans, scatters or sums rows
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @loop_fuse_columns_c2(%x: tensor<8192x256xf32>) -> (tensor<256xf32>, tensor<8192x256xf32>) {
    %c = loop.kernel "dw" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<256xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "cumsum" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<8192x256xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.scan sum %v over [1] : f32
      loop.store %s, 0[d0, d1] : f32
    }
    return %c, %r : tensor<256xf32>, tensor<8192x256xf32>
  }
}

// -----

// (C3) The columns read the rows' result at other points, too.
// CHECK-LABEL: @loop_fuse_columns_c3
// CHECK-NOT:   loop.accumulate
// REMARK: not fused: columns of 'db' with rows of 'softmax': it reads a result of the rows at other points
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @loop_fuse_columns_c3(%x: tensor<512x512xf32>) -> tensor<512xf32> {
    %y = loop.kernel "softmax" [512, 512] (%a = %x) : (tensor<512x512xf32>) -> tensor<512x512xf32> {
      %v = loop.load %a[d0, d1] : tensor<512x512xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      %q = arith.divf %v, %s : f32
      loop.store %q, 0[d0, d1] : f32
    }
    %c = loop.kernel "db" [512, 512] (%a = %y) : (tensor<512x512xf32>) -> tensor<512xf32> {
      %v = loop.load %a[d0, d1] : tensor<512x512xf32> -> f32
      %w = loop.load %a[d1, d0] : tensor<512x512xf32> -> f32
      %m = arith.mulf %v, %w : f32
      %s = loop.reduce sum %m over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    return %c : tensor<512xf32>
  }
}

// -----

// (C4) A block has no registers for such a row.
// CHECK-LABEL: @loop_fuse_columns_c4
// CHECK-NOT:   loop.accumulate
// REMARK: not fused: columns of 'dw' with rows of 'mean': a row of 65536 elements is longer than a block has registers for
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @loop_fuse_columns_c4(%x: tensor<512x65536xf32>) -> (tensor<65536xf32>, tensor<512xf32>) {
    %c = loop.kernel "dw" [512, 65536] (%a = %x) : (tensor<512x65536xf32>) -> tensor<65536xf32> {
      %v = loop.load %a[d0, d1] : tensor<512x65536xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "mean" [512, 65536] (%a = %x) : (tensor<512x65536xf32>) -> tensor<512xf32> {
      %v = loop.load %a[d0, d1] : tensor<512x65536xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %c, %r : tensor<65536xf32>, tensor<512xf32>
  }
}

// -----

// (C5) The rows need the columns' result.
// CHECK-LABEL: @loop_fuse_columns_c5
// CHECK-NOT:   loop.accumulate
// REMARK: not fused: columns of 'dw' with rows of 'centre': one depends on the other
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @loop_fuse_columns_c5(%x: tensor<8192x256xf32>) -> tensor<8192xf32> {
    %c = loop.kernel "dw" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<256xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "centre" [8192, 256] (%a = %x, %b = %c) : (tensor<8192x256xf32>, tensor<256xf32>) -> tensor<8192xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %m = loop.load %b[d1] : tensor<256xf32> -> f32
      %d = arith.subf %v, %m : f32
      %s = loop.reduce sum %d over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %r : tensor<8192xf32>
  }
}

// -----

// (C1) Moments of columns are no plain combination; and a CPU's caches have what
// the other kernel read.
// CHECK-LABEL: @loop_fuse_columns_c1
// CHECK-NOT:   loop.accumulate
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  func.func @loop_fuse_columns_c1(%x: tensor<8192x256xf32>) -> (tensor<256xf32>, tensor<8192xf32>) {
    %c = loop.kernel "var" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<256xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %mean, %m2, %n = loop.welford %v, %zero, %one over [0] : f32
      loop.store %m2, 0[d1] : f32
    }
    %r = loop.kernel "mean" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<8192xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    return %c, %r : tensor<256xf32>, tensor<8192xf32>
  }
}

// -----

// CHECK-LABEL: @on_cpu
// CHECK-NOT:   loop.accumulate
func.func @on_cpu(%x: tensor<8192x256xf32>) -> (tensor<256xf32>, tensor<8192xf32>) {
  %c = loop.kernel "dw" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<256xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0[d1] : f32
  }
  %r = loop.kernel "mean" [8192, 256] (%a = %x) : (tensor<8192x256xf32>) -> tensor<8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x256xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %c, %r : tensor<256xf32>, tensor<8192xf32>
}
