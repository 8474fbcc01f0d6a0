// The table of steps, with sizes of this run, beside given and own rates.

// RUN: coil-run %s --random-inputs --symbol=s0=6 --library=none --per-kernel --iterations=3 --peak-bandwidth=10 --output= | FileCheck %s --check-prefixes=CHECK,CPU
// CPU: steps on the CPU, fastest of 3 runs; roofline:
// CPU-NEXT: 10.0 GB/s (--peak-bandwidth)
// CPU-NEXT: GFLOP/s n/a
// CHECK: time bytes GB/s GFLOP/s roofline step
// CHECK-NEXT: {{[0-9.]+}} us 416 {{[0-9.]+}} {{[0-9.]+}} {{[0-9.]+}} memory add_0
// CPU-NEXT: {{[0-9.]+}} us 1536 {{[0-9.]+}} {{[0-9.]+}} {{[0-9.]+}} {{memory|compute}} matmul_1
// CHECK: {{[0-9.]+}} us together
// CHECK-NOT: together

// A rate of operations makes some steps bound by it.
// RUN: coil-run %s --random-inputs --symbol=s0=6 --library=none --per-kernel --peak-bandwidth=10000 --peak-flops=1 --output= | FileCheck %s --check-prefix=FLOPS
// FLOPS: fastest of 1 run;
// FLOPS-NEXT: 10000.0 GB/s (--peak-bandwidth)
// FLOPS-NEXT: 1.0 GFLOP/s (--peak-flops)
// FLOPS: compute matmul_1

// Without options the machine is measured.
// RUN: coil-run %s --random-inputs --library=none --per-kernel --output= | FileCheck %s --check-prefix=MEASURED
// MEASURED: {{[0-9.]+}} GB/s (copying 128 MiB, measured now)

// Who does not ask has no table, and compiles nothing for it.
// RUN: coil-run %s --random-inputs --time --output= | FileCheck %s --check-prefix=NONE
// NONE-NOT: roofline
// RUN: coil-compile %s --to=wrapper -o - | FileCheck %s --check-prefix=NOCOST
// NOCOST: wrapper.launch
// NOCOST-NOT: wrapper.cost

// RUN: sh %S/Inputs/status.sh 2 coil-run %s --random-inputs --per-kernel --peak-bandwidth=0 | FileCheck %s --check-prefix=ZERO
// ZERO: coil-run: error: --peak-bandwidth must be a positive number
// RUN: sh %S/Inputs/status.sh 2 coil-run %s --random-inputs --per-kernel --peak-flops=-3 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: coil-run: error: --peak-flops must be a positive number
// RUN: sh %S/Inputs/status.sh 2 coil-run %s --random-inputs --peak-matrix-flops=5 | FileCheck %s --check-prefix=ALONE
// ALONE: coil-run: error: --peak-matrix-flops is for the table of --per-kernel
// RUN: sh %S/Inputs/status.sh 2 coil-run %s --random-inputs --per-kernel --peak-flops=fast | FileCheck %s --check-prefix=TEXT
// TEXT: 'fast' value invalid for floating point argument

!x = tensor<?x8xf32, #sym.shape<[s0, 8]>>
func.func @main(%x: !x, %b: tensor<8xf32>, %w: tensor<8x24xf32>)
    -> (!x, tensor<?x24xf32, #sym.shape<[s0, 24]>>) attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 4>}} {
  %0 = graph.add %x, %b : (!x, tensor<8xf32>) -> !x
  %1 = graph.aten "aten.mm.default"(%x, %w) ["self", "mat2"] {} : (!x, tensor<8x24xf32>) -> tensor<?x24xf32, #sym.shape<[s0, 24]>>
  return %0, %1 : !x, tensor<?x24xf32, #sym.shape<[s0, 24]>>
}
