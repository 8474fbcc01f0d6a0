// REQUIRES: cuda-sim, fake-cudnn
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=causal --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=minus_infinity --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=lowest --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=added_lowest --reference=interp
// RUN: coil-compile %s --target=cuda:sm_90a --library=cudnn --to=graph | FileCheck %s

// Attention that a program spells, by a library.

// CHECK-COUNT-4: graph.attention {{.*}} library "cudnn"

// The library's own causal mask.
func.func @causal(%q: tensor<2x4x100x16xbf16>, %k: tensor<2x4x100x16xbf16>, %v: tensor<2x4x100x16xbf16>) -> tensor<2x4x100x16xbf16> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x100x16xbf16>) -> tensor<2x4x16x100xbf16>
  %w = graph.matmul %q, %t : (tensor<2x4x100x16xbf16>, tensor<2x4x16x100xbf16>) -> tensor<2x4x100x100xbf16>
  %four = graph.full 4.0 : bf16 -> tensor<bf16>
  %x = graph.div %w, %four : (tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<100xi64>
  %r = graph.reshape %i : (tensor<100xi64>) -> tensor<100x1xi64>
  %b = graph.compare le, %i, %r : (tensor<100xi64>, tensor<100x1xi64>) -> tensor<100x100xi1>
  %h = graph.full 0xFF80 : bf16 -> tensor<bf16>
  %y = graph.select %b, %x, %h : (tensor<100x100xi1>, tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %p = graph.aten "aten._softmax.default"(%y) ["self"] {dim = -1 : i64, half_to_float = false} : (tensor<2x4x100x100xbf16>) -> tensor<2x4x100x100xbf16>
  %o = graph.matmul %p, %v : (tensor<2x4x100x100xbf16>, tensor<2x4x100x16xbf16>) -> tensor<2x4x100x16xbf16>
  return %o : tensor<2x4x100x16xbf16>
}

// Rows of which all is hidden are NaN.
func.func @minus_infinity(%q: tensor<2x4x100x16xbf16>, %k: tensor<2x4x100x16xbf16>, %v: tensor<2x4x100x16xbf16>, %a: tensor<2x1x100x100xi1>) -> tensor<2x4x100x16xbf16> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x100x16xbf16>) -> tensor<2x4x16x100xbf16>
  %w = graph.matmul %q, %t : (tensor<2x4x100x16xbf16>, tensor<2x4x16x100xbf16>) -> tensor<2x4x100x100xbf16>
  %four = graph.full 4.0 : bf16 -> tensor<bf16>
  %x = graph.div %w, %four : (tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<100xi64>
  %r = graph.reshape %i : (tensor<100xi64>) -> tensor<100x1xi64>
  %c = graph.full 20 : i64 -> tensor<i64>
  %g = graph.compare ge, %r, %c : (tensor<100x1xi64>, tensor<i64>) -> tensor<100x1xi1>
  %b = graph.bitwise_and %a, %g : (tensor<2x1x100x100xi1>, tensor<100x1xi1>) -> tensor<2x1x100x100xi1>
  %h = graph.full 0xFF80 : bf16 -> tensor<bf16>
  %y = graph.select %b, %x, %h : (tensor<2x1x100x100xi1>, tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %p = graph.aten "aten._softmax.default"(%y) ["self"] {dim = -1 : i64, half_to_float = false} : (tensor<2x4x100x100xbf16>) -> tensor<2x4x100x100xbf16>
  %o = graph.matmul %p, %v : (tensor<2x4x100x100xbf16>, tensor<2x4x100x16xbf16>) -> tensor<2x4x100x16xbf16>
  return %o : tensor<2x4x100x16xbf16>
}

// They are means where a finite number hides scores.
func.func @lowest(%q: tensor<2x4x100x16xbf16>, %k: tensor<2x4x100x16xbf16>, %v: tensor<2x4x100x16xbf16>, %a: tensor<2x1x100x100xi1>) -> tensor<2x4x100x16xbf16> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x100x16xbf16>) -> tensor<2x4x16x100xbf16>
  %w = graph.matmul %q, %t : (tensor<2x4x100x16xbf16>, tensor<2x4x16x100xbf16>) -> tensor<2x4x100x100xbf16>
  %four = graph.full 4.0 : bf16 -> tensor<bf16>
  %x = graph.div %w, %four : (tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<100xi64>
  %r = graph.reshape %i : (tensor<100xi64>) -> tensor<100x1xi64>
  %c = graph.full 20 : i64 -> tensor<i64>
  %g = graph.compare ge, %r, %c : (tensor<100x1xi64>, tensor<i64>) -> tensor<100x1xi1>
  %b = graph.bitwise_and %a, %g : (tensor<2x1x100x100xi1>, tensor<100x1xi1>) -> tensor<2x1x100x100xi1>
  %h = graph.full -3.3895e+38 : bf16 -> tensor<bf16>
  %y = graph.select %b, %x, %h : (tensor<2x1x100x100xi1>, tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %p = graph.aten "aten._softmax.default"(%y) ["self"] {dim = -1 : i64, half_to_float = false} : (tensor<2x4x100x100xbf16>) -> tensor<2x4x100x100xbf16>
  %o = graph.matmul %p, %v : (tensor<2x4x100x100xbf16>, tensor<2x4x100x16xbf16>) -> tensor<2x4x100x16xbf16>
  return %o : tensor<2x4x100x16xbf16>
}

// So they are where it is added, beside a bias.
func.func @added_lowest(%q: tensor<2x4x100x16xbf16>, %k: tensor<2x4x100x16xbf16>, %v: tensor<2x4x100x16xbf16>, %a: tensor<2x1x100x100xi1>, %z: tensor<4x1x100xbf16>) -> tensor<2x4x100x16xbf16> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x100x16xbf16>) -> tensor<2x4x16x100xbf16>
  %w = graph.matmul %q, %t : (tensor<2x4x100x16xbf16>, tensor<2x4x16x100xbf16>) -> tensor<2x4x100x100xbf16>
  %four = graph.full 4.0 : bf16 -> tensor<bf16>
  %x = graph.div %w, %four : (tensor<2x4x100x100xbf16>, tensor<bf16>) -> tensor<2x4x100x100xbf16>
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<100xi64>
  %r = graph.reshape %i : (tensor<100xi64>) -> tensor<100x1xi64>
  %c = graph.full 20 : i64 -> tensor<i64>
  %g = graph.compare ge, %r, %c : (tensor<100x1xi64>, tensor<i64>) -> tensor<100x1xi1>
  %b = graph.bitwise_and %a, %g : (tensor<2x1x100x100xi1>, tensor<100x1xi1>) -> tensor<2x1x100x100xi1>
  %h = graph.full -3.3895e+38 : bf16 -> tensor<bf16>
  %zero = graph.full 0.0 : bf16 -> tensor<bf16>
  %l = graph.select %b, %zero, %h : (tensor<2x1x100x100xi1>, tensor<bf16>, tensor<bf16>) -> tensor<2x1x100x100xbf16>
  %u = graph.add %x, %l : (tensor<2x4x100x100xbf16>, tensor<2x1x100x100xbf16>) -> tensor<2x4x100x100xbf16>
  %y = graph.add %u, %z : (tensor<2x4x100x100xbf16>, tensor<4x1x100xbf16>) -> tensor<2x4x100x100xbf16>
  %p = graph.aten "aten._softmax.default"(%y) ["self"] {dim = -1 : i64, half_to_float = false} : (tensor<2x4x100x100xbf16>) -> tensor<2x4x100x100xbf16>
  %o = graph.matmul %p, %v : (tensor<2x4x100x100xbf16>, tensor<2x4x100x16xbf16>) -> tensor<2x4x100x16xbf16>
  return %o : tensor<2x4x100x16xbf16>
}
