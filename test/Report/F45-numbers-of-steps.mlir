// F45: debug values show the symbols of inputs and the numbers that steps are given, natively and in emitted Python, C++ and
// torch.fx alike; what is written in the program is not repeated.

// RUN: coil-run %s --input=2x8xf32=1 --debug-values=print --vector-bits=256 --output= 2>&1 | FileCheck %s
// CHECK:      coil: inputs main - s0: 2
// CHECK-NEXT: coil: inputs main - x: f32[2, 8]
// CHECK:      coil: before [[STEP:[a-z_0-9]+:0]] - {{[a-z0-9]+}}: 2
// CHECK-NEXT: coil: before [[STEP]] - in0: f32[2, 8]

// RUN: coil-compile %s --emit=python --debug-values=print -o - | FileCheck %s --check-prefix=PYTHON
// PYTHON: host.call("coil::debug_number", "si", ("inputs main - s0", s0)
// PYTHON: host.call("coil::debug_number", "si", ("before {{.*}}:0 - {{.*}}", s0)
// RUN: coil-compile %s --emit=fx --debug-values=print -o - | FileCheck %s --check-prefix=FX
// FX: g.check(host.call, "coil::debug_number", "si", ("inputs main - s0", s0)
// RUN: rm -rf %t && mkdir %t && coil-compile %s --emit=cpp --debug-values=print -o %t/model.cpp && cat %t/model*.cpp | FileCheck %s --check-prefix=CPP
// CPP: coil::stringArgument("inputs main - s0"), coil::intArgument(s0)

func.func @main(%x: tensor<?x8xf32, #sym.shape<[s0, 8]>> {coil.name = "x"}) -> tensor<?x1xf32, #sym.shape<[s0, 1]>>
    attributes {sym.symbols = {s0 = #sym.range<2, 64, hint = 4>}} {
  %m = graph.reduce sum, %x dims [1] keepdims : (tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> tensor<?x1xf32, #sym.shape<[s0, 1]>>
  return %m : tensor<?x1xf32, #sym.shape<[s0, 1]>>
}
