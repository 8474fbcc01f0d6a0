// RUN: coil-opt %s --wrapper-insert-debug-values | FileCheck %s
// RUN: coil-opt %s --wrapper-insert-debug-values=values=save | FileCheck %s --check-prefix=SAVE
// RUN: coil-opt %s --wrapper-insert-debug-values=values=names | FileCheck %s --check-prefix=NAMES
// The filter works at every level, on kernels and on handles.
// RUN: coil-opt %s --wrapper-insert-debug-values=filter='sum*+twice:1' | FileCheck %s --check-prefix=FILTER
// RUN: coil-opt %s --wrapper-insert-debug-values=filter='sum*+twice:1 values=save' | FileCheck %s --check-prefix=FILTER-SAVE
// RUN: coil-opt %s --wrapper-insert-debug-values=filter='twice:1 values=names' | FileCheck %s --check-prefix=FILTER-NAMES
// RUN: coil-opt %s --wrapper-insert-debug-values=filter=nothing | FileCheck %s --check-prefix=NONE
// Checks: of floats that are inputs or were made, with the place in the source.
// RUN: coil-opt %s --wrapper-insert-debug-values=values=nan | FileCheck %s --check-prefix=NAN
// RUN: coil-opt %s --wrapper-insert-debug-values='values=finite filter=sum*' | FileCheck %s --check-prefix=FINITE
// What it inserts can be read back, lowered and planned code stays verified.
// RUN: coil-opt %s --wrapper-insert-debug-values | coil-opt --wrapper-verify-memory -o /dev/null
// wrapper_insert_debug_values_c1: the values are one of the known kinds.
// RUN: not coil-opt %s --wrapper-insert-debug-values=values=all 2>&1 | FileCheck %s --check-prefix=LEVEL
// wrapper_insert_debug_values_c2: the patterns are well formed.
// RUN: not coil-opt %s --wrapper-insert-debug-values=filter='a[' 2>&1 | FileCheck %s --check-prefix=PATTERN
// wrapper_insert_debug_values_c3: marks and hooks are about steps.
// RUN: not coil-opt %s --wrapper-insert-debug-values='values=names ends=true' 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: not coil-opt %s --wrapper-insert-debug-values='values=hook ends=true' 2>&1 | FileCheck %s --check-prefix=ENDS
// LEVEL: error: unknown way 'all' to show values, expected 'names', 'print', 'save', 'nan', 'finite' or 'hook'
// PATTERN: error: filter 'a[' is not a pattern:
// ENDS: error: '{{names|hook}}' is about steps, not about what a program takes and gives

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @twice(%a: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "twice" [4] (%i = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %i[d0] : tensor<4xf32> -> f32
    %w = arith.addf %v, %v : f32
    loop.store %w, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
wrapper.kernel @sum_of(%a: tensor<4xf32>, %b: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = []} {
  %0 = loop.kernel "sum" [4] (%i = %a, %j = %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %i[d0] : tensor<4xf32> -> f32
    %w = loop.load %j[d0] : tensor<4xf32> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// Inputs are shown once, weights are not; views and literals are values like
// others; what is only written is shown afterwards.
// CHECK-LABEL: wrapper.func @main
// CHECK-SAME:    (%[[X:[^:]*]]: {{[^{]*}} {coil.name = "x"}, %[[Y:[^:]*]]: {{[^{]*}}, %[[W:[^:]*]]:
// CHECK-NEXT:  wrapper.debug_value print inputs "main" "x" %[[X]]
// CHECK-NEXT:  wrapper.debug_value print inputs "main" "arg1" %[[Y]]
// CHECK-NEXT:  %[[A:.*]] = wrapper.alloc
// CHECK-NEXT:  wrapper.debug_value print before "twice:0" "in0" %[[X]]
// CHECK-NEXT:  wrapper.launch @twice[] ins(%[[X]] : {{.*}} outs(%[[A]]
// CHECK-NEXT:  wrapper.debug_value print after "twice:0" "out0" %[[A]]
// CHECK-NEXT:  %[[V:.*]] = wrapper.reinterpret %[[A]]
// CHECK-NEXT:  wrapper.debug_value print before "twice:1" "in0" %[[V]]
// CHECK-NEXT:  wrapper.launch @twice[] ins(%[[V]] : {{.*}} outs(%[[V]]
// CHECK-NEXT:  wrapper.debug_value print after "twice:1" "out0" %[[V]]
// CHECK-NEXT:  %[[C:.*]] = wrapper.constant
// CHECK-NEXT:  %[[S:.*]] = wrapper.alloc
// CHECK-NEXT:  wrapper.debug_value print before "sum_of:2" "in0" %[[A]]
// CHECK-NEXT:  wrapper.debug_value print before "sum_of:2" "in1" %[[C]]
// CHECK-NEXT:  wrapper.launch @sum_of
// CHECK-NEXT:  wrapper.debug_value print after "sum_of:2" "out0" %[[S]]
// CHECK-NEXT:  wrapper.free

// SAVE-COUNT-9: wrapper.debug_value save
// SAVE-NOT:     wrapper.debug

// NAMES-LABEL: wrapper.func @main
// NAMES-NEXT:  wrapper.alloc
// NAMES-NEXT:  wrapper.debug_mark before "twice:0"
// NAMES-NEXT:  wrapper.launch @twice
// NAMES-NEXT:  wrapper.debug_mark after "twice:0"
// NAMES:       wrapper.debug_mark before "twice:1"
// NAMES:       wrapper.debug_mark after "sum_of:2"
// NAMES-NOT:   wrapper.debug

// FILTER-COUNT-2:    wrapper.debug_value print inputs
// FILTER-NEXT:       wrapper.alloc
// FILTER-NEXT:       wrapper.launch @twice
// FILTER-NEXT:       wrapper.reinterpret
// FILTER-NEXT:       wrapper.debug_value print before "twice:1"
// FILTER:            wrapper.debug_value print before "sum_of:2"
// FILTER-SAVE-COUNT-2: wrapper.debug_value save inputs
// FILTER-SAVE-NEXT:  wrapper.alloc
// FILTER-SAVE-NEXT:  wrapper.launch @twice
// FILTER-SAVE-NEXT:  wrapper.reinterpret
// FILTER-SAVE-NEXT:  wrapper.debug_value save before "twice:1"
// FILTER-NAMES-NOT:  wrapper.debug_mark {{.*}}:0
// FILTER-NAMES:      wrapper.debug_mark before "twice:1"
// FILTER-NAMES:      wrapper.debug_mark after "twice:1"
// FILTER-NAMES-NOT:  wrapper.debug_mark
// NAN-COUNT-2:  wrapper.debug_value nan inputs
// NAN:          wrapper.launch @twice
// NAN-NEXT:     wrapper.debug_value nan after "twice:0 ({{.*}}insert-debug-values.mlir:{{[0-9]+}})" "out0"
// NAN-COUNT-2:  wrapper.debug_value nan after
// NAN-NOT:      wrapper.debug
// FINITE-COUNT-2: wrapper.debug_value finite inputs
// FINITE-NEXT:  wrapper.alloc
// FINITE:       wrapper.debug_value finite after "sum_of:2 (
// FINITE-NOT:   wrapper.debug
// NONE-COUNT-2:      wrapper.debug_value print inputs
// NONE-NOT:          wrapper.debug
wrapper.func @main(%x: !b {coil.name = "x"}, %y: !b, %w: !b {graph.weight = "w"}) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.reinterpret %0 at <0> : !b to !b
  wrapper.launch @twice[] ins(%1 : !b) outs(%1 : !b)
  %c = wrapper.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> to !b
  %2 = wrapper.alloc : !b
  wrapper.launch @sum_of[] ins(%0, %c : !b, !b) outs(%2 : !b)
  wrapper.free %0 : !b
  wrapper.return %2 : !b
}
