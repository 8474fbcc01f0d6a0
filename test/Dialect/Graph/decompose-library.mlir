// RUN: coil-opt %s --graph-decompose="library=cublaslt,cudnn tiles" | FileCheck %s
// RUN: coil-opt %s --graph-decompose | FileCheck %s --check-prefix=NONE

// NONE-NOT: graph.attention

// CHECK-LABEL: @kept
// CHECK:         graph.attention %{{.*}} causal scale 1.250000e-01 library "cudnn"
func.func @kept(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %0 = graph.attention %q, %q, %q causal scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// Bools are added; a row that sees nothing gives zeros.
// CHECK-LABEL: @masked
// CHECK-SAME:    %{{[^:]+}}: tensor<2x4x128x64xbf16>, %[[M:[^:]+]]: tensor<2x1x128x128xi1>
// CHECK:         %[[ANY:.+]] = graph.reduce any, %[[M]] dims [3] keepdims
// CHECK:         %[[NOTHING:.+]] = graph.bitwise_not %[[ANY]]
// CHECK:         %[[ADDED:.+]] = graph.select %[[M]], {{.*}} -> tensor<2x1x128x128xbf16>
// CHECK:         %[[O:.+]] = graph.attention {{.*}} mask %[[ADDED]] scale 1.250000e-01 library "cudnn"
// CHECK:         %[[R:.+]] = graph.select %[[NOTHING]], %{{.+}}, %[[O]]
// CHECK:         return %[[R]]
func.func @masked(%q: tensor<2x4x128x64xbf16>, %m: tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16> {
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// A mask that hides nothing is none.
// CHECK-LABEL: @masked_by_nothing
// CHECK-NOT:     mask
// CHECK:         graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 library "cudnn"
// CHECK-LABEL: @masked_by_something
// CHECK:         graph.attention {{.*}} mask
func.func @masked_by_nothing(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %r = graph.reshape %i : (tensor<128xi64>) -> tensor<1x1x128x1xi64>
  %z = graph.full 0 : i64 -> tensor<i64>
  %c = graph.compare ge, %r, %z : (tensor<1x1x128x1xi64>, tensor<i64>) -> tensor<1x1x128x1xi1>
  %m = graph.broadcast %c : (tensor<1x1x128x1xi1>) -> tensor<2x1x128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}
func.func @masked_by_something(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %r = graph.reshape %i : (tensor<128xi64>) -> tensor<1x1x128x1xi64>
  %z = graph.full 1 : i64 -> tensor<i64>
  %c = graph.compare ge, %r, %z : (tensor<1x1x128x1xi64>, tensor<i64>) -> tensor<1x1x128x1xi1>
  %m = graph.broadcast %c : (tensor<1x1x128x1xi1>) -> tensor<2x1x128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// What the library does not have: f32, odd widths, wide heads, small problems.
// CHECK-LABEL: @decomposed
// CHECK-NOT:     graph.attention
func.func @decomposed(%a: tensor<2x4x128x64xf32>, %b: tensor<2x4x128x60xbf16>, %c: tensor<2x4x128x136xbf16>, %d: tensor<1x2x8x8xbf16>) -> (tensor<2x4x128x64xf32>, tensor<2x4x128x60xbf16>, tensor<2x4x128x136xbf16>, tensor<1x2x8x8xbf16>) {
  %0 = graph.attention %a, %a, %a scale 0.125 : (tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>) -> tensor<2x4x128x64xf32>
  %1 = graph.attention %b, %b, %b scale 0.125 : (tensor<2x4x128x60xbf16>, tensor<2x4x128x60xbf16>, tensor<2x4x128x60xbf16>) -> tensor<2x4x128x60xbf16>
  %2 = graph.attention %c, %c, %c scale 0.125 : (tensor<2x4x128x136xbf16>, tensor<2x4x128x136xbf16>, tensor<2x4x128x136xbf16>) -> tensor<2x4x128x136xbf16>
  %3 = graph.attention %d, %d, %d scale 0.125 : (tensor<1x2x8x8xbf16>, tensor<1x2x8x8xbf16>, tensor<1x2x8x8xbf16>) -> tensor<1x2x8x8xbf16>
  return %0, %1, %2, %3 : tensor<2x4x128x64xf32>, tensor<2x4x128x60xbf16>, tensor<2x4x128x136xbf16>, tensor<1x2x8x8xbf16>
}

// A patch embedding is a product of matrices.
// CHECK-LABEL: @patches
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x3x224x224xbf16>, %[[W:[^:]+]]: tensor<768x3x16x16xbf16>
// CHECK:         %[[S:.+]] = graph.reshape %[[X]] : {{.*}} -> tensor<8x3x14x16x14x16xbf16>
// CHECK:         %[[T:.+]] = graph.permute %[[S]] [0, 2, 4, 1, 3, 5]
// CHECK:         %[[A:.+]] = graph.reshape %[[T]] : {{.*}} -> tensor<1568x768xbf16>
// CHECK:         %[[M:.+]] = graph.matmul %[[A]], %{{.+}} : (tensor<1568x768xbf16>, tensor<768x768xbf16>) -> tensor<1568x768xbf16>
// CHECK:         %[[R:.+]] = graph.reshape %[[M]] : {{.*}} -> tensor<8x14x14x768xbf16>
// CHECK:         graph.permute %[[R]] [0, 3, 1, 2]
func.func @patches(%x: tensor<8x3x224x224xbf16>, %w: tensor<768x3x16x16xbf16>) -> tensor<8x768x14x14xbf16> {
  %0 = graph.conv %x, %w stride [16, 16] padding [0, 0] dilation [1, 1] groups 1 : (tensor<8x3x224x224xbf16>, tensor<768x3x16x16xbf16>) -> tensor<8x768x14x14xbf16>
  return %0 : tensor<8x768x14x14xbf16>
}

// Windows that leave something out stay.
// CHECK-LABEL: @no_patches
// CHECK:         graph.conv
// CHECK:         graph.conv
// CHECK:         graph.conv
func.func @no_patches(%x: tensor<8x4x225x224xbf16>, %w: tensor<8x4x16x16xbf16>, %v: tensor<8x2x1x2xbf16>, %u: tensor<8x4x1x1xbf16>) -> (tensor<8x8x14x14xbf16>, tensor<8x8x225x112xbf16>, tensor<8x8x225x224xbf16>) {
  %0 = graph.conv %x, %w stride [16, 16] padding [0, 0] dilation [1, 1] groups 1 : (tensor<8x4x225x224xbf16>, tensor<8x4x16x16xbf16>) -> tensor<8x8x14x14xbf16>
  %1 = graph.conv %x, %v stride [1, 2] padding [0, 0] dilation [1, 1] groups 2 : (tensor<8x4x225x224xbf16>, tensor<8x2x1x2xbf16>) -> tensor<8x8x225x112xbf16>
  %2 = graph.conv %x, %u stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<8x4x225x224xbf16>, tensor<8x4x1x1xbf16>) -> tensor<8x8x225x224xbf16>
  return %0, %1, %2 : tensor<8x8x14x14xbf16>, tensor<8x8x225x112xbf16>, tensor<8x8x225x224xbf16>
}

// What a program spelled gives NaN for a row that sees nothing, and a mean where a
// finite number hides all of it: the library adds a number that absorbs scores.
// CHECK-LABEL: @spelled
// CHECK:         %[[O:.+]] = graph.attention {{.*}} mask %{{.+}} scale 1.250000e-01 library "cudnn"
// CHECK:         %[[NAN:.+]] = graph.full 0x7FC0 : bf16
// CHECK:         graph.select %{{.+}}, %[[NAN]], %[[O]]
// CHECK:         %[[ABSORBS:.+]] = graph.full -1.0{{[0-9]+}}e+30 : bf16
// CHECK:         %[[ADDED:.+]] = graph.select %{{.+}}, %{{.+}}, %[[ABSORBS]]
// CHECK-NEXT:    %[[P:.+]] = graph.attention {{.*}} mask %[[ADDED]] scale 1.250000e-01 library "cudnn"
// CHECK:         %[[MAX:.+]] = graph.maximum
// CHECK:         %[[LEAST:.+]] = graph.select %{{.+}}, %{{.+}}, %[[MAX]]
// CHECK:         graph.attention {{.*}} mask %[[LEAST]] scale 1.250000e-01 library "cudnn"
func.func @spelled(%q: tensor<2x4x128x64xbf16>, %m: tensor<2x1x128x128xi1>, %a: tensor<128x128xbf16>) -> (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) {
  %0 = graph.attention %q, %q, %q mask %m nan_rows scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  %1 = graph.attention %q, %q, %q mask %m fill -3.3e38 scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  %2 = graph.attention %q, %q, %q mask %a nan_rows scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xbf16>) -> tensor<2x4x128x64xbf16>
  return %0, %1, %2 : tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>
}

// What the library does not have: a number that takes part in the softmax, a soft
// cap, a mask of a wider type.
// CHECK-LABEL: @decomposed_spelled
// CHECK-NOT:     graph.attention
func.func @decomposed_spelled(%q: tensor<2x4x128x64xbf16>, %m: tensor<128x128xi1>, %a: tensor<128x128xf32>) -> (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) {
  %0 = graph.attention %q, %q, %q mask %m fill -1.0e9 scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  %1 = graph.attention %q, %q, %q scale 0.125 softcap 30.0 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16>
  %2 = graph.attention %q, %q, %q mask %a scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xf32>) -> tensor<2x4x128x64xbf16>
  return %0, %1, %2 : tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>
}
