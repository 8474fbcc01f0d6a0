// RUN: mkdir -p %t && coil-compile --emit=cpp %s -o %t/leaks_program.cpp
// RUN: %cxx -std=c++17 -O1 -Wall -Wextra -Werror -I%coil_src/include -I%t %S/Inputs/leaks.cpp %t/leaks_program.cpp %t/leaks_program_kernels.a -L%coil_lib -lcoil_runtime -lm -Wl,-rpath,%coil_lib -o %t/leaks
// RUN: %t/leaks | FileCheck %s
// RUN: sed 's/COIL_TRY(buf1.free());/(void)buf1.release();/' %t/leaks_program.cpp > %t/leaking.cpp
// RUN: %cxx -std=c++17 -O1 -I%coil_src/include -I%t %S/Inputs/leaks.cpp %t/leaking.cpp %t/leaks_program_kernels.a -L%coil_lib -lcoil_runtime -lm -Wl,-rpath,%coil_lib -o %t/leaking
// RUN: %t/leaking | FileCheck %s --check-prefix=LEAKING

// 100,000 runs of a program, some of which fail half-way: in a check, in a loop,
// for want of memory. Handles free what it had. A program that lets go of a handle
// is noticed.
// LEAKING: {{[1-9][0-9]*}} left by programs
// CHECK:      0 left by programs, 0 bytes in use
// CHECK-NEXT: failed: many, launches: many
// CHECK-NEXT: the last error: symbol 'i' is above its upper bound (got 9 and 8)

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @add(%x: tensor<4xf32>, %y: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "add" [4] (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    %w = loop.load %b[d0] : tensor<4xf32> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%n: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 64>, i = #sym.range<0, 8>}} {
  %0 = wrapper.alloc : !b
  wrapper.launch @add[] ins(%x, %x : !b, !b) outs(%0 : !b)
  wrapper.item "n" = %n : !i
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <i> lt <n>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !b
    wrapper.launch @add[] ins(%a, %x : !b, !b) outs(%1 : !b)
    wrapper.free %a : !b
    wrapper.yield %1 : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
