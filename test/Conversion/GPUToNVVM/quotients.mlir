// RUN: coil-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' | FileCheck %s
// RUN: coil-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{fast-math=off}))' | FileCheck %s --check-prefix=OFF

// With all rounding asked for the instructions stay.
// OFF-NOT: nvvm.rcp
// OFF-NOT: nvvm.rsqrt

// A constant's inverse is a constant; the remainder rounds the product.
gpu.module @by_constant {
  // CHECK-LABEL: llvm.func @by_constant
  // OFF: llvm.fdiv
  // CHECK-NOT: llvm.fdiv
  // CHECK: %[[Q:.+]] = llvm.fmul %[[X:.+]], %[[INVERSE:.+]] : f32
  // CHECK: %[[REST:.+]] = llvm.intr.fma(%{{.+}}, %[[Q]], %[[X]])
  // CHECK: %[[ROUNDED:.+]] = llvm.intr.fma(%[[REST]], %[[INVERSE]], %[[Q]])
  // What is zero or no number is the product.
  // CHECK: llvm.fcmp "ogt"
  // CHECK: llvm.select %{{.+}}, %[[ROUNDED]], %[[Q]]
  gpu.func @by_constant(%p: !llvm.ptr<1>, %x: f32) kernel {
    %c = arith.constant 255.0 : f32
    %0 = arith.divf %x, %c : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// An integer is finite, and there is nothing to choose.
gpu.module @of_integer {
  // CHECK-LABEL: llvm.func @of_integer
  // CHECK-NOT: llvm.select
  // CHECK: llvm.return
  gpu.func @of_integer(%p: !llvm.ptr<1>, %i: i8) kernel {
    %x = arith.uitofp %i : i8 to f32
    %c = arith.constant 255.0 : f32
    %0 = arith.divf %x, %c : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// One inverse for all lanes.
gpu.module @shared {
  // CHECK-LABEL: llvm.func @shared
  // CHECK-COUNT-1: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK-NOT: llvm.nvvm.rcp.approx
  // CHECK: llvm.return
  gpu.func @shared(%p: !llvm.ptr<1>, %x: vector<4xf32>, %y: f32) kernel {
    %one = arith.constant 1.0 : f32
    %size = math.absf %y : f32
    %d = arith.addf %size, %one : f32
    %v = vector.broadcast %d : f32 to vector<4xf32>
    %0 = arith.divf %x, %v : vector<4xf32>
    llvm.store %0, %p : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// The divisor is one or more: an inverse for each lane.
gpu.module @at_least_one {
  // CHECK-LABEL: llvm.func @at_least_one
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  gpu.func @at_least_one(%p: !llvm.ptr<1>, %x: vector<2xf32>, %y: vector<2xf32>) kernel {
    %one = arith.constant dense<1.0> : vector<2xf32>
    %size = math.absf %y : vector<2xf32>
    %d = arith.addf %size, %one : vector<2xf32>
    %0 = arith.divf %x, %d : vector<2xf32>
    llvm.store %0, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Nothing is known of the divisors: one branch for those of extreme size.
gpu.module @any {
  // CHECK-LABEL: llvm.func @any
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK: llvm.cond_br
  // CHECK: llvm.fdiv %{{.+}} : vector<2xf32>
  gpu.func @any(%p: !llvm.ptr<1>, %x: vector<2xf32>, %y: vector<2xf32>) kernel {
    %0 = arith.divf %x, %y : vector<2xf32>
    llvm.store %0, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// For one number the instruction has that branch.
gpu.module @one {
  // CHECK-LABEL: llvm.func @one
  // CHECK-NOT: llvm.nvvm
  // CHECK: llvm.fdiv
  gpu.func @one(%p: !llvm.ptr<1>, %x: f32, %y: f32) kernel {
    %0 = arith.divf %x, %y : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Roots of what may be subnormal as well.
gpu.module @roots {
  // CHECK-LABEL: llvm.func @roots
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"
  // CHECK: llvm.cond_br
  // CHECK: llvm.intr.sqrt(%{{.+}}) : (vector<2xf32>)
  gpu.func @roots(%p: !llvm.ptr<1>, %x: vector<2xf32>) kernel {
    %0 = math.sqrt %x : vector<2xf32>
    llvm.store %0, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// A quotient that is rounded to an integer next has a better inverse.
gpu.module @step {
  // CHECK-LABEL: llvm.func @step
  // CHECK: %[[I:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK: %[[S:.+]] = llvm.fmul %[[I]]
  // CHECK: %[[B:.+]] = llvm.intr.fma(%{{.+}}, %[[S]], %[[S]])
  // CHECK: llvm.fcmp "ord" %[[B]], %[[B]]
  gpu.func @step(%p: !llvm.ptr<1>, %x: f32, %y: f32) kernel {
    %one = arith.constant 1.0 : f32
    %size = math.absf %y : f32
    %d = arith.addf %size, %one : f32
    %0 = arith.divf %x, %d : f32
    %1 = math.floor %0 : f32
    llvm.store %1, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// A root of one or more.
gpu.module @root {
  // CHECK-LABEL: llvm.func @root
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"
  // CHECK-NOT: sqrt
  // CHECK: llvm.return
  // OFF-LABEL: llvm.func @root
  // OFF: llvm.intr.sqrt
  gpu.func @root(%p: !llvm.ptr<1>, %x: f32) kernel {
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %x, %x : f32
    %d = arith.addf %square, %one : f32
    %0 = math.sqrt %d : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// The inverse of a constant has to be a normal number.
gpu.module @no_inverse {
  // CHECK-LABEL: llvm.func @no_inverse
  // CHECK-NOT: llvm.intr.fma
  // CHECK-COUNT-3: llvm.fdiv
  // CHECK-NOT: llvm.intr.fma
  // CHECK: llvm.return
  gpu.func @no_inverse(%p: !llvm.ptr<1>, %x: vector<2xf32>, %i: vector<2xi8>) kernel {
    %tiny = arith.constant dense<1.0e-40> : vector<2xf32>
    %huge = arith.constant dense<2.0e+38> : vector<2xf32>
    %zero = arith.constant dense<0.0> : vector<2xf32>
    %0 = arith.divf %x, %tiny : vector<2xf32>
    %1 = arith.divf %0, %huge : vector<2xf32>
    %n = arith.uitofp %i : vector<2xi8> to vector<2xf32>
    %2 = arith.divf %n, %zero : vector<2xf32>
    %3 = arith.addf %1, %2 : vector<2xf32>
    llvm.store %3, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// What is rounded to f16 may be zero, which has a root; the constant is of
// another type than the divisor.
gpu.module @narrow {
  // CHECK-LABEL: llvm.func @narrow
  // CHECK: llvm.intr.sqrt
  // CHECK: llvm.nvvm.rcp.approx.ftz.f
  gpu.func @narrow(%p: !llvm.ptr<1>, %x: f32, %y: bf16) kernel {
    %epsilon = arith.constant 1.0e-12 : f32
    %one = arith.constant 1.0 : bf16
    %square = arith.mulf %x, %x : f32
    %sum = arith.addf %square, %epsilon : f32
    %half = arith.truncf %sum : f32 to f16
    %wide = arith.extf %half : f16 to f32
    %root = math.sqrt %wide : f32
    %size = math.absf %y : bf16
    %d = arith.addf %size, %one : bf16
    %divisor = arith.extf %d : bf16 to f32
    %0 = arith.divf %root, %divisor : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
