// The entry that takes arrays of constant sizes (F35): nothing is allocated, what is
// between kernels is on the stack, and results go to memory of the caller (F36, B35).
// RUN: rm -rf %t && mkdir -p %t
// RUN: coil-compile %s --emit=cpp --array-entry --fuse=false -o %t/tiny.cpp
// RUN: FileCheck %s --check-prefix=HEADER < %t/tiny.h
// RUN: FileCheck %s --check-prefix=SOURCE < %t/tiny.cpp
// RUN: %cxx -std=c++17 -O1 -Wall -Wextra -Werror -I%t -I%coil_src/include %S/Inputs/arrays.cpp %t/tiny.cpp %t/tiny_kernels.a -L%coil_lib -lcoil_runtime -lm -Wl,-rpath,%coil_lib -o %t/run
// RUN: %t/run | FileCheck %s --check-prefix=CALLS
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%t -I%coil_src/include -fsyntax-only %t/tiny.h

// An array of another size is an error of the compiler.
// RUN: not %cxx -std=c++17 -DWRONG_SIZE -I%t -I%coil_src/include -fsyntax-only %S/Inputs/arrays.cpp 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: no viable conversion from 'float[14]' to 'coil::ArrayRef<float, 3, 5>'

// Options that the stage of the input is behind are errors, and sizes that change.
// RUN: not coil-compile %S/leaks.mlir --emit=cpp --array-entry -o %t/late.cpp 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: the option 'array-entry' comes too late: {{.*}}the input is at the stage 'wrapper'
// RUN: not coil-compile %models/digits_cnn.pt2 --emit=cpp --array-entry -o %t/dynamic.cpp 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: function 'main_arrays' cannot take arrays: argument 18 has the size 's77', which is not constant
// RUN: not coil-compile %s --emit=python --array-entry -o %t/x.py 2>&1 | FileCheck %s --check-prefix=LANGUAGE
// LANGUAGE: error: --array-entry goes with --emit=cpp
// RUN: not coil-compile %s --stack-limit=4Q --to=wrapper -o %t/x.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: the option 'stack-limit' is '4Q', expected a number of bytes such as 4096, 64K, 512M or 2G

// A program that needs more than its budget is not compiled (B07).
// RUN: not coil-compile %s --memory-budget=100 --to=wrapper -o %t/x.mlir 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: function 'main' needs at least {{[0-9]+}} bytes (planned as asked for), above the budget of 100 bytes
// RUN: coil-run %s --memory-budget=1M --stack-limit=1K --random-inputs --reference=interp

// HEADER:      /* Takes arrays, row by row, and writes to the last 2, which share no byte with others:
// HEADER-NEXT:   float x[3][5]
// HEADER-NEXT:   bool mask[5]
// HEADER-NEXT:   float out0[3][5]
// HEADER-NEXT:   uint16_t half[5]
// HEADER-NEXT: Floats of 16 and 8 bits are their bits. Nothing is allocated. */
// HEADER-NEXT: int32_t tiny_main_arrays(coil_run *run, const float *x, const bool *mask, float *out0, uint16_t *half);
// HEADER:      namespace tiny {
// HEADER-NEXT: inline int32_t main_arrays(coil_run *run, coil::ArrayRef<const float, 3, 5> array0, coil::ArrayRef<const bool, 5> array1, coil::ArrayRef<float, 3, 5> array2, coil::ArrayRef<uint16_t, 5> array3) {

// The ordinary entry checks and allocates as before; but for its own storage.
// SOURCE-LABEL: int32_t tiny_main(coil_run *run, const coil_tensor *inputs
// SOURCE:         coil_rt_match_layout
// SOURCE:         buf0.allocate(coil_rt_alloc
// SOURCE-LABEL: int32_t tiny_main_arrays(coil_run *run, const float *array0, const bool *array1, float *array2, uint16_t *array3) {
// SOURCE-NOT:     coil_rt_check
// SOURCE-NOT:     coil_rt_alloc
// SOURCE:         alignas(64) unsigned char stack0[{{[0-9]+}}];
// SOURCE:         return COIL_OK;

// CALLS: first: 0 allocations
// CALLS: later: 0 allocations
// CALLS: outputs of two calls are apart
// CALLS: equal to the ordinary entry, which allocated {{[1-9]}} times

func.func @main(%x: tensor<3x5xf32> {coil.name = "x"}, %m: tensor<5xi1> {coil.name = "mask"})
    -> (tensor<3x5xf32>, tensor<5xbf16> {coil.name = "half"}) {
  %0 = graph.aten "aten.exp.default"(%x) ["self"] {} : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("exp"("model.py":3:0))
  %1 = graph.aten "aten.sum.dim_IntList"(%0) ["self"] {dim = array<i64: 0>, keepdim = false} : (tensor<3x5xf32>) -> tensor<5xf32> loc("sum_1"("model.py":4:0))
  %2 = graph.aten "aten.div.Tensor"(%0, %1) ["self", "other"] {} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32> loc("div"("model.py":5:0))
  %3 = graph.aten "aten.neg.default"(%1) ["self"] {} : (tensor<5xf32>) -> tensor<5xf32> loc("neg"("model.py":6:0))
  %4 = graph.aten "aten.where.self"(%m, %1, %3) ["condition", "self", "other"] {} : (tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32> loc("where"("model.py":7:0))
  %5 = graph.aten "aten._to_copy.default"(%4) ["self"] {dtype = bf16} : (tensor<5xf32>) -> tensor<5xbf16> loc("to"("model.py":8:0))
  return %2, %5 : tensor<3x5xf32>, tensor<5xbf16>
}
