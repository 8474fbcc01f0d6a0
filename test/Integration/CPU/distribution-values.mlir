// RUN: coil-run %s --random-seed=0 | FileCheck %s --check-prefix=SEED0
// RUN: coil-run %s --random-seed=42 | FileCheck %s --check-prefix=SEED42

// B14: what torch.randn(5, device="cuda") gives after torch.manual_seed(0 and 42), to the four digits that
// PyTorch prints.
// SEED0: 5xf32=[-0.9246{{.*}} -0.4253{{.*}} -2.6438{{.*}} 0.1451{{.*}} -0.1208{{.*}}]
// SEED42: 5xf32=[0.1940{{.*}} 2.1613{{.*}} -0.1720{{.*}} 0.8490{{.*}} -1.9243{{.*}}]
func.func @main() -> tensor<5xf32> {
  %0 = graph.aten "aten.randn.default"() [] {size = array<i64: 5>} : () -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
