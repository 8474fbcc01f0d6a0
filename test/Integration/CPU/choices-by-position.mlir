// RUN: coil-run %s --random-inputs --symbol=s0=5 --symbol=s1=67 --reference=interp --function=concatenations
// RUN: coil-run %s --random-inputs --symbol=s0=1 --symbol=s1=1 --reference=interp --function=concatenations
// RUN: coil-run %s --random-inputs --symbol=s0=0 --symbol=s1=16 --reference=interp --function=concatenations
// RUN: coil-run %s --random-inputs --symbol=s0=9 --symbol=s1=33 --reference=interp --function=nested
// RUN: coil-run %s --random-inputs --symbol=s0=2 --symbol=s1=64 --reference=interp --function=nested

// Concatenations of computed operands along both dimensions, one inside the
// other, and what is made of them: a function, a sum, a running sum.
func.func @concatenations(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>, %y: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[2 * s0, s1]>>, tensor<?xf32, #sym.shape<[s0]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>) attributes {sym.symbols = {s0 = #sym.range<0, 100>, s1 = #sym.range<0, 100>}} {
  %e = graph.exp %x : tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %t = graph.tanh %y : tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %0 = graph.cat %e, %t, %x dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>
  %1 = graph.cat %t, %e dim 0 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[2 * s0, s1]>>
  %2 = graph.reduce sum, %0 dims [1] : (tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %3 = graph.scan sum, %0 dim 1 : (tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>
  return %0, %1, %2, %3 : tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[2 * s0, s1]>>, tensor<?xf32, #sym.shape<[s0]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>
}

// A choice within a choice, a value that both sides need, a cheap side, a
// choice of what a reduction results in, and one that a later loop needs again.
func.func @nested(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?xf32, #sym.shape<[s0]>>) attributes {sym.symbols = {s0 = #sym.range<1, 100>, s1 = #sym.range<1, 100>}} {
  %0:2 = loop.kernel "k" [s0, s1] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?xf32, #sym.shape<[s0]>>) schedule<vector_dim = 1, vector_width = 8, unroll = 2> {
    %i = loop.index <d0>
    %j = loop.index <d1>
    %three = loop.index <3>
    %twenty = loop.index <20>
    %top = arith.cmpi slt, %i, %three : i64
    %left = arith.cmpi slt, %j, %twenty : i64
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %t = math.tanh %v : f32
    %e = math.exp %v : f32
    %f = math.erf %t : f32
    %g = arith.addf %e, %t : f32
    %c = math.cos %v : f32
    %inner = arith.select %left, %f, %g : f32
    %outer = arith.select %top, %inner, %c : f32
    %s = loop.reduce sum %outer over [1] : f32
    %h = math.exp %outer : f32
    %q = arith.subf %h, %s : f32
    %chosen = arith.select %left, %q, %outer : f32
    %l = math.tanh %s : f32
    %m = arith.select %top, %l, %s : f32
    loop.store %chosen, 0 [d0, d1] : f32
    loop.store %m, 1 [d0] : f32
  }
  return %0#0, %0#1 : tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?xf32, #sym.shape<[s0]>>
}

// RUN: coil-run %s --random-inputs --symbol=s0=5 --symbol=s1=67 --reference=interp --function=pieces
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=16 --reference=interp --function=pieces
// RUN: coil-run %s --random-inputs --symbol=s0=1 --symbol=s1=1 --reference=interp --function=pieces

// Remainders, quotients, minima and maxima of positions, one in the other.
func.func @pieces(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>) attributes {sym.symbols = {s0 = #sym.range<1, 100>, s1 = #sym.range<1, 100>}} {
  %0:4 = loop.kernel "k" [s0, 3 * s1] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>) schedule<vector_dim = 1, vector_width = 8, unroll = 2, block = 64> {
    %u = loop.load %a[d0, (d1 + 5) mod s1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %v = loop.load %a[d0, max(min(d1 - 9, s1 - 1), 0)] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %w = loop.load %a[min(d0 + d1 floordiv s1, s0 - 1), d1 mod s1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %z = loop.load %a[d0, (d1 + d1 floordiv 7) mod s1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    loop.store %u, 0 [d0, d1] : f32
    loop.store %v, 1 [d0, d1] : f32
    loop.store %w, 2 [d0, d1] : f32
    loop.store %z, 3 [d0, d1] : f32
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>, tensor<?x?xf32, #sym.shape<[s0, 3 * s1]>>
}
