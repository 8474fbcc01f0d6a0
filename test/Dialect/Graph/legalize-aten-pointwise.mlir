// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @add_tensors
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<3x4xf32>
// CHECK-NEXT:    graph.add %[[X]], %[[Y]] : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @add_tensors(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.aten "aten.add.Tensor"(%x, %y) ["self", "other"] {alpha = 1 : i64} : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @add_with_alpha
// CHECK:         %[[A:.+]] = graph.full 2 : i32 -> tensor<i32>
// CHECK:         %[[S:.+]] = graph.mul %{{.*}}, %[[A]]
// CHECK:         graph.add %{{.*}}, %[[S]]
func.func @add_with_alpha(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.aten "aten.add.Tensor"(%x, %y) ["self", "other"] {alpha = 2 : i64} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// B14: the sum of two 16-bit numbers with a factor is rounded once, where PyTorch does.
// CHECK-LABEL: @add_with_alpha_in_half_precision
// CHECK:         graph.convert %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK:         graph.mul {{.*}} -> tensor<4xf32>
// CHECK:         %[[S:.+]] = graph.add {{.*}} -> tensor<4xf32>
// CHECK:         graph.convert %[[S]] : (tensor<4xf32>) -> tensor<4xbf16>
func.func @add_with_alpha_in_half_precision(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.aten "aten.add.Tensor"(%x, %y) ["self", "other"] {alpha = 0.5 : f64} : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @add_bools
// CHECK:         graph.bitwise_or
func.func @add_bools(%x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
  %0 = graph.aten "aten.add.Tensor"(%x, %y) ["self", "other"] {alpha = 1 : i64} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @reverse_subtraction
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK:         %[[C:.+]] = graph.full 3.000000e+00 : f32
// CHECK:         graph.sub %[[C]], %[[X]]
func.func @reverse_subtraction(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.rsub.Scalar"(%x) ["self"] {alpha = 1 : i64, other = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The result's type decides about the operands' conversions.
// CHECK-LABEL: @promotion
// CHECK-SAME:    %[[X:.+]]: tensor<4xi32>, %[[Y:.+]]: tensor<4xf64>
// CHECK:         %[[C:.+]] = graph.convert %[[X]] : (tensor<4xi32>) -> tensor<4xf64>
// CHECK:         graph.div %[[C]], %[[Y]]
func.func @promotion(%x: tensor<4xi32>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %0 = graph.aten "aten.div.Tensor"(%x, %y) ["self", "other"] {} : (tensor<4xi32>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// The result of a comparison says nothing about its operands: a number is
// no reason to leave i8, a float is.
// CHECK-LABEL: @promotion_in_comparisons
// CHECK:         graph.compare lt, %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi1>
// CHECK:         graph.compare ge, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK:         graph.compare eq, %{{.*}}, %{{.*}} : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi1>
func.func @promotion_in_comparisons(%x: tensor<4xi8>, %y: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.aten "aten.lt.Scalar"(%x) ["self"] {other = 5 : i64} : (tensor<4xi8>) -> tensor<4xi1>
  %1 = graph.aten "aten.ge.Scalar"(%x) ["self"] {other = 0.5 : f64} : (tensor<4xi8>) -> tensor<4xi1>
  %2 = graph.aten "aten.eq.Tensor"(%x, %y) ["self", "other"] {} : (tensor<4xi8>, tensor<4xui8>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @division_modes
// CHECK:         graph.floor_div
// CHECK:         graph.trunc_div
func.func @division_modes(%x: tensor<4xi64>, %y: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %0 = graph.aten "aten.div.Tensor_mode"(%x, %y) ["self", "other"] {rounding_mode = "floor"} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %1 = graph.aten "aten.div.Tensor_mode"(%x, %y) ["self", "other"] {rounding_mode = "trunc"} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0, %1 : tensor<4xi64>, tensor<4xi64>
}

// CHECK-LABEL: @powers
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK:         graph.mul %[[X]], %[[X]]
// CHECK:         graph.sqrt %[[X]]
// CHECK:         graph.pow %[[X]]
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.aten "aten.pow.Tensor_Scalar"(%x) ["self"] {exponent = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.aten "aten.pow.Tensor_Scalar"(%x) ["self"] {exponent = 0.5 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.aten "aten.pow.Tensor_Scalar"(%x) ["self"] {exponent = 2.5 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @where
// CHECK:         %[[N:.+]] = graph.full 0xFF800000 : f32 -> tensor<f32>
// CHECK:         graph.select %{{.*}}, %{{.*}}, %[[N]]
func.func @where(%p: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.where.ScalarOther"(%p, %x) ["condition", "self"] {other = 0xFFF0000000000000 : f64} : (tensor<4xi1>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @clamp_one_end
// CHECK:         graph.minimum
// CHECK-NOT:     graph.maximum
func.func @clamp_one_end(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.clamp.default"(%x) ["self"] {max = 6 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @rounding_of_integers
// CHECK-SAME:    %[[X:.+]]: tensor<4xi32>
// CHECK-NEXT:    return %[[X]]
func.func @rounding_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.aten "aten.floor.default"(%x) ["self"] {} : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @integer_to_float
// CHECK:         %[[C:.+]] = graph.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xf32>
// CHECK:         graph.exp %[[C]]
func.func @integer_to_float(%x: tensor<4xi64>) -> tensor<4xf32> {
  %0 = graph.aten "aten.exp.default"(%x) ["self"] {} : (tensor<4xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @isnan_of_integers
// CHECK-NEXT:    graph.full false -> tensor<4xi1>
func.func @isnan_of_integers(%x: tensor<4xi64>) -> tensor<4xi1> {
  %0 = graph.aten "aten.isnan.default"(%x) ["self"] {} : (tensor<4xi64>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @logical_and_of_numbers
// CHECK-DAG:     graph.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
// CHECK-DAG:     graph.convert %{{.*}} : (tensor<4xi8>) -> tensor<4xi1>
// CHECK:         graph.bitwise_and
func.func @logical_and_of_numbers(%x: tensor<4xf32>, %y: tensor<4xi8>) -> tensor<4xi1> {
  %0 = graph.aten "aten.logical_and.default"(%x, %y) ["self", "other"] {} : (tensor<4xf32>, tensor<4xi8>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @special_function
// CHECK:         graph.special zeta, %{{.*}}, %{{.*}}
func.func @special_function(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.special_zeta.default"(%x, %y) ["self", "other"] {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @symbolic_number
// CHECK:         %[[E:.+]] = graph.expr <s0> -> tensor<f32>
// CHECK:         graph.mul %{{.*}}, %[[E]]
func.func @symbolic_number(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.mul.Scalar"(%x) ["self"] {other = #sym.expr<s0>} : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// Sizes that only the run time can compare are asserted to be equal.
// CHECK-LABEL: @equal_at_run_time
// CHECK:         sym.assert <s1> eq <s0>
// CHECK:         %[[Y:.+]] = graph.reshape %{{.*}} : (tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
// CHECK:         graph.add %{{.*}}, %[[Y]]
func.func @equal_at_run_time(%x: tensor<?xf32, #sym.shape<[s0]>>, %y: tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>, s1 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.add.Tensor"(%x, %y) ["self", "other"] {alpha = 1 : i64} : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}
