// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-cpu-kernel-to-llvm))' | FileCheck %s

// Words are rounded, NaN is chosen among them, and the upper halves are packed once.
// CHECK-LABEL: llvm.func @round
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[X:.*]] : vector<8xf32> to vector<8xi32>
// CHECK: %[[LAST:.*]] = llvm.and
// CHECK: %[[HALF:.*]] = llvm.add %[[BITS]]
// CHECK: %[[ROUNDED:.*]] = llvm.add %[[HALF]], %[[LAST]]
// CHECK: %[[NAN:.*]] = llvm.fcmp "uno" %[[X]], %[[X]] : vector<8xf32>
// CHECK: %[[MASK:.*]] = llvm.sext %[[NAN]] : vector<8xi1> to vector<8xi32>
// CHECK: %[[QUIET:.*]] = llvm.and %[[MASK]]
// CHECK: %[[ALL:.*]] = llvm.or %[[ROUNDED]], %[[QUIET]]
// CHECK: %[[HIGH:.*]] = llvm.lshr %[[ALL]]
// CHECK: llvm.trunc %[[HIGH]] : vector<8xi32> to vector<8xi16>
wrapper.kernel @round() attributes {grain = 1 : i64, input_strides = [], output_strides = [], symbols = [], total = #sym.expr<1>} {
  llvm.func @round(%p: !llvm.ptr, %q: !llvm.ptr) {
    %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    llvm.store %y, %q : vector<8xbf16>, !llvm.ptr
    llvm.return
  }
}

// A rounded value that is extended again stays in its word.
// CHECK-LABEL: llvm.func @between
// CHECK: %[[ROUNDED:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: %[[UPPER:.*]] = llvm.and %[[ROUNDED]]
// CHECK: %[[KEPT:.*]] = llvm.bitcast %[[UPPER]] : vector<8xi32> to vector<8xf32>
// CHECK: llvm.fmul %[[KEPT]], %[[KEPT]]
wrapper.kernel @between() attributes {grain = 1 : i64, input_strides = [], output_strides = [], symbols = [], total = #sym.expr<1>} {
  llvm.func @between(%p: !llvm.ptr, %q: !llvm.ptr) {
    %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    %z = arith.extf %y : vector<8xbf16> to vector<8xf32>
    %s = arith.mulf %z, %z : vector<8xf32>
    llvm.store %s, %q : vector<8xf32>, !llvm.ptr
    llvm.return
  }
}

// What is a bf16 already is cut.
// CHECK-LABEL: llvm.func @exact
// CHECK: %[[BITS:.*]] = llvm.bitcast
// CHECK-NOT: llvm.add
// CHECK: llvm.lshr %[[BITS]]
wrapper.kernel @exact() attributes {grain = 1 : i64, input_strides = [], output_strides = [], symbols = [], total = #sym.expr<1>} {
  llvm.func @exact(%p: !llvm.ptr, %q: !llvm.ptr) {
    %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %y = arith.truncf %x {coil.exact} : vector<8xf32> to vector<8xbf16>
    llvm.store %y, %q : vector<8xbf16>, !llvm.ptr
    llvm.return
  }
}

// A NaN of arithmetic on values that were bf16 has zeros in its lower half: it is rounded to a NaN without being looked for.
// CHECK-LABEL: llvm.func @short_nan
// CHECK-NOT: llvm.fcmp
// CHECK: llvm.fadd
// CHECK-NOT: llvm.fcmp
// CHECK: llvm.return
wrapper.kernel @short_nan() attributes {grain = 1 : i64, input_strides = [], output_strides = [], symbols = [], total = #sym.expr<1>} {
  llvm.func @short_nan(%p: !llvm.ptr, %q: !llvm.ptr, %b: i1) {
    %c = arith.constant dense<1.5> : vector<8xf32>
    %x = llvm.load %p : !llvm.ptr -> vector<8xbf16>
    %y = scf.if %b -> (vector<8xf32>) {
      %e = arith.extf %x : vector<8xbf16> to vector<8xf32>
      scf.yield %e : vector<8xf32>
    } else {
      scf.yield %c : vector<8xf32>
    }
    %s = arith.addf %y, %c : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    %z = arith.extf %r : vector<8xbf16> to vector<8xf32>
    %m = arith.mulf %z, %y : vector<8xf32>
    %n = math.sqrt %m : vector<8xf32>
    %o = arith.truncf %n : vector<8xf32> to vector<8xbf16>
    llvm.store %o, %q : vector<8xbf16>, !llvm.ptr
    llvm.return
  }
}

// Not so the NaN of an f32 in memory, of a call, of a constant, or what a loop carries.
// CHECK-LABEL: llvm.func @any_nan
// CHECK-COUNT-4: llvm.fcmp "uno"
// CHECK: llvm.return
wrapper.kernel @any_nan() attributes {grain = 1 : i64, input_strides = [], output_strides = [], symbols = [], total = #sym.expr<1>} {
  llvm.func @any_nan(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
    %c = arith.constant dense<0x7fffffff> : vector<8xf32>
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %f = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %x = llvm.load %p : !llvm.ptr -> vector<8xbf16>
    %e = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %s0 = arith.addf %e, %f : vector<8xf32>
    %s1 = math.exp %e : vector<8xf32>
    %s2 = arith.addf %e, %c : vector<8xf32>
    %s3 = scf.for %i = %zero to %n step %one iter_args(%a = %f) -> (vector<8xf32>) : i64 {
      %b = arith.addf %a, %e : vector<8xf32>
      scf.yield %b : vector<8xf32>
    }
    %r0 = arith.truncf %s0 : vector<8xf32> to vector<8xbf16>
    %r1 = arith.truncf %s1 : vector<8xf32> to vector<8xbf16>
    %r2 = arith.truncf %s2 : vector<8xf32> to vector<8xbf16>
    %r3 = arith.truncf %s3 : vector<8xf32> to vector<8xbf16>
    llvm.store %r0, %q : vector<8xbf16>, !llvm.ptr
    llvm.store %r1, %q : vector<8xbf16>, !llvm.ptr
    llvm.store %r2, %q : vector<8xbf16>, !llvm.ptr
    llvm.store %r3, %q : vector<8xbf16>, !llvm.ptr
    llvm.return
  }
}
