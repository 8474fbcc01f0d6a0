// RUN: coil-run %s --random-seed=0 | FileCheck %s --check-prefix=SEED0
// RUN: coil-run %s --random-seed=42 | FileCheck %s --check-prefix=SEED42
// RUN: coil-run %s --random-seed=42 --random-offset=4 | FileCheck %s --check-prefix=NEXT

// What torch.rand(5, device="cuda") gives after torch.manual_seed(0 and 42).
// SEED0: 5xf32=[0.399046{{.*}} 0.516679{{.*}} 0.024930{{.*}} 0.940079{{.*}} 0.945854{{.*}}]
// SEED42: 5xf32=[0.612959{{.*}} 0.010058{{.*}} 0.398413{{.*}} 0.040308{{.*}} 0.156266{{.*}}]
// NEXT-NOT: 0.612959
// NEXT: 5xf32=
func.func @main() -> tensor<5xf32> {
  %0 = graph.aten "aten.rand.default"() [] {size = array<i64: 5>} : () -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
