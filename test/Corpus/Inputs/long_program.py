# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a long program, as one of the corpus: what its steps make is used in the
next steps and by those far behind.

    long_program.py <steps>
"""
import sys

steps = int(sys.argv[1])
DEVICE = '#wrapper.device<"cpu">'
expected = " ".join(str(i + steps) for i in range(4))
print(f"""// CASE: i64=3; 4xf32=0 1 2 3 -> 4xf32={expected}; 4xf32={expected}
// CASE: i64=65; 4xf32=0 1 2 3 -> error: symbol 'n' (an element) is above its upper bound (got 65 and 64)

!b = !wrapper.buffer<[4], f32, {DEVICE}>
!r = !wrapper.buffer<[k], f32, {DEVICE}>
!i = !wrapper.buffer<[], i64, {DEVICE}>

wrapper.kernel @inc(%x: tensor<4xf32>) attributes {{input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>}} {{
  %0 = loop.kernel "inc" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {{
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    %o = arith.constant 1.0 : f32
    %m = arith.addf %v, %o : f32
    loop.store %m, 0 [d0] : f32
  }}
  wrapper.yield %0 : tensor<4xf32>
}}

wrapper.func private @copied(%x: !b) -> !b {{
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}}

wrapper.func @main(%n: !i, %x: !b) -> (!b, !r) attributes {{sym.symbols = {{n = #sym.range<0, 64>}}}} {{
  %zero = wrapper.constant dense<0.0> : tensor<4xf32> to !b
  wrapper.item "n" = %n : !i
  wrapper.sym_expr "m" = <n * 2>
  %p = wrapper.compare <n> lt <4>
  %half = arith.constant 0.5 : f64
  %early = wrapper.alloc : !b
  wrapper.copy %x to %early : !b
  %view = wrapper.reinterpret %early at <0> : !b to !b
  %first = wrapper.invoke @copied(%view) : (!b) -> !r
  wrapper.bind_symbol "k" = [#wrapper.key<size, 0>] of %first : !r""")
previous = "%x"
for i in range(steps):
    print(f"  %{i} = wrapper.alloc : !b")
    print(f"  wrapper.launch @inc[] ins({previous} : !b) outs(%{i} : !b)")
    previous = f"%{i}"
print(f"""  wrapper.assert_layout %first, "first" : !r
  wrapper.assert <m> eq <n * 2>, "numbers of the first part"
  %q = arith.cmpf olt, %half, %half : f64
  %c = arith.xori %p, %q : i1
  %s = wrapper.if %c : i1 -> (!b) {{
    %then = wrapper.alloc : !b
    wrapper.copy {previous} to %then : !b
    wrapper.yield %then : !b
  }} else {{
    %else = wrapper.alloc : !b
    wrapper.copy %zero to %else : !b
    wrapper.yield %else : !b
  }}
  %last = wrapper.invoke @copied({previous}) : (!b) -> !r
  wrapper.return %s, %last : !b, !r
}}""")
