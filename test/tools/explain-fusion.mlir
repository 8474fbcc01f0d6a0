// RUN: coil-compile %s --target=cuda:sm_90 --library=none --to=loop --explain -o /dev/null 2>&1 | FileCheck %s
// RUN: coil-compile %s --target=cpu --library=none --to=loop --explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: coil-compile %s --target=cuda:sm_90 --library=none --to=loop --explain --fuse=false -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: coil-compile %s --target=cuda:sm_90 --library=none --to=loop -o %t.plain.mlir
// RUN: coil-compile %s --target=cuda:sm_90 --library=none --to=loop --explain -o %t.explained.mlir 2>/dev/null
// RUN: diff %t.plain.mlir %t.explained.mlir

// B16: what a fusion that was not done would have saved comes first where it is most, with the lines of both kernels and
// the reason. Two reads of 64 MB against one of 256 kB; to explain changes nothing.
// CHECK:      explain-fusion.mlir:19:8: remark: [Missed] WouldSave {{.*}}Remark="one kernel would save 67.1 MB and about {{[0-9.]+}} us: '[[BIG:.*]]' (explain-fusion.mlir:18) with '[[BIG]]' (explain-fusion.mlir:19): they reduce over different dimensions"
// CHECK:      explain-fusion.mlir:21:8: remark: [Missed] WouldSave {{.*}}Remark="one kernel would save 262.1 kB and about {{[0-9.]+}} us: '[[BIG]]' (explain-fusion.mlir:20) with '[[BIG]]' (explain-fusion.mlir:21): they reduce over different dimensions"
// CHECK-NOT:  WouldSave
// CPU:        WouldSave {{.*}}one kernel would save 67.1 MB
// OFF-NOT:    WouldSave
!big = tensor<4096x4096xf32, #sym.shape<[4096, 4096]>>
!small = tensor<256x256xf32, #sym.shape<[256, 256]>>
func.func @main(%x: !big, %y: !small) -> (!big, !big, !small, !small) {
  %c = graph.scan sum, %x dim 0 : (!big) -> !big
  %d = graph.scan sum, %x dim 1 : (!big) -> !big
  %a = graph.scan sum, %y dim 0 : (!small) -> !small
  %b = graph.scan sum, %y dim 1 : (!small) -> !small
  return %c, %d, %a, %b : !big, !big, !small, !small
}
