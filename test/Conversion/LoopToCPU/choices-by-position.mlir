// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,canonicalize,cse))' | FileCheck %s

// What only one side of a concatenation needs is computed for vectors of which
// a lane takes that side.
// CHECK-LABEL: wrapper.kernel @concatenation
// CHECK:       %[[FIRST:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : vector<16xi64>
// CHECK:       %[[ANY:.+]] = vector.reduction <or>, %[[FIRST]]
// CHECK:       %[[EXP:.+]] = scf.if %[[ANY]] -> (vector<16xf32>)
// CHECK:         llvm.intr.masked.load
// CHECK:         math.exp
// CHECK:       else
// CHECK-NEXT:    scf.yield %{{.+}} : vector<16xf32>
// CHECK:       %[[ERF:.+]] = scf.if %{{.+}} -> (vector<16xf32>)
// CHECK:         math.erf
// CHECK:       arith.select %[[FIRST]], %[[EXP]], %[[ERF]]
wrapper.kernel @concatenation(%x: tensor<100xf32>, %y: tensor<60xf32>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [160] (%a = %x, %b = %y) : (tensor<100xf32>, tensor<60xf32>) -> tensor<160xf32> schedule<vector_dim = 0, vector_width = 16, block = 160> {
    %i = loop.index <d0>
    %n = loop.index <100>
    %zero = arith.constant 0.0 : f32
    %first = arith.cmpi slt, %i, %n : i64
    %second = arith.cmpi sge, %i, %n : i64
    %u = loop.load %a[d0] mask %first else %zero : f32 : tensor<100xf32> -> f32
    %e = math.exp %u : f32
    %v = loop.load %b[d0 - 100] mask %second else %zero : f32 : tensor<60xf32> -> f32
    %f = math.erf %v : f32
    %w = arith.select %first, %e, %f : f32
    loop.store %w, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<160xf32>
}

// -----

// Where all lanes agree there is no vector of conditions, and in the branch no
// mask. What both sides need stays outside.
// CHECK-LABEL: wrapper.kernel @rows
// CHECK:       %[[HERE:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : i64
// CHECK:       scf.if %[[HERE]] -> (vector<16xf32>)
// CHECK:         %[[V:.+]] = llvm.load %{{.+}} -> vector<16xf32>
// CHECK-NEXT:    scf.yield %[[V]]
// CHECK:       math.exp
// CHECK:       scf.if %[[HERE]] -> (vector<16xf32>)
// CHECK-NEXT:    math.erf
// CHECK-NOT:   math.
wrapper.kernel @rows(%x: tensor<7x32xf32>) attributes {input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>, #sym.shape<[32, 1]>], symbols = []} {
  %0:2 = loop.kernel "k" [9, 32] (%a = %x) : (tensor<7x32xf32>) -> (tensor<9x32xf32>, tensor<9x32xf32>) schedule<vector_dim = 1, vector_width = 16, block = 32> {
    %i = loop.index <d0>
    %n = loop.index <7>
    %zero = arith.constant 0.0 : f32
    %inside = arith.cmpi slt, %i, %n : i64
    %u = loop.load %a[d0, d1] mask %inside else %zero : f32 : tensor<7x32xf32> -> f32
    %e = math.exp %u : f32
    %f = math.erf %e : f32
    %w = arith.select %inside, %f, %zero : f32
    loop.store %w, 0 [d0, d1] : f32
    loop.store %e, 1 [d0, d1] : f32
  }
  wrapper.yield %0#0, %0#1 : tensor<9x32xf32>, tensor<9x32xf32>
}

// -----

// What is the same for all vectors of a task is computed in front of their
// loops, and has no branch in them.
// CHECK-LABEL: wrapper.kernel @diagonal
// CHECK:       %[[ELEMENT:.+]] = scf.if
// CHECK:         llvm.load
// CHECK-NOT:   scf.if
// CHECK:       scf.for
// CHECK-NOT:   scf.if
// CHECK:         %[[SAME:.+]] = vector.broadcast %[[ELEMENT]]
// CHECK-NEXT:    arith.select %{{.+}}, %[[SAME]]
// CHECK-NOT:   scf.if
// CHECK:       %[[REST:.+]] = vector.broadcast %[[ELEMENT]]
// CHECK-NEXT:  arith.select %{{.+}}, %[[REST]]
// CHECK-NOT:   scf.if
wrapper.kernel @diagonal(%x: tensor<5xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[11, 1]>], symbols = []} {
  %0 = loop.kernel "k" [7, 11] (%a = %x) : (tensor<5xf32>) -> tensor<7x11xf32> schedule<vector_dim = 1, vector_width = 4, block = 11> {
    %zero = arith.constant 0.0 : f32
    %n = loop.index <5>
    %i = loop.index <d0>
    %inside = arith.cmpi slt, %i, %n : i64
    %u = loop.load %a[d0] mask %inside else %zero : f32 : tensor<5xf32> -> f32
    %j = loop.index <d1>
    %is = arith.cmpi eq, %i, %j : i64
    %w = arith.select %is, %u, %zero : f32
    loop.store %w, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<7x11xf32>
}

// -----

// A condition that data decides, or an index that is out of range only on the
// other side, is no reason for a branch.
// CHECK-LABEL: wrapper.kernel @of_data
// CHECK-NOT:   scf.if
// CHECK:       math.exp
// CHECK:       arith.select
// CHECK-LABEL: wrapper.kernel @checked
// CHECK:       llvm.store %{{.+}}, %[[ERROR:.+]] : i32
// CHECK:       llvm.intr.masked.gather
// CHECK:       scf.if
// CHECK-NOT:   llvm.intr.masked.gather
wrapper.kernel @of_data(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule<vector_dim = 0, vector_width = 16, block = 64> {
    %u = loop.load %a[d0] : tensor<64xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %u, %zero : f32
    %e = math.exp %u : f32
    %w = arith.select %c, %e, %u : f32
    loop.store %w, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}
wrapper.kernel @checked(%x: tensor<64xf32>, %y: tensor<64xi64>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [64] (%a = %x, %b = %y) : (tensor<64xf32>, tensor<64xi64>) -> tensor<64xf32> schedule<vector_dim = 0, vector_width = 16, block = 64> {
    %i = loop.index <d0>
    %n = loop.index <7>
    %zero = arith.constant 0.0 : f32
    %inside = arith.cmpi slt, %i, %n : i64
    %p = loop.load %b[d0] : tensor<64xi64> -> i64
    %u = loop.load %a[t0](%p) bounds check : tensor<64xf32> -> f32
    %e = math.exp %u : f32
    %w = arith.select %inside, %e, %zero : f32
    loop.store %w, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

// Elements in pieces: vectors that lie within one, by their ends, are loaded as
// a whole.
// CHECK-LABEL: wrapper.kernel @circle
// CHECK:       %[[DISTANCE:.+]] = arith.constant 15 : i64
// CHECK:       %[[IS_ROW:.+]] = arith.cmpi eq, %{{.+}}, %[[DISTANCE]]
// CHECK:       %[[IS_PIECE:.+]] = arith.cmpi eq
// CHECK:       %[[BOTH:.+]] = arith.andi %[[IS_ROW]], %[[IS_PIECE]]
// CHECK:       scf.if %[[BOTH]] -> (vector<16xf32>)
// CHECK:         llvm.load %{{.+}} -> vector<16xf32>
// CHECK:       else
// CHECK:         llvm.intr.masked.gather
wrapper.kernel @circle(%x: tensor<100xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [160] (%a = %x) : (tensor<100xf32>) -> tensor<160xf32> schedule<vector_dim = 0, vector_width = 16, block = 160> {
    %u = loop.load %a[(d0 + 95) mod 100] : tensor<100xf32> -> f32
    loop.store %u, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<160xf32>
}
