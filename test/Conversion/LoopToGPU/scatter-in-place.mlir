// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule{deterministic=true}))' | FileCheck %s --check-prefix=DET
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s --check-prefix=ANY

// Where owners walk through all points of a scatter, each reads what one of them
// would have overwritten: only the scatter's own result lies over an operand.
// DET-LABEL: wrapper.kernel @root
// DET-SAME: in_place = array<i64: 0, 0>
// DET: owners =
// ANY-LABEL: wrapper.kernel @root
// ANY-SAME: in_place = array<i64: 0, 0, 2, 1>
!t = tensor<64xf32>
wrapper.kernel @root(%x0: !t, %x1: tensor<64xi64>, %x2: !t) attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>, #sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0, 2, 1>} {
  %0:2 = loop.kernel "root" [64] (%a0 = %x0, %a1 = %x1, %a2 = %x2) : (!t, tensor<64xi64>, !t) -> (!t, !t) {
    %v = loop.load %a2[d0] : !t -> f32
    %i = loop.load %a1[d0] : tensor<64xi64> -> i64
    loop.scatter %v into %a0[t0](%i) bounds wrap_check as 0 over [0] : f32, tensor<64xf32>
    %r = math.sqrt %v : f32
    loop.store %r, 1 [d0] : f32
  }
  wrapper.yield %0#0, %0#1 : !t, !t
}
