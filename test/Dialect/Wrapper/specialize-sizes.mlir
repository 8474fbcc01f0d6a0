// RUN: coil-compile %s --target=cuda:sm_90 --library=none --to=wrapper --size-variants --explain -o - 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-compile %s --target=cuda:sm_90 --library=none --to=wrapper -o - | FileCheck %s --check-prefix=OFF
// RUN: not coil-opt %s "--wrapper-specialize-sizes=scheduler=nothing" 2>&1 | FileCheck %s --check-prefix=WRONG

// F66: a kernel has schedules for sizes far from its hint, and the host program compares the size that a run has. Each
// variant is for a range. A kernel whose schedule is the same everywhere has none.
// CHECK:      wrapper.kernel @reduce_sum_0(
// CHECK-SAME: sym.symbols = {s0 = #sym.range<1, 1048576, hint = 64>, s1 = #sym.range<1, 65536, hint = 1024>}
// CHECK:      schedule #loop.gpu_schedule<vector_dim = 1, threads_r = 128, items_r = 8, min_blocks = 8>
// CHECK:      wrapper.kernel @reduce_sum_0_large(
// CHECK-SAME: s1 = #sym.range<4097, 65536, hint = 16384>
// CHECK:      schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4,
// CHECK:      wrapper.kernel @reduce_sum_0_small(
// CHECK-SAME: s1 = #sym.range<1, 256, hint = 64>
// CHECK:      schedule #loop.gpu_schedule<{{.*}}persistent = true
// CHECK:      wrapper.kernel @add_1(
// CHECK-NOT:  wrapper.kernel @add_1_
// CHECK-LABEL: wrapper.func @main
// CHECK:      %[[P:.*]] = wrapper.compare <s1> le <256>
// CHECK-NEXT: wrapper.if %[[P]] : i1 {
// CHECK-NEXT:   wrapper.launch @reduce_sum_0_small[s0, s1] ins(%[[X:.*]] : {{.*}}) outs(%[[Y:.*]] :
// CHECK-NEXT:   wrapper.yield
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[Q:.*]] = wrapper.compare <4096> lt <s1>
// CHECK-NEXT:   wrapper.if %[[Q]] : i1 {
// CHECK-NEXT:     wrapper.launch @reduce_sum_0_large[s0, s1] ins(%[[X]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT:     wrapper.yield
// CHECK-NEXT:   } else {
// CHECK-NEXT:     wrapper.launch @reduce_sum_0[s0, s1] ins(%[[X]] : {{.*}}) outs(%[[Y]] :
// REMARK:     Variants {{.*}}'reduce_sum_0' has variants: 'reduce_sum_0_small' where s1 <= 256, 'reduce_sum_0_large' where s1 > 4096
// OFF-NOT:    wrapper.if
// WRONG:      error: the scheduler of 'wrapper-specialize-sizes' is no pipeline of passes
!t = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !t {coil.name = "x"}, %y: tensor<64xf32> {coil.name = "y"}) -> (!r, tensor<64xf32>)
    attributes {sym.symbols = {s0 = #sym.range<1, 1048576, hint = 64>, s1 = #sym.range<1, 65536, hint = 1024>}} {
  %s = graph.reduce sum, %x dims [1] keepdims : (!t) -> !r
  %a = graph.add %y, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %s, %a : !r, tensor<64xf32>
}
