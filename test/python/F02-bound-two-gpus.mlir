// REQUIRES: cuda-sim
// RUN: env COIL_CUDA_SIM_DEVICES=2 %cuda_sim %python %S/F02-bound-two-gpus.py %s | FileCheck %S/F02-bound-two-gpus.py

// F02: stages on two GPUs, there and back, with a copy of columns.
!x = tensor<?x4xf32, #sym.shape<[s0, 4]>>
!r = tensor<1x4xf32>
!c = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !x {coil.name = "x"}, %b: !r {coil.name = "b", coil.device_index = 1 : i64})
    -> (!x {coil.device_index = 1 : i64}, !x, !c {coil.device_index = 1 : i64})
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %0 = graph.reduce sum, %x dims [0] keepdims : (!x) -> !r
  %1 = graph.mul %x, %0 : (!x, !r) -> !x
  %2 = graph.to_device %1 1 : !x
  %3 = graph.add %2, %b : (!x, !r) -> !x
  %4 = graph.reduce max, %3 dims [1] keepdims : (!x) -> !c
  %5 = graph.sub %3, %4 : (!x, !c) -> !x
  %6 = graph.to_device %5 0 : !x
  %7 = graph.add %6, %x : (!x, !x) -> !x
  return %3, %7, %4 : !x, !x, !c
}
