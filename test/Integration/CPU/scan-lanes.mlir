// RUN: coil-run %s --random-inputs --symbol=s0=5 --symbol=s1=67 --reference=interp --function=sums
// RUN: coil-run %s --random-inputs --symbol=s0=1 --symbol=s1=64 --reference=interp --function=sums
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=1 --reference=interp --function=sums
// RUN: coil-run %s --random-inputs --symbol=s0=2 --symbol=s1=0 --reference=interp --function=sums
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=131 --reference=interp --function=others
// RUN: coil-run %s --random-inputs --symbol=s0=7 --symbol=s1=13 --reference=interp --function=others
// RUN: coil-run %s --random-inputs --symbol=s0=7 --symbol=s1=13 --reference=interp --function=in_order
// RUN: coil-run %s --random-inputs --symbol=s0=4 --symbol=s1=32 --reference=interp --function=in_order
// RUN: coil-run %s --random-inputs --symbol=s0=3 --symbol=s1=49 --reference=interp --function=reversed

// Scans along rows, whose lanes combine among themselves, of rows of any length.
func.func @sums(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>, %y: tensor<?x?xf16, #sym.shape<[s0, s1]>>, %z: tensor<?x?xi64, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf16, #sym.shape<[s0, s1]>>, tensor<?x?xi64, #sym.shape<[s0, s1]>>) attributes {sym.symbols = {s0 = #sym.range<0, 100>, s1 = #sym.range<0, 200>}} {
  %0 = graph.scan sum, %x dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %1 = graph.scan sum, %y dim 1 : (tensor<?x?xf16, #sym.shape<[s0, s1]>>) -> tensor<?x?xf16, #sym.shape<[s0, s1]>>
  %2 = graph.scan sum, %z dim 1 : (tensor<?x?xi64, #sym.shape<[s0, s1]>>) -> tensor<?x?xi64, #sym.shape<[s0, s1]>>
  return %0, %1, %2 : tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf16, #sym.shape<[s0, s1]>>, tensor<?x?xi64, #sym.shape<[s0, s1]>>
}

func.func @others(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>, %y: tensor<?x?xui8, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xui8, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xi64, #sym.shape<[s0, s1]>>) attributes {sym.symbols = {s0 = #sym.range<0, 100>, s1 = #sym.range<0, 200>}} {
  %0 = graph.scan prod, %x dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %1 = graph.scan logaddexp, %x dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %2 = graph.scan max, %y dim 1 : (tensor<?x?xui8, #sym.shape<[s0, s1]>>) -> tensor<?x?xui8, #sym.shape<[s0, s1]>>
  %3:2 = graph.arg_scan min, %x dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xi64, #sym.shape<[s0, s1]>>)
  return %0, %1, %2, %3#0, %3#1 : tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xui8, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xi64, #sym.shape<[s0, s1]>>
}

// One row after the other: what lanes beyond a row hold is not carried on. A
// reduction of the same values, and one of the scan, in a later loop.
func.func @in_order(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>, %w: tensor<?xf32, #sym.shape<[s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<f32>) attributes {sym.symbols = {s0 = #sym.range<1, 100>, s1 = #sym.range<1, 100>}} {
  %0:2 = loop.kernel "k" [s0, s1] (%a = %x, %b = %w) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?xf32, #sym.shape<[s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<f32>) schedule<vector_dim = 1, vector_width = 8, unroll = 2> {
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %c = loop.load %b[d1] : tensor<?xf32, #sym.shape<[s1]>> -> f32
    %p = arith.mulf %v, %c : f32
    %s = loop.scan sum %p over [0, 1] : f32
    %t = loop.reduce max %v over [0, 1] : f32
    %m = loop.reduce max %s over [0, 1] : f32
    %d = arith.subf %s, %m : f32
    %e = arith.addf %m, %t : f32
    loop.store %d, 0 [d0, d1] : f32
    loop.store %e, 1 [] : f32
  }
  return %0#0, %0#1 : tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<f32>
}

// Rows that are read and written from their ends.
func.func @reversed(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>) attributes {sym.symbols = {s0 = #sym.range<1, 100>, s1 = #sym.range<1, 100>}} {
  %0:2 = loop.kernel "k" [s0, s1] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>) schedule<vector_dim = 1, vector_width = 16, unroll = 2> {
    %v = loop.load %a[d0, s1 - 1 - d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, s1 - 1 - d1] : f32
    loop.store %v, 1 [d0, d1] : f32
  }
  return %0#0, %0#1 : tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>
}
