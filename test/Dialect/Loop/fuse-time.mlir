// On a GPU the times of kernels decide who computes a value: that of the bytes that a kernel moves or that of its
// operations, whichever is longer, and a launch for each.
// RUN: coil-opt %s --loop-fuse | FileCheck %s

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// An exponential of one half of a stack is computed for both halves sooner than it is written and read.
// CHECK-LABEL: func.func @stack
// CHECK: loop.kernel "exp+stack"
// CHECK-NOT: loop.kernel
func.func @stack(%x: tensor<16777216xf32>, %y: tensor<16777216xf32>) -> tensor<16777216x2xf32> {
  %e = loop.kernel "exp" [16777216] (%a = %x) : (tensor<16777216xf32>) -> tensor<16777216xf32> {
    %v = loop.load %a[d0] : tensor<16777216xf32> -> f32
    %u = math.exp %v : f32
    %r = math.exp %u : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "stack" [16777216, 2] (%a = %e, %b = %y) : (tensor<16777216xf32>, tensor<16777216xf32>) -> tensor<16777216x2xf32> {
    %i = loop.index <d1>
    %one = loop.index <1>
    %isFirst = arith.cmpi slt, %i, %one : i64
    %w = loop.load %b[d0] : tensor<16777216xf32> -> f32
    %v = loop.load %a[d0] mask %isFirst else %w : f32 : tensor<16777216xf32> -> f32
    loop.store %v, 0[d0, d1] : f32
  }
  return %s : tensor<16777216x2xf32>
}

// Eight powers for each element of a window take longer than to write and to read one.
// CHECK-LABEL: func.func @windows
// CHECK: loop.kernel "pow"
// CHECK: loop.kernel "window"
func.func @windows(%x: tensor<16777216xf32>) -> tensor<16777209xf32> {
  %e = loop.kernel "pow" [16777216] (%a = %x) : (tensor<16777216xf32>) -> tensor<16777216xf32> {
    %v = loop.load %a[d0] : tensor<16777216xf32> -> f32
    %r = math.powf %v, %v : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "window" [16777209, 8] (%a = %e) : (tensor<16777216xf32>) -> tensor<16777209xf32> {
    %v = loop.load %a[d0 + d1] : tensor<16777216xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<16777209xf32>
}

// Two long reductions of a value: it is not written, unless it takes longer to compute than that.
// CHECK-LABEL: func.func @cheap_for_two
// CHECK: loop.kernel "exp+sum" {{.*}} -> tensor<2xf32>
// CHECK: loop.kernel "exp+div"
// CHECK-NOT: loop.kernel
func.func @cheap_for_two(%x: tensor<2x8388608xf32>) -> tensor<2x8388608xf32> {
  %e = loop.kernel "exp" [2, 8388608] (%a = %x) : (tensor<2x8388608xf32>) -> tensor<2x8388608xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x8388608xf32> -> f32
    %u = math.exp %v : f32
    %r = math.exp %u : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [2, 8388608] (%a = %e) : (tensor<2x8388608xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x8388608xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [2, 8388608] (%a = %e, %b = %s) : (tensor<2x8388608xf32>, tensor<2xf32>) -> tensor<2x8388608xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x8388608xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<2x8388608xf32>
}

// CHECK-LABEL: func.func @expensive_for_two
// CHECK: loop.kernel "pow"
// CHECK: loop.kernel "sum"
// CHECK: loop.kernel "div"
func.func @expensive_for_two(%x: tensor<2x8388608xf32>) -> tensor<2x8388608xf32> {
  %e = loop.kernel "pow" [2, 8388608] (%a = %x) : (tensor<2x8388608xf32>) -> tensor<2x8388608xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x8388608xf32> -> f32
    %r = math.powf %v, %v : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [2, 8388608] (%a = %e) : (tensor<2x8388608xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x8388608xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [2, 8388608] (%a = %e, %b = %s) : (tensor<2x8388608xf32>, tensor<2xf32>) -> tensor<2x8388608xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x8388608xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<2x8388608xf32>
}

// A reader that takes a chain of functions at two places would compute it twice for each of its points: written and read,
// it is faster. At one place it is not.
// CHECK-LABEL: func.func @two_places
// CHECK: loop.kernel "chain"
// CHECK: loop.kernel "rotate"
// CHECK-LABEL: func.func @one_place
// CHECK: loop.kernel "chain+flip"
// CHECK-NOT: loop.kernel
func.func @two_places(%x: tensor<65536x256xf32>) -> tensor<65536x256xf32> {
  %e = loop.kernel "chain" [65536, 256] (%a = %x) : (tensor<65536x256xf32>) -> tensor<65536x256xf32> {
    %v = loop.load %a[d0, d1] : tensor<65536x256xf32> -> f32
    %u = math.exp %v : f32
    %w = math.powf %u, %v : f32
    %r = math.tanh %w : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "rotate" [65536, 256] (%a = %e) : (tensor<65536x256xf32>) -> tensor<65536x256xf32> {
    %c = arith.constant 0.0 : f32
    %i = loop.index <d1>
    %half = loop.index <128>
    %isFirst = arith.cmpi slt, %i, %half : i64
    %isSecond = arith.cmpi sge, %i, %half : i64
    %v = loop.load %a[d0, d1 + 128] mask %isFirst else %c : f32 : tensor<65536x256xf32> -> f32
    %w = loop.load %a[d0, d1 - 128] mask %isSecond else %c : f32 : tensor<65536x256xf32> -> f32
    %r = arith.select %isFirst, %v, %w : f32
    loop.store %r, 0[d0, d1] : f32
  }
  return %s : tensor<65536x256xf32>
}

func.func @one_place(%x: tensor<65536x256xf32>) -> tensor<65536x256xf32> {
  %e = loop.kernel "chain" [65536, 256] (%a = %x) : (tensor<65536x256xf32>) -> tensor<65536x256xf32> {
    %v = loop.load %a[d0, d1] : tensor<65536x256xf32> -> f32
    %u = math.exp %v : f32
    %w = math.powf %u, %v : f32
    %r = math.tanh %w : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "flip" [65536, 256] (%a = %e) : (tensor<65536x256xf32>) -> tensor<65536x256xf32> {
    %v = loop.load %a[d0, -d1 + 255] : tensor<65536x256xf32> -> f32
    loop.store %v, 0[d0, d1] : f32
  }
  return %s : tensor<65536x256xf32>
}

// Blocks scan a row of many elements in pieces, and pass on sums, but reduce nothing: with many rows each has a block.
// CHECK-LABEL: func.func @scan_of_one
// CHECK: loop.kernel "scan"
// CHECK: loop.kernel "max"
// CHECK-LABEL: func.func @scan_of_many
// CHECK: loop.kernel "scan+max"
// CHECK-NOT: loop.kernel
func.func @scan_of_one(%x: tensor<4194304xf32>) -> tensor<f32> {
  %e = loop.kernel "scan" [4194304] (%a = %x) : (tensor<4194304xf32>) -> tensor<4194304xf32> {
    %v = loop.load %a[d0] : tensor<4194304xf32> -> f32
    %r = loop.scan sum %v over [0] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "max" [4194304] (%a = %e) : (tensor<4194304xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<4194304xf32> -> f32
    %r = loop.reduce max %v over [0] : f32
    loop.store %r, 0[] : f32
  }
  return %s : tensor<f32>
}

func.func @scan_of_many(%x: tensor<4096x1024xf32>) -> tensor<4096xf32> {
  %e = loop.kernel "scan" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %r = loop.scan sum %v over [1] : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "max" [4096, 1024] (%a = %e) : (tensor<4096x1024xf32>) -> tensor<4096xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<4096xf32>
}

}
