// RUN: not %python -c "import coil, sys; coil.compile(sys.argv[1])" %s 2>&1 | FileCheck %s
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  // CHECK: CompileError: {{.*}}location.mlir:4:
  %0 = graph.add %a, %b : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
