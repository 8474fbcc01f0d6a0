# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a host program moves that is written by hand."""
from random_traffic import LAUNCH_BYTES, read_traffic

F32 = '!wrapper.buffer<[s0, 8], f32, #wrapper.device<"cuda">>'
STRIDED = '!wrapper.buffer<[s0, 8], strides = [1, s0], bf16, #wrapper.device<"cuda">>'
PROGRAM = f"""module {{
  wrapper.func @main(%arg0: {F32} {{coil.name = "x"}}, %arg1: {STRIDED} {{coil.name = "y"}}) -> ({F32}, {F32}) {{
    %0 = wrapper.alloc : {F32}
    wrapper.launch @first[s0] ins(%arg0, %arg1 : {F32}, {STRIDED}) outs(%0 : {F32}) {{wrapper.cost = #wrapper.cost<bytes = <s0 * 80>, flops = <0>>}}
    %1 = wrapper.alloc : {F32}
    wrapper.launch @second[s0] ins(%0, %arg1 : {F32}, {STRIDED}) outs(%1 : {F32}) {{wrapper.cost = #wrapper.cost<bytes = <s0 * 80>, flops = <0>>}}
    %2 = wrapper.alloc : {F32}
    wrapper.launch @third[s0] ins(%1 : {F32}) outs(%2 : {F32}) {{wrapper.cost = #wrapper.cost<bytes = <min(s0 * 64, (s0 floordiv 2) * 128)>, flops = <0>>}}
    wrapper.return %1, %2 : {F32}, {F32}
  }}
}}
"""

traffic = read_traffic(PROGRAM, [(100, 8), (100, 8)])
assert traffic.kernels == ["first", "second", "third"] and traffic.other_steps == 0, traffic
assert traffic.moved == 2 * 8000 + 6400, traffic
# %0 written and read, %arg1 read twice, and %1, a result, read.
assert traffic.excess == 2 * 3200 + 1600 + 3200, traffic
assert abs(traffic.factor(1e6) - (1e6 + 11200 + 3 * LAUNCH_BYTES) / (1e6 + LAUNCH_BYTES)) < 1e-12, traffic

# A step that says what it moves in another form is not passed over.
try:
    read_traffic(PROGRAM.replace("ins(", "of("), [(100, 8), (100, 8)])
except ValueError as error:
    assert "a step of unknown form" in str(error)
else:
    raise AssertionError("a step was passed over")
