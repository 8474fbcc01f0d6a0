// What stays in its order although another one would ask memory for less: the constraints of the pass.
// RUN: coil-opt %s --split-input-file --target-attach=target=cuda:sm_90a --loop-assign-layouts=takes-apart=false --remarks-filter=loop-assign-layouts --remark-policy=all 2>%t | FileCheck %s
// RUN: not grep Passed %t

// (C1) A kernel that scans.
// CHECK-LABEL: func @scans
// CHECK-NOT: loop.kernel "copy"
func.func @scans(%x: tensor<4000x3000xf32>, %y: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> tensor<4000x3000xf32> {
  %r = loop.kernel "cumsum" [4000, 3000] (%a = %x, %b = %y) : (tensor<4000x3000xf32>, tensor<4000x3000xf32>) -> tensor<4000x3000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = arith.addf %v, %w : f32
    %s = loop.scan sum %p over [1] : f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %r : tensor<4000x3000xf32>
}

// -----

// (C2) A result that a view reads keeps its order.
// CHECK-LABEL: func @view
// CHECK: loop.kernel "exp" {{.*}} -> tensor<4000x3000xf32>
// CHECK: loop.view
func.func @view(%x: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> (tensor<12000000xf32>, tensor<4000xf32>) {
  %e = loop.kernel "exp" [4000, 3000] (%a = %x) : (tensor<4000x3000xf32>) -> tensor<4000x3000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = math.exp %v : f32
    loop.store %w, 0[d0, d1] : f32
  }
  %f = loop.view %e[d0 floordiv 3000, d0 mod 3000] : tensor<4000x3000xf32> -> tensor<12000000xf32>
  %r = loop.kernel "sum" [4000, 3000] (%a = %e) : (tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %f, %r : tensor<12000000xf32>, tensor<4000xf32>
}

// -----

// (C2) One that is returned with gaps between its elements keeps its order, too.
// CHECK-LABEL: func @gaps
// CHECK: loop.kernel "exp" {{.*}} -> tensor<4000x3000xf32>
func.func @gaps(%x: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> (tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 5000]>}, tensor<4000xf32>) {
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

// (C3) An operand that is read at positions.
// CHECK-LABEL: func @positions
// CHECK-NOT: loop.kernel "copy"
func.func @positions(%x: tensor<4000x3000xf32>, %i: tensor<4000xi64>, %y: tensor<4000x3000xf32> {coil.strides = #sym.shape<[1, 4000]>}) -> tensor<4000xf32> {
  %r = loop.kernel "sum" [4000, 3000] (%a = %x, %j = %i, %b = %y) : (tensor<4000x3000xf32>, tensor<4000xi64>, tensor<4000x3000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %p = loop.load %j[d0] : tensor<4000xi64> -> i64
    %w = loop.load %b[t0, d1](%p) bounds check : tensor<4000x3000xf32> -> f32
    %q = arith.addf %v, %w : f32
    %s = loop.reduce sum %q over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %r : tensor<4000xf32>
}

// -----

// (C3) One that is read again for every column: caches have it, and tiles in shared memory.
// CHECK-LABEL: func @again
// CHECK-NOT: loop.kernel "copy"
func.func @again(%x: tensor<400x300x200xf32>, %y: tensor<400x200xf32> {coil.strides = #sym.shape<[1, 400]>}) -> tensor<400x300x200xf32> {
  %r = loop.kernel "sum" [400, 300, 200] (%a = %x, %b = %y) : (tensor<400x300x200xf32>, tensor<400x200xf32>) -> tensor<400x300x200xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<400x300x200xf32> -> f32
    %w = loop.load %b[d0, d2] : tensor<400x200xf32> -> f32
    %q = arith.addf %v, %w : f32
    loop.store %q, 0[d0, d1, d2] : f32
  }
  return %r : tensor<400x300x200xf32>
}

// -----

// (C3) One whose position along a dimension is of two of the kernel's: a diagonal that slides.
// CHECK-LABEL: func @diagonal
// CHECK-NOT: loop.kernel "copy"
func.func @diagonal(%x: tensor<4000x3000xf32>, %y: tensor<7000x7000xf32>) -> tensor<4000xf32> {
  %r = loop.kernel "sum" [4000, 3000] (%a = %x, %b = %y) : (tensor<4000x3000xf32>, tensor<7000x7000xf32>) -> tensor<4000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4000x3000xf32> -> f32
    %w = loop.load %b[d0 + d1, d0] : tensor<7000x7000xf32> -> f32
    %q = arith.addf %v, %w : f32
    %s = loop.reduce sum %q over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  return %r : tensor<4000xf32>
}

// -----

// (C4) All are in an order in which every access is strided, and all in another one would ask memory for less.
// CHECK-LABEL: func @most
// CHECK-NOT: loop.kernel "copy"
func.func @most(%x: tensor<491x42x49x31x3xf16>,
                %y: tensor<491x42x49x31x3xf16>,
                %z: tensor<491x42x49x31x3xf16>, %t: tensor<491x42x49x31x3xf16>) -> tensor<491x42x31x3xf32> {
  %r = loop.kernel "sum" [491, 42, 49, 31, 3] (%a = %x, %b = %y, %c = %z, %d = %t) : (tensor<491x42x49x31x3xf16>, tensor<491x42x49x31x3xf16>, tensor<491x42x49x31x3xf16>, tensor<491x42x49x31x3xf16>) -> tensor<491x42x31x3xf32> {
    %u = loop.load %a[d0, d1, d2, d3, d4] : tensor<491x42x49x31x3xf16> -> f16
    %v = loop.load %b[d0, d1, d2, d3, d4] : tensor<491x42x49x31x3xf16> -> f16
    %w = loop.load %c[d0, d1, d2, d3, d4] : tensor<491x42x49x31x3xf16> -> f16
    %x1 = loop.load %d[d0, d1, d2, d3, d4] : tensor<491x42x49x31x3xf16> -> f16
    %p = arith.addf %u, %v : f16
    %q = arith.addf %w, %x1 : f16
    %o = arith.addf %p, %q : f16
    %e = arith.extf %o : f16 to f32
    %s = loop.reduce sum %e over [2] : f32
    loop.store %s, 0[d0, d1, d3, d4] : f32
  }
  return %r : tensor<491x42x31x3xf32>
}
