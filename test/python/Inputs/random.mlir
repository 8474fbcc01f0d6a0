func.func @main() -> tensor<5xf32> {
  %0 = graph.aten "aten.rand.default"() [] {size = array<i64: 5>} : () -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
