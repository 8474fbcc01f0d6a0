// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cuda">>
!x = !wrapper.buffer<[1, 2, 4], f32, #wrapper.device<"cuda">>
!w = !wrapper.buffer<[2, 2, 1], f32, #wrapper.device<"cuda">>

// CHECK-LABEL: wrapper.func @main
wrapper.func @main(%a: !m, %c: !m, %x: !x, %w: !w, %y: !x) {
  // CHECK: wrapper.contraction {{.*}} post relu tf32
  wrapper.contraction "cublaslt"[4, 4, 4] a(%a[4, 0, 1] : !m) b(%a[0, 1, 4] : !m) c(%c[4, 1, 0] : !m) post relu tf32
  // CHECK: wrapper.convolution {{.*}} post none tf32
  wrapper.convolution "cudnn" ins(%x, %w : !x, !w) outs(%y : !x) stride [1] padding [0] dilation [1] groups 1 post none tf32
  wrapper.return
}
