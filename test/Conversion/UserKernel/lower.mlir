// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(wrapper-lower-user-kernel,wrapper-lower-user-kernel{chip=sm_80+sm_90}))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(wrapper-lower-user-kernel,wrapper-lower-user-kernel{chip=sm_80+sm_90},wrapper-lower-user-kernel))' | FileCheck %s

// What the device launches goes over the blocks that it is given.
// CHECK-LABEL: wrapper.kernel @fill() attributes {grain = 1 : i64
// CHECK-SAME:    total = #sym.expr<1>
// CHECK:         llvm.func internal @helper
// CHECK:         llvm.func internal @fill.block(%{{.*}}: !llvm.ptr, %{{.*}}: f32, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:           llvm.call @helper
// CHECK-NOT:     @means
// CHECK:         llvm.func @fill(%[[ARGS:.*]]: !llvm.ptr, %[[GRID:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64) -> i32 {
// CHECK:           %[[P0:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:           %[[Y:.*]] = llvm.load %[[P0]] : !llvm.ptr -> !llvm.ptr
// CHECK:           %[[P1:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:           %[[V:.*]] = llvm.load %[[P1]] : !llvm.ptr -> f32
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:             llvm.call @fill.block(%[[Y]], %[[V]], %{{.*}}, %{{.*}}, %{{.*}})
wrapper.kernel @fill() attributes {reference = @means, parameters = [#wrapper.param<"y", write, f32>, #wrapper.param<"B", constexpr>, #wrapper.param<"v", value, f32>]} {
  func.func private @helper(%y: !llvm.ptr, %v: f32) {
    llvm.store %v, %y : f32, !llvm.ptr
    return
  }
  func.func @fill(%y: !llvm.ptr, %v: f32, %i: i64, %j: i64, %k: i64) {
    %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    func.call @helper(%p, %v) : (!llvm.ptr, f32) -> ()
    return
  }
  func.func private @means()
}

// Each launch brings its grid.
// CHECK-LABEL: wrapper.kernel @text()
// CHECK-SAME:    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 256, errors = false>
wrapper.kernel @text() attributes {device = #wrapper.device<"cuda">, entry = "run", shared = 256 : i64, threads = array<i64: 64, 1, 1>,
    parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"n", value, i64>],
    ptx = ".version 8.1 /* .entry no( */\n.target sm_75, debug\n.visible .entry run(\n.param .u64 .ptr .global .align 16 x,\n.param .b64 n\n)\n.maxntid 64\n{ ret; }"} {}

// CHECK-LABEL: wrapper.kernel @module()
// CHECK-SAME:    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [32, 1, 1], shared = 0, errors = false>
wrapper.kernel @module() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", update, f32>]} {
  gpu.module @code {
    gpu.func @module(%x: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}

// Kernels of ours stay as they are.
// CHECK-LABEL: wrapper.kernel @ours
// CHECK-NEXT:    loop.kernel
wrapper.kernel @ours() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "ours" [4] () : () -> tensor<4xf32> {
    %z = arith.constant 0.0 : f32
    loop.store %z, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
