// RUN: coil-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' | FileCheck %s

// The guard that other hardware needs: the instruction does it, but for what is
// above the range or no number.
gpu.module @guarded {
  // CHECK-LABEL: llvm.func @guarded
  // CHECK-NOT: llvm.fptosi
  // CHECK: %[[I:.+]] = llvm.call_intrinsic "llvm.nvvm.f2i.rz"
  // CHECK: llvm.select %{{.+}}, %[[I]], %{{.+}} : i1, i32
  gpu.func @guarded(%p: !llvm.ptr<1>, %x: f32) kernel {
    %low = arith.constant -2147483648.0 : f32
    %high = arith.constant 2147483648.0 : f32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant -2147483648 : i32
    %ge = arith.cmpf oge, %x, %low : f32
    %lt = arith.cmpf olt, %x, %high : f32
    %ok = arith.andi %ge, %lt : i1
    %safe = arith.select %ok, %x, %zero : f32
    %i = arith.fptosi %safe : f32 to i32
    %0 = arith.select %ok, %i, %least : i32
    llvm.store %0, %p : i32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Rounded and clamped as quantisation does: one instruction converts.
gpu.module @quantised {
  // CHECK-LABEL: llvm.func @quantised
  // CHECK-NOT: intr.roundeven
  // CHECK: %[[I:.+]] = llvm.call_intrinsic "llvm.nvvm.f2i.rn"
  // CHECK-NOT: llvm.select
  // CHECK: llvm.trunc %[[I]] : i32 to i8
  gpu.func @quantised(%p: !llvm.ptr<1>, %v: f32) kernel {
    %least8 = arith.constant -128.0 : f32
    %most8 = arith.constant 127.0 : f32
    %r = math.roundeven %v : f32
    %m = arith.maximumf %r, %least8 : f32
    %x = arith.minimumf %m, %most8 : f32
    %low = arith.constant -2147483648.0 : f32
    %high = arith.constant 2147483648.0 : f32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant -2147483648 : i32
    %ge = arith.cmpf oge, %x, %low : f32
    %lt = arith.cmpf olt, %x, %high : f32
    %ok = arith.andi %ge, %lt : i1
    %safe = arith.select %ok, %x, %zero : f32
    %i = arith.fptosi %safe : f32 to i32
    %j = arith.select %ok, %i, %least : i32
    %0 = arith.trunci %j : i32 to i8
    llvm.store %0, %p : i8, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Without limits what is above the range is not the least integer by itself.
gpu.module @unlimited {
  // CHECK-LABEL: llvm.func @unlimited
  // CHECK: %[[I:.+]] = llvm.call_intrinsic "llvm.nvvm.f2i.rn"
  // CHECK: llvm.select %{{.+}}, %[[I]], %{{.+}} : i1, i32
  gpu.func @unlimited(%p: !llvm.ptr<1>, %v: f32) kernel {
    %x = math.roundeven %v : f32
    %low = arith.constant -2147483648.0 : f32
    %high = arith.constant 2147483648.0 : f32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant -2147483648 : i32
    %ge = arith.cmpf oge, %x, %low : f32
    %lt = arith.cmpf olt, %x, %high : f32
    %ok = arith.andi %ge, %lt : i1
    %safe = arith.select %ok, %x, %zero : f32
    %i = arith.fptosi %safe : f32 to i32
    %j = arith.select %ok, %i, %least : i32
    %0 = arith.trunci %j : i32 to i8
    llvm.store %0, %p : i8, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Rounding to bf16 takes two numbers at a time, also one alone.
gpu.module @roundings {
  // CHECK-LABEL: llvm.func @roundings
  // CHECK-NOT: llvm.fptrunc
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%{{.+}}, %{{.+}}) : (f32, f32) -> vector<2xbf16>
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
  // CHECK-NOT: llvm.nvvm.ff2bf16x2
  // CHECK: llvm.return
  gpu.func @roundings(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %x: vector<2xf32>, %y: f32) kernel {
    %0 = arith.truncf %x : vector<2xf32> to vector<2xbf16>
    %1 = arith.truncf %y : f32 to bf16
    llvm.store %0, %p : vector<2xbf16>, !llvm.ptr<1>
    llvm.store %1, %q : bf16, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// A sum of two bf16 that is rounded is a sum of bf16.
gpu.module @narrow_sum {
  // CHECK-LABEL: llvm.func @narrow_sum
  // CHECK: %[[ABS:.+]] = llvm.intr.fabs(%{{.+}}) : (vector<2xbf16>) -> vector<2xbf16>
  // CHECK: llvm.fadd %[[ABS]], %{{.+}} : vector<2xbf16>
  // CHECK-NOT: ff2bf16x2
  // CHECK: llvm.return
  gpu.func @narrow_sum(%p: !llvm.ptr<1>, %x: vector<2xbf16>) kernel {
    %one = arith.constant dense<1.0> : vector<2xf32>
    %wide = arith.extf %x : vector<2xbf16> to vector<2xf32>
    %size = math.absf %wide : vector<2xf32>
    %sum = arith.addf %size, %one : vector<2xf32>
    %0 = arith.truncf %sum : vector<2xf32> to vector<2xbf16>
    llvm.store %0, %p : vector<2xbf16>, !llvm.ptr<1>
    gpu.return
  }
}
