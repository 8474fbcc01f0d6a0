// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=row
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=row4
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=small
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=long --atol=1e-4
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=column
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=column4
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=lse
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=arg
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=normed
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=tiles
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=tiles_columns
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=tiles_arg
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=looped
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=both
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=long --cuda-graphs=2 --iterations=3 --atol=1e-4
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=0 --symbol=s1=3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=1 --symbol=s1=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=3 --symbol=s1=0
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=131 --symbol=s1=67
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=2 --symbol=s1=20011
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=5003 --symbol=s1=2

// A block keeps a row of no whole vectors, or of 16 bytes for each thread.
func.func @row(%x: tensor<33x1031xf32>) -> tensor<33x1031xf32> {
  %0 = graph.scan sum, %x dim 1 : (tensor<33x1031xf32>) -> tensor<33x1031xf32>
  return %0 : tensor<33x1031xf32>
}

func.func @row4(%x: tensor<300x4096xf32>) -> tensor<300x4096xf32> {
  %0 = graph.scan sum, %x dim 1 : (tensor<300x4096xf32>) -> tensor<300x4096xf32>
  return %0 : tensor<300x4096xf32>
}

// A warp for each row.
func.func @small(%x: tensor<33x37xf32>) -> tensor<33x37xf32> {
  %0 = graph.scan sum, %x dim 1 : (tensor<33x37xf32>) -> tensor<33x37xf32>
  return %0 : tensor<33x37xf32>
}

// Too few rows for all processors: tiles are blocks.
func.func @long(%x: tensor<100001xf32>) -> tensor<100001xf32> {
  %0 = graph.scan sum, %x dim 0 : (tensor<100001xf32>) -> tensor<100001xf32>
  return %0 : tensor<100001xf32>
}

func.func @column(%x: tensor<1031x70xf32>) -> tensor<1031x70xf32> {
  %0 = graph.scan sum, %x dim 0 : (tensor<1031x70xf32>) -> tensor<1031x70xf32>
  return %0 : tensor<1031x70xf32>
}

func.func @column4(%x: tensor<517x512xf32>) -> tensor<517x512xf32> {
  %0 = graph.scan sum, %x dim 0 : (tensor<517x512xf32>) -> tensor<517x512xf32>
  return %0 : tensor<517x512xf32>
}

// What is combined by mathematics, and with a position.
func.func @lse(%x: tensor<33x1031xf32>) -> tensor<33x1031xf32> {
  %0 = graph.scan logaddexp, %x dim 1 : (tensor<33x1031xf32>) -> tensor<33x1031xf32>
  return %0 : tensor<33x1031xf32>
}

func.func @arg(%x: tensor<33x1031xi8>) -> (tensor<33x1031xi8>, tensor<33x1031xi64>) {
  %0:2 = graph.arg_scan max, %x dim 1 : (tensor<33x1031xi8>) -> (tensor<33x1031xi8>, tensor<33x1031xi64>)
  return %0#0, %0#1 : tensor<33x1031xi8>, tensor<33x1031xi64>
}

// Longer than a block keeps, and a reduction before.
func.func @normed(%x: tensor<33x70000xf32>) -> (tensor<33x70000xf32>) {
  %m = graph.reduce max, %x dims [1] keepdims : (tensor<33x70000xf32>) -> tensor<33x1xf32>
  %d = graph.sub %x, %m : (tensor<33x70000xf32>, tensor<33x1xf32>) -> tensor<33x70000xf32>
  %0 = graph.scan sum, %d dim 1 : (tensor<33x70000xf32>) -> tensor<33x70000xf32>
  return %0 : tensor<33x70000xf32>
}

// More tiles than one group of them, of all values that pass between blocks.
func.func @tiles(%x: tensor<5003xf32>) -> tensor<5003xf32> {
  %0 = loop.kernel "tiles" [5003] (%a = %x) : (tensor<5003xf32>) -> tensor<5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, threads_r = 32, persistent = true, index_bits = 32, split_r = true> {
    %v = loop.load %a[d0] : tensor<5003xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5003xf32>
}

func.func @tiles_columns(%x: tensor<5003x3xf64>) -> tensor<5003x3xf64> {
  %0 = loop.kernel "tiles" [5003, 3] (%a = %x) : (tensor<5003x3xf64>) -> tensor<5003x3xf64> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, threads_p = 4, threads_r = 16, items_r = 2, persistent = true, index_bits = 32, split_r = true> {
    %v = loop.load %a[d0, d1] : tensor<5003x3xf64> -> f64
    %s = loop.scan sum %v over [0] : f64
    loop.store %s, 0 [d0, d1] : f64
  }
  return %0 : tensor<5003x3xf64>
}

func.func @tiles_arg(%x: tensor<2x5003xi8>) -> (tensor<2x5003xi8>, tensor<2x5003xi64>) {
  %0:2 = loop.kernel "tiles" [2, 5003] (%a = %x) : (tensor<2x5003xi8>) -> (tensor<2x5003xi8>, tensor<2x5003xi64>) schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 2, threads_p = 2, threads_r = 32, items_r = 1, persistent = true, index_bits = 64, split_r = true> {
    %v = loop.load %a[d0, d1] : tensor<2x5003xi8> -> i8
    %i = loop.index <d1>
    %s, %p = loop.arg_scan max %v at %i over [1] : i8
    loop.store %s, 0 [d0, d1] : i8
    loop.store %p, 1 [d0, d1] : i64
  }
  return %0#0, %0#1 : tensor<2x5003xi8>, tensor<2x5003xi64>
}

// A reduction of what is scanned: tiles one after the other.
func.func @looped(%x: tensor<3x5003xf32>) -> tensor<3x5003xf32> {
  %0 = loop.kernel "looped" [3, 5003] (%a = %x) : (tensor<3x5003xf32>) -> tensor<3x5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_p = 2, threads_r = 64, items_r = 2, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<3x5003xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    %m = loop.reduce max %s over [1] : f32
    %d = arith.subf %s, %m : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  return %0 : tensor<3x5003xf32>
}

// Sizes that are known when it runs.
func.func @dynamic(%x: tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf64, #sym.shape<[s0, s1]>>, tensor<?x?xf64, #sym.shape<[s0, s1]>>)
    attributes {sym.symbols = {s0 = #sym.range<0, 100000>, s1 = #sym.range<0, 100000>}} {
  %0 = graph.scan sum, %x dim 1 : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?x?xf64, #sym.shape<[s0, s1]>>
  %1 = graph.scan sum, %x dim 0 : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?x?xf64, #sym.shape<[s0, s1]>>
  return %0, %1 : tensor<?x?xf64, #sym.shape<[s0, s1]>>, tensor<?x?xf64, #sym.shape<[s0, s1]>>
}

// Two scans of one kernel, one of them of a transposed operand.
func.func @both(%x: tensor<70x300xf64>, %y: tensor<300x70xf64>) -> tensor<70x300xf64> {
  %t = graph.permute %y [1, 0] : (tensor<300x70xf64>) -> tensor<70x300xf64>
  %0 = graph.scan sum, %x dim 1 : (tensor<70x300xf64>) -> tensor<70x300xf64>
  %1 = graph.scan max, %t dim 1 : (tensor<70x300xf64>) -> tensor<70x300xf64>
  %2 = graph.add %0, %1 : (tensor<70x300xf64>, tensor<70x300xf64>) -> tensor<70x300xf64>
  %3 = graph.scan sum, %2 dim 1 : (tensor<70x300xf64>) -> tensor<70x300xf64>
  return %3 : tensor<70x300xf64>
}
