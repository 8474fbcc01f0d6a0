// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Each operator begins where the one before ended: one group of each stream for 300,000 numbers of
// f32, of which a group has four, one for as many of f64, of which it has two, and two for 600,000.
// CHECK-LABEL: @normal
// CHECK-SAME:    graph.random_state = #sym.expr<16>
// CHECK:         graph.random normal, %[[S:.+]] skip <0> blocks 1056 : tensor<2xi64> -> tensor<300000xf32>
// CHECK:         graph.random normal, %[[S]] skip <1> blocks 1056 : tensor<2xi64> -> tensor<300000xf64>
// CHECK:         graph.random normal, %[[S]] skip <2> blocks 1056 : tensor<2xi64> -> tensor<600000xf64>
func.func @normal() -> (tensor<300000xf32>, tensor<300000xf64>, tensor<600000xf64>) {
  %0 = graph.aten "aten.randn.default"() [] {size = array<i64: 300000>} : () -> tensor<300000xf32>
  %1 = graph.aten "aten.randn.generator"() [] {size = array<i64: 300000>} : () -> tensor<300000xf64>
  %2 = graph.aten "aten.randn.default"() [] {size = array<i64: 600000>} : () -> tensor<600000xf64>
  return %0, %1, %2 : tensor<300000xf32>, tensor<300000xf64>, tensor<600000xf64>
}

// Narrow floats are rounded once, behind mean and deviation; tensors of them scale what is rounded.
// CHECK-LABEL: @narrow
// CHECK:         %[[A:.*]] = graph.random normal, %{{.*}} -> tensor<8xf32>
// CHECK:         graph.mul %[[A]]
// CHECK:         %[[SUM:.*]] = graph.add
// CHECK:         graph.convert %[[SUM]] : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK:         %[[B:.*]] = graph.random normal, %{{.*}} -> tensor<8xf32>
// CHECK:         %[[ROUNDED:.*]] = graph.convert %[[B]] : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK:         %[[WIDE:.*]] = graph.convert %[[ROUNDED]] : (tensor<8xbf16>) -> tensor<8xf32>
// CHECK:         graph.mul %[[WIDE]]
func.func @narrow(%x: tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>) {
  %0 = graph.aten "aten.normal_functional.default"(%x) ["self"] {mean = 0.5 : f64, std = 2.0 : f64} : (tensor<8xbf16>) -> tensor<8xbf16>
  %1 = graph.aten "aten.normal.Tensor_Tensor"(%x, %x) ["mean", "std"] {} : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  return %0, %1 : tensor<8xbf16>, tensor<8xbf16>
}

// What has a function of its words, and what is one of these.
// CHECK-LABEL: @others
// CHECK:         graph.random exponential, %{{.*}} -> tensor<8xf32>
// CHECK:         graph.random cauchy, %{{.*}} -> tensor<8xf32>
// CHECK:         %[[L:.*]] = graph.random log, %{{.*}} -> tensor<8xf32>
// CHECK:         %[[Q:.*]] = graph.div %[[L]]
// CHECK:         graph.ceil %[[Q]]
// CHECK:         %[[N:.*]] = graph.random normal, %{{.*}} -> tensor<8xf32>
// CHECK:         graph.exp
// CHECK:         graph.random uniform, %{{.*}} -> tensor<8xf64>
func.func @others(%x: tensor<8xf32>, %y: tensor<8xf64>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>) {
  %0 = graph.aten "aten.exponential.default"(%x) ["self"] {lambd = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.aten "aten.cauchy.default"(%x) ["self"] {median = 0.0 : f64, sigma = 1.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.aten "aten.geometric.default"(%x) ["self"] {p = 0.5 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.aten "aten.log_normal.default"(%x) ["self"] {mean = 1.0 : f64, std = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  %4 = graph.aten "aten.uniform.default"(%y) ["self"] {from = -1.0 : f64, to = 1.0 : f64} : (tensor<8xf64>) -> tensor<8xf64>
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>
}

// Integers that are far apart are remainders of two words.
// CHECK-LABEL: @integers
// CHECK:         graph.random_bits
// CHECK:         graph.random bits, %{{.*}} -> tensor<8xui64>
// CHECK:         graph.random bits, %{{.*}} -> tensor<8xui64>
// CHECK:         graph.random_bits
func.func @integers(%x: tensor<8xi64>, %y: tensor<8xi32>) -> (tensor<8xi64>, tensor<8xi64>, tensor<8xi64>, tensor<8xi32>) {
  %0 = graph.aten "aten.randint.low"() [] {low = -1 : i64, high = 268435454 : i64, size = array<i64: 8>} : () -> tensor<8xi64>
  %1 = graph.aten "aten.randint.low"() [] {low = -1 : i64, high = 268435455 : i64, size = array<i64: 8>} : () -> tensor<8xi64>
  %2 = graph.aten "aten.random.default"(%x) ["self"] {} : (tensor<8xi64>) -> tensor<8xi64>
  %3 = graph.aten "aten.random.default"(%y) ["self"] {} : (tensor<8xi32>) -> tensor<8xi32>
  return %0, %1, %2, %3 : tensor<8xi64>, tensor<8xi64>, tensor<8xi64>, tensor<8xi32>
}

// One sample is where a quotient is largest; several without replacement are where the largest
// are; with replacement they are positions of uniform numbers in sums.
// CHECK-LABEL: @samples
// CHECK:         %[[Q:.*]] = graph.random exponential, %{{.*}} skip <0>
// CHECK:         %[[R:.*]] = graph.div %{{.*}}, %[[Q]]
// CHECK:         graph.arg_reduce max, %[[R]]
// CHECK:         graph.random exponential, %{{.*}} skip <1>
// CHECK:         graph.topk
// CHECK:         graph.scan sum
// CHECK:         graph.random_bits %{{.*}} skip <2> vector <1> blocks 1099511627776 : tensor<2xi64> -> tensor<3x128xui32>
// CHECK:         graph.gather
// CHECK:         graph.random bits, %{{.*}} skip <3>
// CHECK:         graph.sort
// CHECK:         graph.random_bits %{{.*}} skip <4> vector <4> blocks 1099511627776 : tensor<2xi64> -> tensor<3x5xui32>
// CHECK:         graph.compare le
// The offset moved by twelve.
// CHECK:         graph.random normal, %{{.*}} skip <7>
func.func @samples(%p: tensor<3x5xf32>) -> (tensor<3x1xi64>, tensor<3x2xi64>, tensor<3x9xi64>, tensor<7xi64>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 1 : i64, replacement = true} : (tensor<3x5xf32>) -> tensor<3x1xi64>
  %1 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 2 : i64, replacement = false} : (tensor<3x5xf32>) -> tensor<3x2xi64>
  %2 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 9 : i64, replacement = true} : (tensor<3x5xf32>) -> tensor<3x9xi64>
  %3 = graph.aten "aten.randperm.default"() [] {n = 7 : i64} : () -> tensor<7xi64>
  %4 = graph.aten "aten.bernoulli.default"(%p) ["self"] {} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %5 = graph.aten "aten.randn_like.default"(%p) ["self"] {} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x1xi64>, tensor<3x2xi64>, tensor<3x9xi64>, tensor<7xi64>, tensor<3x5xf32>, tensor<3x5xf32>
}

// Nothing is drawn for no elements; a size of the run makes an expression.
// CHECK-LABEL: @dynamic
// CHECK-SAME:    graph.random_state = #sym.expr<{{.*}}s0{{.*}}>
// CHECK-NOT:     -> tensor<0xf32>
// CHECK:         graph.full {{.*}} -> tensor<0xf32>
// CHECK:         graph.random normal, %{{.+}} skip <0> blocks 1056
func.func @dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<0xf32>, tensor<?xf32, #sym.shape<[s0]>>) attributes {sym.symbols = {s0 = #sym.range<0, 100000000>}} {
  %0 = graph.aten "aten.randn.default"() [] {size = array<i64: 0>} : () -> tensor<0xf32>
  %1 = graph.aten "aten.randn_like.default"(%x) ["self"] {} : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return %0, %1 : tensor<0xf32>, tensor<?xf32, #sym.shape<[s0]>>
}

// CHECK-LABEL: @refused
// CHECK:         graph.reason = "its standard deviation is negative"
// CHECK:         graph.reason = "its rate is not positive"
// CHECK:         graph.reason = "its bounds are not in order"
// CHECK:         graph.reason = "its elements are not floats of 16 to 64 bits"
// CHECK:         graph.reason = "there is no integer between its bounds"
// CHECK:         graph.reason = "its probability is not a number between 0 and 1"
// CHECK:         graph.reason = "its scale is not positive"
// CHECK:         graph.reason = "its standard deviation is not positive"
// CHECK:         graph.reason = "it takes more samples than there are categories, without replacement"
// Without an upper bound, to the last number of the type.
// CHECK:         graph.full 9223372036854775805 : ui64
// CHECK:         graph.reason = "not all integers between its bounds are elements"
func.func @refused(%x: tensor<4xf32>, %i: tensor<4xi64>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xi64>, tensor<4xi64>, tensor<4xf16>) {
  %0 = graph.aten "aten.normal_functional.default"(%x) ["self"] {mean = 0.5 : f64, std = -1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.aten "aten.exponential.default"(%x) ["self"] {lambd = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.aten "aten.uniform.default"(%x) ["self"] {from = 1.0 : f64, to = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.aten "aten.randn_like.default"(%i) ["self"] {} : (tensor<4xi64>) -> tensor<4xi64>
  %4 = graph.aten "aten.randint.low"() [] {low = 3 : i64, high = 3 : i64, size = array<i64: 4>} : () -> tensor<4xi64>
  %5 = graph.aten "aten.geometric.default"(%x) ["self"] {p = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = graph.aten "aten.cauchy.default"(%x) ["self"] {median = 0.0 : f64, sigma = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = graph.aten "aten.log_normal.default"(%x) ["self"] {mean = 0.0 : f64, std = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = graph.aten "aten.multinomial.default"(%x) ["self"] {num_samples = 5 : i64, replacement = false} : (tensor<4xf32>) -> tensor<5xi64>
  %9 = graph.aten "aten.random.from"(%i) ["self"] {from = 3 : i64} : (tensor<4xi64>) -> tensor<4xi64>
  %10 = graph.aten "aten.random.to"(%h) ["self"] {to = 5000 : i64} : (tensor<4xf16>) -> tensor<4xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xi64>, tensor<4xi64>, tensor<4xf16>
}

// A loop until no element is open. Rounds have states of their own, far apart; the state behind them is where the
// framework's kernel leaves it.
// CHECK-LABEL: @poisson
// CHECK-SAME:    %[[S:[a-z0-9]+]]: tensor<2xi64> {{.*}}graph.random_state = #sym.expr<20>
// CHECK:         %[[LOOP:.*]]:4 = graph.while
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %[[OPEN:.*]]: tensor<8xi1>,
// CHECK:           %[[ANY:.*]] = graph.reduce any, %[[OPEN]] dims [0]
// CHECK:           graph.condition %[[ANY]]
// CHECK:         ^bb0(%[[ROUND:.*]]: tensor<i64>, %[[OPEN:.*]]: tensor<8xi1>,
// CHECK:           %[[STATE:.*]] = graph.add %[[S]], %{{.*}} : (tensor<2xi64>, tensor<2xi64>)
// CHECK:           graph.random_bits %[[STATE]] skip <0> vector <4> blocks {{.*}} -> tensor<8x4xui32>
// CHECK:           graph.special lgamma
// CHECK:           %[[DONE:.*]] = graph.select
// CHECK:           %[[NOT:.*]] = graph.bitwise_not %[[DONE]]
// CHECK:           graph.bitwise_and %[[OPEN]], %[[NOT]]
// CHECK:         graph.convert %[[LOOP]]#2 : (tensor<8xf64>) -> tensor<8xf32>
func.func @poisson(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.aten "aten.poisson.default"(%x) ["self"] {} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The operators behind each other take the state from each other.
// CHECK-LABEL: @rejection
// CHECK-SAME:    graph.random_state = #sym.expr<68>
// CHECK:         graph.random_bits %{{.*}} skip <0> vector <4> blocks {{.*}} -> tensor<8x4xui32>
// CHECK:         graph.random_bits %{{.*}} skip <11> vector <4> blocks {{.*}} -> tensor<8x4xui32>
// CHECK:         graph.random_bits %{{.*}} skip <14> vector <4> blocks {{.*}} -> tensor<8x4xui32>
// CHECK:         graph.reduce sum, %{{.*}} dims [0] keepdims
func.func @rejection(%n: tensor<8xf32>, %p: tensor<1xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.aten "aten.binomial.default"(%n, %p) ["count", "prob"] {} : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %1 = graph.aten "aten._standard_gamma.default"(%n) ["self"] {} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.aten "aten._sample_dirichlet.default"(%n) ["self"] {} : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
