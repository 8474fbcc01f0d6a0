// F01: a host program is ops, and nothing else: what is no op of the dialect does not verify, what no
// emitter knows is an error in each of them, and one module is what all of them take.
// RUN: coil-translate --wrapper-to-python %s | FileCheck %s
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-opt --coil-kernel-pipeline %s | coil-translate --wrapper-to-cpp | FileCheck %s --check-prefix=CPP
// RUN: echo 'wrapper.func @main() { "wrapper.text"() {text = "print(1)"} : () -> () wrapper.return }' > %t.mlir
// RUN: not coil-opt %t.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: unregistered operation 'wrapper.text' found in dialect ('wrapper')
// RUN: echo 'wrapper.func @main() { "any.text"() {text = "print(1)"} : () -> () wrapper.return }' > %t.mlir
// RUN: not coil-translate --allow-unregistered-dialect --wrapper-to-python %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not coil-translate --allow-unregistered-dialect --wrapper-to-fx %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not coil-translate --allow-unregistered-dialect --wrapper-to-cpp %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: 'any.text' op has no method in the emitter

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// CHECK: def main(args):
// FX: def build_main():
// CPP: main(coil_run *run
wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // CHECK: .copy_(
  // FX: aten.copy_
  // CPP: coil::copy(
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}
