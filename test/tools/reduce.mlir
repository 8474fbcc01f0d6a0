// RUN: coil-reduce %s --reduce-ops="test=%S/Inputs/has-exp.sh test-arg=%coil_obj/bin/coil-opt" | FileCheck %s

// Every other operator gives way to its operand.
// CHECK-LABEL: @graph
// CHECK-NEXT:    %[[E:.+]] = graph.exp %{{.+}}
// CHECK-NEXT:    return %[[E]]
func.func @graph(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.exp %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.mul %1, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.tanh %2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// RUN: not coil-reduce %s --reduce-ops="test=%S/Inputs/has-exp.sh test-arg=false" 2>&1 | FileCheck %s --check-prefix=BORING
// BORING: error: the program '{{.*}}has-exp.sh' does not find the input interesting

// RUN: not coil-reduce %s --reduce-ops 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a program in the option 'test'
