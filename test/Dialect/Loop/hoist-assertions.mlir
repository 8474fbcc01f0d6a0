// RUN: coil-opt %s --loop-hoist-assertions | FileCheck %s
// RUN: coil-opt %s --loop-hoist-assertions --loop-hoist-assertions | FileCheck %s

// A check comes before the kernel that relies on it, and assertions keep their order.
// CHECK-LABEL: @before_kernels
// CHECK-NEXT:    sym.assert <1> lt <s0>, "first"
// CHECK-NEXT:    sym.assert <2> lt <s0>, "second"
// CHECK-NEXT:    loop.kernel
func.func @before_kernels(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<1xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %0 = loop.kernel "take" [1] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<1xf32> {
    %1 = loop.load %a[1] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %1, 0[d0] : f32
  }
  sym.assert <1> lt <s0>, "first"
  sym.assert <2> lt <s0>, "second"
  return %0 : tensor<1xf32>
}

// (C1) What data decides is known after the op that binds it.
// CHECK-LABEL: @loop_hoist_assertions_c1
// CHECK-NEXT:    sym.assert <1> lt <s0>, "of an argument"
// CHECK-NEXT:    graph.item "u0"
// CHECK-NEXT:    sym.assert <u0> le <s0>, "of data"
// CHECK-NEXT:    loop.kernel
func.func @loop_hoist_assertions_c1(%x: tensor<?xf32, #sym.shape<[s0]>>, %n: tensor<i64>) -> tensor<1xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, *>, u0 = #sym.range<0, *>}} {
  graph.item "u0" = %n : tensor<i64>
  %0 = loop.kernel "take" [1] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<1xf32> {
    %1 = loop.load %a[1] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %1, 0[d0] : f32
  }
  sym.assert <u0> le <s0>, "of data"
  sym.assert <1> lt <s0>, "of an argument"
  return %0 : tensor<1xf32>
}

// (C2) What a branch relies on is checked in the branch.
// CHECK-LABEL: @loop_hoist_assertions_c2
// CHECK:         graph.if
// CHECK-NEXT:      sym.assert <1> lt <s0>, "in a branch"
// CHECK-NEXT:      loop.kernel
func.func @loop_hoist_assertions_c2(%x: tensor<?xf32, #sym.shape<[s0]>>, %y: tensor<1xf32>, %p: tensor<i1>) -> tensor<1xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %r = graph.if %p : tensor<i1> -> (tensor<1xf32>) {
    %0 = loop.kernel "take" [1] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<1xf32> {
      %1 = loop.load %a[1] : tensor<?xf32, #sym.shape<[s0]>> -> f32
      loop.store %1, 0[d0] : f32
    }
    sym.assert <1> lt <s0>, "in a branch"
    graph.yield %0 : tensor<1xf32>
  } else {
    graph.yield %y : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}
