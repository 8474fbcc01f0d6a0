// RUN: coil-run %s --random-inputs --symbol=s0=13 --symbol=s1=37 --reference=interp
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=5 --reference=interp

// Reductions by rows with remainders in both directions, a value of the row, a
// value of the column, two reductions and positions; kept values along vectors
// and across them.
func.func @main(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>, %w: tensor<?xf32, #sym.shape<[s1]>>) -> (tensor<?xf32, #sym.shape<[s1]>>, tensor<?xf32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>) attributes {sym.symbols = {s0 = #sym.range<1, 100>, s1 = #sym.range<1, 100>}} {
  %r:3 = loop.kernel "rows" [s0, s1] (%a = %x, %b = %w) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?xf32, #sym.shape<[s1]>>) -> (tensor<?xf32, #sym.shape<[s1]>>, tensor<?xf32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>) schedule<vector_dim = 1, vector_width = 8, unroll = 2, block = 16, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %c = loop.load %b[d1] : tensor<?xf32, #sym.shape<[s1]>> -> f32
    %f = loop.load %a[d0, 0] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %i = loop.index <d0>
    %p = arith.mulf %v, %c : f32
    %q = arith.addf %p, %f : f32
    %s = loop.reduce sum %q over [0] : f32
    %m, %at = loop.arg_reduce max %v at %i over [0] : f32
    %t = arith.mulf %s, %c : f32
    loop.store %t, 0 [d1] : f32
    loop.store %m, 1 [d1] : f32
    loop.store %at, 2 [d1] : i64
  }
  %y = loop.kernel "softmax" [s0, s1] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>> schedule<vector_dim = 1, vector_width = 8, unroll = 2, keep = [3]> {
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  %z = loop.kernel "softmax" [s0, s1] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>> schedule<vector_dim = 1, vector_width = 8, unroll = 2, block = 16, keep = [3]> {
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %m = loop.reduce max %v over [0] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [0] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %r#0, %r#1, %r#2, %y, %z : tensor<?xf32, #sym.shape<[s1]>>, tensor<?xf32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>
}
