// F27: what is written for readers is never why a program does not compile: a folder that cannot be made is a warning.

// RUN: rm -rf %t && mkdir %t && touch %t/file
// RUN: coil-run %s --random-inputs --output= --dump-llvm=%t/file/llvm 2>&1 | FileCheck %s
// RUN: coil-run %s --random-inputs --output= --target=cpu --library=none --fuse=false --dump-llvm=%t/file/llvm --num-threads=2 2>&1 | FileCheck %s
// CHECK: warning: a report is incomplete: cannot create '{{.*}}file/llvm'
// CHECK-NOT: warning
// CHECK-NOT: error

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = graph.tanh %x : (tensor<64xf32>) -> tensor<64xf32>
  %z = graph.exp %y : (tensor<64xf32>) -> tensor<64xf32>
  return %z : tensor<64xf32>
}
