// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{fast-math=off}))' | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{fast-math=fast}))' | FileCheck %s --check-prefixes=CHECK,FAST

gpu.module @modes {
  // A function has up to three versions.
  // CHECK-LABEL: llvm.func @versions
  gpu.func @versions(%p: !llvm.ptr<1>, %x: f32, %y: f32) kernel {
    // OFF: @coil_exp_f32(
    // DEFAULT: @coil_exp_default_f32(
    // FAST: @coil_exp_fast_f32(
    %0 = math.exp %x : f32
    // OFF: @coil_log_f32(
    // DEFAULT: @coil_log_default_f32(
    // FAST: @coil_log_fast_f32(
    %1 = math.log %0 : f32
    // OFF: @coil_tanh_f32(
    // DEFAULT: @coil_tanh_default_f32(
    // FAST: @coil_tanh_fast_f32(
    %2 = math.tanh %1 : f32
    // CHECK: @coil_asinh_f32(
    %3 = math.asinh %2 : f32
    // A quotient is rounded once unless its flags say that nobody can tell.
    // OFF: llvm.fdiv %{{[^ ]*}}, %{{[^ ]*}} : f32
    // DEFAULT: llvm.fdiv %{{[^ ]*}}, %{{[^ ]*}} : f32
    // FAST: llvm.fdiv {{.*}} {fastmathFlags = #llvm.fastmath<afn>}
    %first = arith.divf %3, %y : f32
    // OFF: llvm.fdiv
    // DEFAULT: "llvm.nvvm.div.full"
    // FAST: llvm.fdiv {{.*}} {fastmathFlags = #llvm.fastmath<{{.*}}afn{{.*}}>}
    %4 = arith.divf %first, %x fastmath<contract> : f32
    // OFF: llvm.intr.sqrt
    // DEFAULT: llvm.intr.sqrt
    // FAST: "llvm.nvvm.sqrt.approx.f"
    %5 = math.sqrt %4 : f32
    // The op allows what the mode does not.
    // CHECK: @coil_sin_fast_f32(
    %6 = math.sin %5 fastmath<afn> : f32
    // An error between: what is rounded to 16 bits.
    // OFF: @coil_tanh_narrow_f32(
    // DEFAULT: @coil_tanh_narrow_f32(
    // FAST: @coil_tanh_fast_f32(
    %7 = math.tanh %6 fastmath<afn> : f32
    llvm.store %7, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// Angles are computed without a branch, all lanes together, and again by the exact
// function where one is large. Nothing is asked where none can be.
gpu.module @angles {
  // CHECK-LABEL: llvm.func @angles
  // OFF-COUNT-2: @coil_sin_f32(
  // DEFAULT-COUNT-2: @coil_sin_inside_f32(
  // FAST-COUNT-2: @coil_sin_fast_f32(
  // DEFAULT-COUNT-2: llvm.fcmp "uge"
  // DEFAULT: llvm.cond_br
  // DEFAULT-COUNT-2: @coil_sin_f32(
  // CHECK: llvm.return
  gpu.func @angles(%p: !llvm.ptr<1>, %x: vector<2xf32>) kernel {
    %0 = math.sin %x : vector<2xf32>
    llvm.store %0, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @small_angles
  // CHECK-NOT: llvm.cond_br
  // DEFAULT: @coil_cos_narrow_f32(
  // DEFAULT-NOT: llvm.cond_br
  // DEFAULT: @coil_sin_inside_f32(
  // DEFAULT-NOT: llvm.cond_br
  // DEFAULT: @coil_cos_inside_f32(
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.return
  gpu.func @small_angles(%p: !llvm.ptr<1>, %x: f16, %y: f32) kernel {
    // No number of f16 is large.
    %0 = arith.extf %x : f16 to f32
    %1 = math.cos %0 fastmath<arcp> : f32
    // Nor is a cosine, or an exponential of what is not positive.
    %2 = math.sin %1 : f32
    llvm.store %2, %p : f32, !llvm.ptr<1>
    %3 = math.absf %y : f32
    %4 = arith.negf %3 : f32
    %5 = math.exp %4 : f32
    %6 = arith.truncf %5 : f32 to bf16
    %7 = arith.extf %6 : bf16 to f32
    %8 = math.cos %7 : f32
    llvm.store %8, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// Only 1 + tanh is used: twice the inverse of 1 + exp(-2x). The first addition is
// the next op.
gpu.module @one_plus_tanh {
  // CHECK-LABEL: llvm.func @one_plus_tanh
  gpu.func @one_plus_tanh(%p: !llvm.ptr<1>, %x: f32) kernel {
    %one = arith.constant 1.0 : f32
    // OFF: @coil_tanh_f32(
    // DEFAULT: %[[E:.+]] = llvm.call @coil_exp_default_f32(
    // DEFAULT: %[[S:.+]] = llvm.fadd %[[E]],
    // DEFAULT: %[[I:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[S]])
    // DEFAULT-COUNT-2: llvm.fadd %[[I]], %[[I]]
    // FAST: @coil_tanh_fast_f32(
    %t = math.tanh %x : f32
    %0 = arith.addf %t, %one : f32
    %1 = arith.addf %one, %t : f32
    %2 = arith.mulf %0, %1 : f32
    llvm.store %2, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @double {
  // CHECK-LABEL: llvm.func @double
  gpu.func @double(%p: !llvm.ptr<1>, %x: f64) kernel {
    // CHECK: @coil_exp_f64(
    %0 = math.exp %x : f64
    // CHECK: llvm.intr.sqrt
    %1 = math.sqrt %0 : f64
    llvm.store %1, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @narrow {
  // CHECK-LABEL: llvm.func @narrow
  gpu.func @narrow(%p: !llvm.ptr<1>, %x: vector<2xbf16>) kernel {
    // CHECK: llvm.fpext %{{.*}} : bf16 to f32
    // CHECK: llvm.call @coil_erfc_f32(
    // CHECK: llvm.call @coil_erfc_f32(
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
    // CHECK-NOT: ff2bf16x2
    %0 = math.erfc %x : vector<2xbf16>
    llvm.store %0, %p : vector<2xbf16>, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @integers {
  // CHECK-LABEL: llvm.func @integers
  gpu.func @integers(%p: !llvm.ptr<1>, %i: i32, %n: i16, %x: f32, %j: index) kernel {
    // CHECK: llvm.sext %{{.*}} : i32 to i64
    // CHECK: llvm.call @coil_ipow_i64(
    // CHECK: llvm.trunc %{{.*}} : i64 to i32
    %0 = math.ipowi %i, %i : i32
    // CHECK: llvm.intr.ctpop
    %1 = math.ctpop %0 : i32
    // CHECK: "llvm.intr.ctlz"
    %2 = math.ctlz %1 : i32
    // CHECK: "llvm.intr.cttz"
    %3 = math.cttz %2 : i32
    // CHECK: "llvm.intr.abs"
    %4 = math.absi %3 : i32
    llvm.store %4, %p : i32, !llvm.ptr<1>
    // CHECK: llvm.sext %{{.*}} : i16 to i64
    // CHECK: llvm.call @coil_powi_f32(
    %5 = math.fpowi %x, %n : f32, i16
    llvm.store %5, %p : f32, !llvm.ptr<1>
    // CHECK: llvm.call @coil_ipow_i64(
    %6 = math.ipowi %j, %j : index
    %7 = arith.index_cast %6 : index to i64
    llvm.store %7, %p : i64, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @sincos {
  // CHECK-LABEL: llvm.func @sincos
  gpu.func @sincos(%p: !llvm.ptr<1>, %x: f32) kernel {
    // OFF: @coil_sin_f32(
    // OFF: @coil_cos_f32(
    // FAST: @coil_sin_fast_f32(
    // FAST: @coil_cos_fast_f32(
    %s, %c = math.sincos %x : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    llvm.store %c, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @classes {
  // CHECK-LABEL: llvm.func @classes
  gpu.func @classes(%p: !llvm.ptr<1>, %x: f32) kernel {
    // CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 3 : i32}>
    %0 = math.isnan %x : f32
    // CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 516 : i32}>
    %1 = math.isinf %x : f32
    // CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 504 : i32}>
    %2 = math.isfinite %x : f32
    // CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 264 : i32}>
    %3 = math.isnormal %x : f32
    llvm.store %0, %p : i1, !llvm.ptr<1>
    llvm.store %1, %p : i1, !llvm.ptr<1>
    llvm.store %2, %p : i1, !llvm.ptr<1>
    llvm.store %3, %p : i1, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @special {
  // CHECK-LABEL: llvm.func @special
  gpu.func @special(%p: !llvm.ptr<1>, %x: f32, %y: f64) kernel {
    // CHECK: @coil_lgamma_f32(
    %0 = loop.special lgamma(%x) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    // CHECK: @coil_zeta_f64(
    %1 = loop.special zeta(%y, %y) : f64
    llvm.store %1, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @redirect {
  llvm.func @coil_special_i0ef(f32) -> f32
  llvm.func @coil_special_zeta(f64, f64) -> f64
  // The CPU runtime's names of special functions are taken, too.
  // CHECK-LABEL: llvm.func @redirect
  gpu.func @redirect(%p: !llvm.ptr<1>, %x: f32, %y: f64) kernel {
    // CHECK: llvm.call @coil_i0e_f32(
    %0 = llvm.call @coil_special_i0ef(%x) : (f32) -> f32
    // CHECK: llvm.call @coil_zeta_f64(
    %1 = llvm.call @coil_special_zeta(%y, %y) : (f64, f64) -> f64
    llvm.store %0, %p : f32, !llvm.ptr<1>
    llvm.store %1, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}

// A product that is rounded to f16 is no part of a fused multiplication and addition, which would skip the rounding; nor
// is what is strict.
// DEFAULT-LABEL: llvm.func @narrow_product
gpu.module @narrow_products {
  gpu.func @narrow_product(%x: f32, %y: f32, %p: !llvm.ptr<1>) kernel {
    // DEFAULT: %[[M:.*]] = llvm.fmul %{{.*}}, %{{.*}} : f32
    %0 = arith.mulf %x, %y : f32
    // DEFAULT: llvm.fptrunc %[[M]] : f32 to f16
    %1 = arith.truncf %0 : f32 to f16
    %2 = arith.extf %1 : f16 to f32
    // DEFAULT: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract>}
    %3 = arith.addf %2, %x : f32
    // DEFAULT: llvm.fmul {{.*}} {fastmathFlags = #llvm.fastmath<contract>}
    %4 = arith.mulf %3, %y : f32
    // DEFAULT: llvm.fmul %{{.*}}, %{{.*}} : f32
    %5 = arith.mulf %4, %y {coil.strict} : f32
    // DEFAULT: llvm.fadd %{{.*}}, %{{.*}} : f32
    %6 = arith.addf %5, %x {coil.strict} : f32
    llvm.store %6, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
