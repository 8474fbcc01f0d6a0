// A kernel of its own computes what is reduced of operands in several orders, in tiles of several dimensions; copies of two of
// three would move more. One operand in another order is copied.
// RUN: coil-opt %s --target-attach=target=cuda:sm_90a --loop-assign-layouts --remarks-filter=loop-assign-layouts --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --target-attach=target=cuda:sm_90a --loop-assign-layouts=takes-apart=false | FileCheck %s --check-prefix=TOGETHER
// RUN: coil-opt %s --target-attach=target=cpu --loop-assign-layouts | FileCheck %s --check-prefix=TOGETHER

// TOGETHER-NOT: _elements
// REMARK: 'max' reduces what a kernel of its own computes; estimated to ask memory for
// CHECK-LABEL: func.func @three_orders
// CHECK: %[[E:.*]] = loop.kernel "max_elements" [128, 96, 64, 80] (%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %arg2)
// CHECK:   loop.store %{{.*}}, 0[d0, d2, d1, d3]
// CHECK: loop.kernel "max" [128, 96, 64, 80] (%[[A:.*]] = %[[E]]) : (tensor<128x64x96x80xf16>)
// CHECK-NEXT: %[[V:.*]] = loop.load %[[A]][d0, d2, d1, d3]
// CHECK: arith.extf %[[V]]
// CHECK: loop.reduce max %{{.*}} over [1, 3]
func.func @three_orders(%x: tensor<128x96x64x80xf16>, %y: tensor<128x96x64x80xf16> {coil.strides = #sym.shape<[1, 128, 12288, 786432]>}, %z: tensor<128x96x64x80xf16> {coil.strides = #sym.shape<[491520, 64, 1, 6144]>}) -> tensor<128x64xf32> {
  %r = loop.kernel "max" [128, 96, 64, 80] (%a = %x, %b = %y, %c = %z) : (tensor<128x96x64x80xf16>, tensor<128x96x64x80xf16>, tensor<128x96x64x80xf16>) -> tensor<128x64xf32> {
    %u = loop.load %a[d0, d1, d2, d3] : tensor<128x96x64x80xf16> -> f16
    %v = loop.load %b[d0, d1, d2, d3] : tensor<128x96x64x80xf16> -> f16
    %w = loop.load %c[d0, d1, d2, d3] : tensor<128x96x64x80xf16> -> f16
    %p = arith.addf %u, %v : f16
    %q = arith.addf %p, %w : f16
    %e = arith.extf %q : f16 to f32
    %m = loop.reduce max %e over [1, 3] : f32
    loop.store %m, 0[d0, d2] : f32
  }
  return %r : tensor<128x64xf32>
}

// A load alone is what is reduced: nothing is to be computed.
// CHECK-LABEL: func.func @load
// CHECK-NOT: _elements
func.func @load(%x: tensor<1024x1024x8xf32> {coil.strides = #sym.shape<[1, 8192, 1024]>}) -> tensor<1024x8xf32> {
  %r = loop.kernel "sum" [1024, 1024, 8] (%a = %x) : (tensor<1024x1024x8xf32>) -> tensor<1024x8xf32> {
    %u = loop.load %a[d0, d1, d2] : tensor<1024x1024x8xf32> -> f32
    %m = loop.reduce sum %u over [1] : f32
    loop.store %m, 0[d0, d2] : f32
  }
  return %r : tensor<1024x8xf32>
}
