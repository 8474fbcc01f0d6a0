// Operands and results are copied, and results written, in the order that lanes want, where that asks memory for less.
// RUN: coil-opt %s --split-input-file --target-attach=target=cuda:sm_90a --loop-assign-layouts --remarks-filter=loop-assign-layouts --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --split-input-file --target-attach=target=cpu --loop-assign-layouts | FileCheck %s --check-prefix=CPU
// RUN: coil-opt %s --split-input-file --target-attach=target=cuda:sm_90a --loop-assign-layouts=launch-bytes=100000000000 | FileCheck %s --check-prefix=DEAR

// No launch is worth it where it takes long.
// DEAR-NOT: loop.kernel "copy"

// The lanes of a vector want the same.
// CPU-LABEL: func @operand
// CPU: loop.kernel "copy"
// CPU-LABEL: func @tile
// CPU-NOT: loop.kernel "copy"
// CPU-LABEL: func @three

// A permuted operand of a kernel that reduces.
// CHECK-LABEL: func @operand
// CHECK: %[[C:.*]] = loop.kernel "copy" [4000, 3000] (%[[IN:.*]] = %arg1)
// CHECK:   %[[V:.*]] = loop.load %[[IN]][d0, d1]
// CHECK:   loop.store %[[V]], 0[d0, d1]
// CHECK: loop.kernel "sum" [4000, 3000] (%{{.*}} = %arg0, %{{.*}} = %[[C]])
// REMARK: Copied
// REMARK-SAME: operand 1 of 'sum' is copied: the kernel has its dimensions in the order d0, d1; estimated to ask memory for 196 MB instead of 432 MB
func.func @operand(%x: tensor<4000x3000xf32>, %y: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> tensor<4000xf32> {
  %r = loop.kernel "sum" [4000, 3000] (%a = %x, %b = %y) : (tensor<4000x3000xf32>, tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = arith.addf %v, %w : f32
    %s = loop.reduce sum %p over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %r : tensor<4000xf32>
}

// -----

// Results of a maximum that another reduction needs are one block each: 500 of them are written along the rows, not the columns.
// CHECK-LABEL: func @rows
// CHECK: loop.kernel "copy" [500, 50000] (%{{.*}} = %arg1)
func.func @rows(%x: tensor<500x50000xf32>, %y: tensor<500x50000xf32> {coil.strides = #sym.shape<[1, 500]>}) -> tensor<500xf32> {
  %r = loop.kernel "max" [500, 50000] (%a = %x, %b = %y) : (tensor<500x50000xf32>, tensor<500x50000xf32>) -> tensor<500xf32> {
    %v = loop.load %a[d0, d1] : tensor<500x50000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<500x50000xf32> -> f32
    %p = arith.addf %v, %w : f32
    %m = loop.reduce max %p over [1] : f32
    %d = arith.subf %p, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %r : tensor<500xf32>
}

// -----

// A result that the function returns in another order is copied to it.
// CHECK-LABEL: func @result
// CHECK: %[[R:.*]] = loop.kernel "scale" [3000, 4000]
// CHECK:   loop.store %{{.*}}, 0[d0, d1]
// CHECK: %[[C:.*]] = loop.kernel "copy" [3000, 4000] (%[[IN:.*]] = %[[R]])
// CHECK:   loop.load %[[IN]][d0, d1]
// CHECK: return %[[C]]
func.func @result(%x: tensor<3000x4000xf32>, %y: tensor<3000x4000xf32>) -> (tensor<3000x4000xf32> {coil.strides = #sym.shape<[1, 3000]>}) {
  %r = loop.kernel "scale" [3000, 4000] (%a = %x, %b = %y) : (tensor<3000x4000xf32>, tensor<3000x4000xf32>) -> tensor<3000x4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<3000x4000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<3000x4000xf32> -> f32
    %m = loop.reduce max %w over [1] : f32
    %d = arith.divf %v, %m : f32
    loop.store %d, 0[d0, d1] : f32
  }
  return %r : tensor<3000x4000xf32>
}

// -----

// A writer without an opinion of its own writes what its reader wants.
// CHECK-LABEL: func @between
// CHECK: %[[E:.*]] = loop.kernel "exp" [4000, 3000] {{.*}} -> tensor<3000x4000xf32>
// CHECK:   loop.store %{{.*}}, 0[d1, d0]
// CHECK: loop.kernel "sum" [4000, 3000]
// CHECK:   loop.load %{{.*}}[d1, d0] : tensor<3000x4000xf32>
// CHECK:   loop.load %{{.*}}[d0, d1] : tensor<4000x3000xf32>
// CHECK-NOT: loop.kernel "copy"
// REMARK: Reordered
// REMARK-SAME: result 0 of 'exp' has its dimensions in the order d1, d0
func.func @between(%x: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}, %y: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> tensor<4000xf32> {
  %e = loop.kernel "exp" [4000, 3000] (%a = %x) : (tensor<4000x3000xf32>) -> tensor<4000x3000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = math.exp %v : f32
    loop.store %w, 0[d0, d1] : f32
  }
  %r = loop.kernel "sum" [4000, 3000] (%a = %e, %b = %y) : (tensor<4000x3000xf32>, tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = arith.addf %v, %w : f32
    %s = loop.reduce sum %p over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %r : tensor<4000xf32>
}

// -----

// What is returned, too, is written as it is returned: a view gives it the dimensions back.
// CHECK-LABEL: func @returned
// CHECK: %[[E:.*]] = loop.kernel "exp" [4000, 3000] {{.*}} -> tensor<3000x4000xf32>
// CHECK: %[[V:.*]] = loop.view %[[E]][d1, d0] : tensor<3000x4000xf32> -> tensor<4000x3000xf32>
// CHECK: return %[[V]]
func.func @returned(%x: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> (tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}, tensor<4000xf32>) {
  %e = loop.kernel "exp" [4000, 3000] (%a = %x) : (tensor<4000x3000xf32>) -> tensor<4000x3000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = math.exp %v : f32
    loop.store %w, 0[d0, d1] : f32
  }
  %r = loop.kernel "sum" [4000, 3000] (%a = %e) : (tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %e, %r : tensor<4000x3000xf32>, tensor<4000xf32>
}

// -----

// One copy serves two kernels.
// CHECK-LABEL: func @shared
// CHECK: %[[C:.*]] = loop.kernel "copy"
// CHECK: loop.kernel "max" [4000, 3000] (%{{.*}} = %arg0, %{{.*}} = %[[C]])
// CHECK-NOT: loop.kernel "copy"
// CHECK: loop.kernel "sum" [4000, 3000] (%{{.*}} = %arg0, %{{.*}} = %[[C]])
func.func @shared(%x: tensor<4000x3000xf32>, %y: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> (tensor<4000xf32>, tensor<4000xf32>) {
  %r = loop.kernel "max" [4000, 3000] (%a = %x, %b = %y) : (tensor<4000x3000xf32>, tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = arith.addf %v, %w : f32
    %s = loop.reduce max %p over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  %t = loop.kernel "sum" [4000, 3000] (%a = %x, %b = %y) : (tensor<4000x3000xf32>, tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = arith.addf %v, %w : f32
    %s = loop.reduce sum %p over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %r, %t : tensor<4000xf32>, tensor<4000xf32>
}

// -----

// Nothing is reduced: a tile of both dimensions passes through shared memory.
// CHECK-LABEL: func @tile
// CHECK-NOT: loop.kernel "copy"
func.func @tile(%x: tensor<4000x3000xf32>, %y: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> tensor<4000x3000xf32> {
  %r = loop.kernel "add" [4000, 3000] (%a = %x, %b = %y) : (tensor<4000x3000xf32>, tensor<4000x3000xf32>) -> tensor<4000x3000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = arith.addf %v, %w : f32
    loop.store %p, 0[d0, d1] : f32
  }
  return %r : tensor<4000x3000xf32>
}

// -----

// Three orders: a tile of three dimensions has rows of all of them.
// CHECK-LABEL: func @three
// CHECK-NOT: loop.kernel "copy"
func.func @three(%x: tensor<128x256x512xf32>, %y: tensor<128x256x512xf32> {coil.strides = #sym.shape<[1, 128, 32768]>},
                 %z: tensor<128x256x512xf32> {coil.strides = #sym.shape<[131072, 1, 256]>}) -> tensor<128x256x512xf32> {
  %r = loop.kernel "add" [128, 256, 512] (%a = %x, %b = %y, %c = %z) : (tensor<128x256x512xf32>, tensor<128x256x512xf32>, tensor<128x256x512xf32>) -> tensor<128x256x512xf32> {
    %u = loop.load %a[d0, d1, d2] : tensor<128x256x512xf32> -> f32
    %v = loop.load %b[d0, d1, d2] : tensor<128x256x512xf32> -> f32
    %w = loop.load %c[d0, d1, d2] : tensor<128x256x512xf32> -> f32
    %p = arith.addf %u, %v : f32
    %q = arith.addf %p, %w : f32
    loop.store %q, 0[d0, d1, d2] : f32
  }
  return %r : tensor<128x256x512xf32>
}

// -----

// A result that is returned with its dimensions in another order is written in that order, although its operands lie in others.
// CHECK-LABEL: func @returned_view
// CHECK:     %[[R:.*]] = loop.kernel "add" [128, 256, 512]
// CHECK:       loop.store %{{.*}}, 0[d1, d0, d2]
// CHECK-NOT: loop.kernel
// CHECK-NOT: loop.view
// CHECK:     return %[[R]] : tensor<256x128x512xf32>
func.func @returned_view(%x: tensor<128x256x512xf32>, %y: tensor<128x256x512xf32> {coil.strides = #sym.shape<[1, 128, 32768]>},
                 %z: tensor<128x256x512xf32> {coil.strides = #sym.shape<[131072, 1, 256]>}) -> tensor<256x128x512xf32> {
  %r = loop.kernel "add" [128, 256, 512] (%a = %x, %b = %y, %c = %z) : (tensor<128x256x512xf32>, tensor<128x256x512xf32>, tensor<128x256x512xf32>) -> tensor<128x256x512xf32> {
    %u = loop.load %a[d0, d1, d2] : tensor<128x256x512xf32> -> f32
    %v = loop.load %b[d0, d1, d2] : tensor<128x256x512xf32> -> f32
    %w = loop.load %c[d0, d1, d2] : tensor<128x256x512xf32> -> f32
    %p = arith.addf %u, %v : f32
    %q = arith.addf %p, %w : f32
    loop.store %q, 0[d0, d1, d2] : f32
  }
  %t = loop.view %r[d1, d0, d2] : tensor<128x256x512xf32> -> tensor<256x128x512xf32>
  return %t : tensor<256x128x512xf32>
}

// -----

// A kernel that reduces has no tiles in shared memory: lanes apart would read a sector of a cache for each element, 300 times.
// CHECK-LABEL: func @again
// CHECK: %[[COPY:.+]] = loop.kernel "copy" [400, 200]
// CHECK: loop.kernel "sum" {{.*}} = %[[COPY]])
func.func @again(%x: tensor<400x300x200xf32>, %y: tensor<400x200xf32> {coil.strides = #sym.shape<[1, 400]>}) -> tensor<400x300xf32> {
  %r = loop.kernel "sum" [400, 300, 200] (%a = %x, %b = %y) : (tensor<400x300x200xf32>, tensor<400x200xf32>) -> tensor<400x300xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<400x300x200xf32> -> f32
    %w = loop.load %b[d0, d2] : tensor<400x200xf32> -> f32
    %q = arith.addf %v, %w : f32
    %s = loop.reduce sum %q over [2] : f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %r : tensor<400x300xf32>
}
