// Inputs in every form, outputs printed, written and compared.

// RUN: coil-run %s --input=3 --input="2x3xi64=[[1 2 3][4 5 6]]" | FileCheck %s --check-prefix=PRINT
// PRINT: 2x3xi64={{\[\[}}4 5 6][7 8 9]]

// RUN: coil-run %s --input=3 --input="2x3xi64=1,2,3,4,5,6" --output=@%t.npy | count 0
// RUN: coil-run %s --input=0 --input=@%t.npy --expected-output="2x3xi64=4 5 6 7 8 9" | count 0
// RUN: coil-run %s --input=0 --input=@- --output=- < %t.npy | FileCheck %s --check-prefix=PRINT
// RUN: coil-run %s --input=1 --input=@%t.npy --max-elements=2 | FileCheck %s --check-prefix=CUT
// CUT: 2x3xi64={{\[\[}}5 6 ...]...]

// RUN: coil-run %s --random-inputs --seed=7 --symbol=s0=5 --reference=interp --output=@%t.1.npy
// RUN: coil-run %s --random-inputs --seed=7 --symbol=s0=5 --library=none --fuse=false --plan=none --opt-level=3 --num-threads=1 --expected-output=@%t.1.npy

// Objects come from the cache the second time.
// RUN: rm -rf %t.cache
// RUN: coil-run %s --random-inputs --time --object-cache=%t.cache | FileCheck %s --check-prefix=COLD
// RUN: coil-run %s --random-inputs --time --object-cache=%t.cache --iterations=3 | FileCheck %s --check-prefix=WARM
// COLD: 1 different kernels in 2 objects (0 from the cache)
// WARM: 1 different kernels in 2 objects (2 from the cache)

// RUN: coil-run %s --random-inputs --trace --output= 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: alloc
// TRACE: launch {{.*}}add

func.func @main(%a: tensor<i64>, %x: tensor<?x3xi64, #sym.shape<[s0, 3]>>)
    -> tensor<?x3xi64, #sym.shape<[s0, 3]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 100, hint = 4>}} {
  %0 = graph.add %x, %a : (tensor<?x3xi64, #sym.shape<[s0, 3]>>, tensor<i64>) -> tensor<?x3xi64, #sym.shape<[s0, 3]>>
  return %0 : tensor<?x3xi64, #sym.shape<[s0, 3]>>
}
