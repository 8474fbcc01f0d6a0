// RUN: coil-run %s --random-inputs --symbol=s0=13 --symbol=s1=37 --reference=interp
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=32 --reference=interp
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=1 --reference=interp
// RUN: coil-run %s --random-inputs --symbol=s0=2 --symbol=s1=100 --reference=interp

// Values kept in a task's own memory, as their results are streamed: rows with
// and without a remainder, two reduced dimensions, two such results.
func.func @main(%x: tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>) -> (tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>, tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>, tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>) attributes {sym.symbols = {s0 = #sym.range<1, 100>, s1 = #sym.range<1, 100>}} {
  %y = loop.kernel "softmax" [s0, 5, s1] (%a = %x) : (tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>) -> tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>> schedule<vector_dim = 2, vector_width = 8, unroll = 2, keep = [3], stream = [0]> {
    %v = loop.load %a[d0, d1, d2] : tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>> -> f32
    %m = loop.reduce max %v over [2] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [2] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1, d2] : f32
  }
  %z:2 = loop.kernel "softmaxes" [s0, 5, s1] (%a = %x) : (tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>) -> (tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>, tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>) schedule<vector_dim = 2, vector_width = 8, unroll = 2, keep = [2, 4], stream = [0, 1]> {
    %v = loop.load %a[d0, d1, d2] : tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>> -> f32
    %m = loop.reduce max %v over [1, 2] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %f = math.tanh %d : f32
    %s = loop.reduce sum %e over [1, 2] : f32
    %t = loop.reduce sum %f over [1, 2] : f32
    %q = arith.divf %e, %s : f32
    %r = arith.subf %f, %t : f32
    loop.store %q, 0 [d0, d1, d2] : f32
    loop.store %r, 1 [d0, d1, d2] : f32
  }
  return %y, %z#0, %z#1 : tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>, tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>, tensor<?x5x?xf32, #sym.shape<[s0, 5, s1]>>
}
