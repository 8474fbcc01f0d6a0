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
