// RUN: coil-opt %s --convert-loop-to-wrapper --split-input-file | FileCheck %s
// RUN: coil-opt %s --convert-loop-to-wrapper --split-input-file --remarks-filter=convert-loop-to-wrapper 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!x = tensor<?x64x128xf32, #sym.shape<[s0, 64, 128]>>
!y = tensor<?x64x32xf32, #sym.shape<[s0, 64, 32]>>

// CHECK-LABEL: wrapper.func @linear
// CHECK: %[[Y:.+]] = wrapper.alloc : !wrapper.buffer<[s0, 64, 32], f32, #wrapper.device<"cpu">>
// CHECK: wrapper.contraction "onednn"[s0 * 64, 32, 128] a(%arg0[128, 0, 1] : {{.+}}) b(%arg1[0, 128, 1] : {{.+}}) bias(%arg2[0, 1, 0] : {{.+}}) c(%[[Y]][32, 1, 0] : {{.+}}) post none
func.func @linear(%x: !x, %w: tensor<32x128xf32>, %b: tensor<32xf32>) -> !y
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %y = loop.kernel "linear" [s0, 64, 32, 128] (%p = %x, %q = %w, %r = %b) : (!x, tensor<32x128xf32>, tensor<32xf32>) -> !y
      schedule<library = "onednn"> {
    %0 = loop.load %p[d0, d1, d3] : !x -> f32
    %1 = loop.load %q[d2, d3] : tensor<32x128xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [3] : f32
    %4 = loop.load %r[d2] : tensor<32xf32> -> f32
    %5 = arith.addf %4, %3 : f32
    loop.store %5, 0 [d0, d1, d2] : f32
  }
  return %y : !y
}

// -----

// A view feeds a library call as strides and an offset.
// CHECK-LABEL: wrapper.func @strided_view
// CHECK: %[[V:.+]] = wrapper.reinterpret %arg0 at <2> : {{.+}} to !wrapper.buffer<[4, 8], strides = [1, 6]
// CHECK: wrapper.contraction "onednn"[4, 16, 8] a(%[[V]][1, 0, 6] : {{.+}}) b(%arg1[0, 1, 16] : {{.+}}) c(%{{.+}}[16, 1, 0] : {{.+}}) post none
func.func @strided_view(%x: tensor<8x6xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %v = loop.view %x[d1, d0 + 2] : tensor<8x6xf32> -> tensor<4x8xf32>
  %y = loop.kernel "mm" [4, 16, 8] (%p = %v, %q = %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      schedule<library = "onednn"> {
    %0 = loop.load %p[d0, d2] : tensor<4x8xf32> -> f32
    %1 = loop.load %q[d2, d1] : tensor<8x16xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    loop.store %3, 0 [d0, d1] : f32
  }
  return %y : tensor<4x16xf32>
}

// -----

// CHECK-LABEL: wrapper.func @conv
// CHECK: wrapper.convolution "onednn" ins(%arg0, %arg1 : {{.+}}) outs(%{{.+}} : {{.+}}) stride [2] padding [0] dilation [1] groups 1 post none
func.func @conv(%x: tensor<1x3x9xf32>, %w: tensor<8x3x3xf32>) -> tensor<1x8x4xf32> {
  %y = loop.kernel "conv" [8, 4, 3, 3] (%p = %x, %q = %w) : (tensor<1x3x9xf32>, tensor<8x3x3xf32>) -> tensor<1x8x4xf32>
      conv<stride = [2], padding = [0], dilation = [1], groups = 1> schedule<library = "onednn"> {
    %0 = loop.load %p[0, d2, d1 * 2 + d3] : tensor<1x3x9xf32> -> f32
    %1 = loop.load %q[d0, d2, d3] : tensor<8x3x3xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2, 3] : f32
    loop.store %3, 0 [0, d0, d1] : f32
  }
  return %y : tensor<1x8x4xf32>
}

// -----

// What no library takes stays a kernel, with a remark.
// REMARK: 'mm' is not a call of 'onednn': its epilogue is not a bias and a known function
// CHECK: wrapper.kernel @mm_0
// CHECK-NOT: schedule
// CHECK-LABEL: wrapper.func @fallback
// CHECK: wrapper.launch @mm_0
func.func @fallback(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w) : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      schedule<library = "onednn"> {
    %0 = loop.load %p[d0, d2] : tensor<8x4xf32> -> f32
    %1 = loop.load %q[d2, d1] : tensor<4x16xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    %4 = math.tanh %3 : f32
    loop.store %4, 0 [d0, d1] : f32
  }
  return %y : tensor<8x16xf32>
}
