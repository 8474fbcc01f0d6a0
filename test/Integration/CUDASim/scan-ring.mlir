// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=exact
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=odd
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=rows
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=cut_rows
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=groups
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=many --atol=1e-3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=stages3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=wide_index
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=few
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=one_tile
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=bf16
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=bf16_to_f32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=f16_max
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=i32
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=i8
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=around
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=beside
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=in_place --fuse=false
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=aligned
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=odd --cuda-graphs=2 --iterations=3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=0
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=511
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=512
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=513
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=1536
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=5003
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=2
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=514
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=515
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=516
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=517
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic --symbol=s0=1023
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=7
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=17
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=257
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=263
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=511
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_bf16 --symbol=s0=2049
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_i8 --symbol=s0=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_i8 --symbol=s0=15
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_i8 --symbol=s0=513
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_i8 --symbol=s0=1039
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_f64 --symbol=s0=0
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_f64 --symbol=s0=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_f64 --symbol=s0=130
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_f64 --symbol=s0=515
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=cut_product
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=padded
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_rows --symbol=s0=0 --symbol=s1=2
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_rows --symbol=s0=3 --symbol=s1=0
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_rows --symbol=s0=1 --symbol=s1=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_rows --symbol=s0=4 --symbol=s1=100
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=dynamic_rows --symbol=s0=7 --symbol=s1=33
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=chosen --atol=1e-2
// B15: the order in which sums are combined depends on the tiles alone, not on how
// many blocks there are, nor on whether these stay.
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --function=odd --output=@%t.odd.npy
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --function=odd_alone --output=@%t.odd_alone.npy
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --function=odd_split --output=@%t.odd_split.npy
// RUN: cmp %t.odd.npy %t.odd_alone.npy
// RUN: cmp %t.odd.npy %t.odd_split.npy
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=native -o %t
// RUN: coil-translate --kernels-to-ptx %t | FileCheck %s

// Scans whose blocks stay: few blocks take many tiles, of all kinds of rows.
// CHECK-COUNT-60: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes

// Whole tiles, of 512 elements.
func.func @exact(%x: tensor<4608xf32>) -> tensor<4608xf32> {
  %0 = loop.kernel "exact" [4608] (%a = %x) : (tensor<4608xf32>) -> tensor<4608xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<4608xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<4608xf32>
}

// The last tile ends in an element that no copy brings.
func.func @odd(%x: tensor<5003xf32>) -> tensor<5003xf32> {
  %0 = loop.kernel "odd" [5003] (%a = %x) : (tensor<5003xf32>) -> tensor<5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<5003xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5003xf32>
}

func.func @odd_alone(%x: tensor<5003xf32>) -> tensor<5003xf32> {
  %0 = loop.kernel "odd_alone" [5003] (%a = %x) : (tensor<5003xf32>) -> tensor<5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 1> {
    %v = loop.load %a[d0] : tensor<5003xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5003xf32>
}

func.func @odd_split(%x: tensor<5003xf32>) -> tensor<5003xf32> {
  %0 = loop.kernel "odd_split" [5003] (%a = %x) : (tensor<5003xf32>) -> tensor<5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true> {
    %v = loop.load %a[d0] : tensor<5003xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5003xf32>
}

// Tiles of several rows, one row after the other.
func.func @rows(%x: tensor<5x1536xf32>) -> tensor<5x1536xf32> {
  %0 = loop.kernel "rows" [5, 1536] (%a = %x) : (tensor<5x1536xf32>) -> tensor<5x1536xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<5x1536xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<5x1536xf32>
}

// Rows that end in the midst of a tile.
func.func @cut_rows(%x: tensor<3x1300xf32>) -> tensor<3x1300xf32> {
  %0 = loop.kernel "cut_rows" [3, 1300] (%a = %x) : (tensor<3x1300xf32>) -> tensor<3x1300xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<3x1300xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<3x1300xf32>
}

// A warp for each block; more than one group of tiles.
func.func @groups(%x: tensor<9001xf32>) -> tensor<9001xf32> {
  %0 = loop.kernel "groups" [9001] (%a = %x) : (tensor<9001xf32>) -> tensor<9001xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<9001xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<9001xf32>
}

// Thousands of steps of one block.
func.func @many(%x: tensor<400003xf32>) -> tensor<400003xf32> {
  %0 = loop.kernel "many" [400003] (%a = %x) : (tensor<400003xf32>) -> tensor<400003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 1> {
    %v = loop.load %a[d0] : tensor<400003xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<400003xf32>
}

// Copies that are further ahead.
func.func @stages3(%x: tensor<6007xf32>) -> tensor<6007xf32> {
  %0 = loop.kernel "stages3" [6007] (%a = %x) : (tensor<6007xf32>) -> tensor<6007xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 3, blocks = 2> {
    %v = loop.load %a[d0] : tensor<6007xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<6007xf32>
}

func.func @wide_index(%x: tensor<2x3004xf32>) -> tensor<2x3004xf32> {
  %0 = loop.kernel "wide_index" [2, 3004] (%a = %x) : (tensor<2x3004xf32>) -> tensor<2x3004xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 64, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<2x3004xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<2x3004xf32>
}

// Fewer tiles than blocks, and just one.
func.func @few(%x: tensor<1030xf32>) -> tensor<1030xf32> {
  %0 = loop.kernel "few" [1030] (%a = %x) : (tensor<1030xf32>) -> tensor<1030xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 8> {
    %v = loop.load %a[d0] : tensor<1030xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<1030xf32>
}

func.func @one_tile(%x: tensor<77xf32>) -> tensor<77xf32> {
  %0 = loop.kernel "one_tile" [77] (%a = %x) : (tensor<77xf32>) -> tensor<77xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 8> {
    %v = loop.load %a[d0] : tensor<77xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<77xf32>
}

// Elements of other sizes.
func.func @bf16(%x: tensor<3x2056xbf16>) -> tensor<3x2056xbf16> {
  %0 = loop.kernel "bf16" [3, 2056] (%a = %x) : (tensor<3x2056xbf16>) -> tensor<3x2056xbf16> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 8, threads_r = 32, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<3x2056xbf16> -> bf16
    %s = loop.scan sum %v over [1] : bf16
    loop.store %s, 0 [d0, d1] : bf16
  }
  return %0 : tensor<3x2056xbf16>
}

// Half of a vector may be a chunk's.
func.func @bf16_to_f32(%x: tensor<5007xbf16>) -> tensor<5007xf32> {
  %0 = loop.kernel "bf16_to_f32" [5007] (%a = %x) : (tensor<5007xbf16>) -> tensor<5007xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<5007xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %s = loop.scan sum %w over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5007xf32>
}

func.func @f16_max(%x: tensor<5003xf16>) -> tensor<5003xf16> {
  %0 = loop.kernel "f16_max" [5003] (%a = %x) : (tensor<5003xf16>) -> tensor<5003xf16> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 8, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<5003xf16> -> f16
    %s = loop.scan max %v over [0] : f16
    loop.store %s, 0 [d0] : f16
  }
  return %0 : tensor<5003xf16>
}

func.func @i32(%x: tensor<5003xi32>) -> tensor<5003xi32> {
  %0 = loop.kernel "i32" [5003] (%a = %x) : (tensor<5003xi32>) -> tensor<5003xi32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<5003xi32> -> i32
    %s = loop.scan max %v over [0] : i32
    loop.store %s, 0 [d0] : i32
  }
  return %0 : tensor<5003xi32>
}

func.func @i8(%x: tensor<5003xi8>) -> tensor<5003xi8> {
  %0 = loop.kernel "i8" [5003] (%a = %x) : (tensor<5003xi8>) -> tensor<5003xi8> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 16, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<5003xi8> -> i8
    %s = loop.scan sum %v over [0] : i8
    loop.store %s, 0 [d0] : i8
  }
  return %0 : tensor<5003xi8>
}

// What is computed before and after the scan.
func.func @around(%x: tensor<2x2004xf32>) -> tensor<2x2004xf32> {
  %0 = loop.kernel "around" [2, 2004] (%a = %x) : (tensor<2x2004xf32>) -> tensor<2x2004xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<2x2004xf32> -> f32
    %c = arith.constant 2.0 : f32
    %p = arith.mulf %v, %c : f32
    %i = loop.index <d1>
    %j = arith.sitofp %i : i64 to f32
    %k = arith.constant 0.001 : f32
    %m = arith.mulf %j, %k : f32
    %q = arith.addf %p, %m : f32
    %s = loop.scan sum %q over [1] : f32
    %r = arith.subf %s, %q : f32
    %t = arith.addf %r, %v : f32
    loop.store %t, 0 [d0, d1] : f32
  }
  return %0 : tensor<2x2004xf32>
}

// Another operand, which does not vary along the rows.
func.func @beside(%x: tensor<3x1300xf32>, %y: tensor<3xf32>) -> tensor<3x1300xf32> {
  %0 = loop.kernel "beside" [3, 1300] (%a = %x, %b = %y) : (tensor<3x1300xf32>, tensor<3xf32>) -> tensor<3x1300xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<3x1300xf32> -> f32
    %f = loop.load %b[d0] : tensor<3xf32> -> f32
    %p = arith.mulf %v, %f : f32
    %s = loop.scan sum %p over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<3x1300xf32>
}

// The result lies over the operand.
func.func @in_place(%x: tensor<5003xf32>) -> tensor<5003xf32> {
  %n = graph.neg %x : (tensor<5003xf32>) -> tensor<5003xf32>
  %0 = loop.kernel "in_place" [5003] (%a = %n) : (tensor<5003xf32>) -> tensor<5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<5003xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5003xf32>
}

// A row that begins in the midst of a buffer, at a multiple of 16 bytes.
func.func @aligned(%x: tensor<6000xf32>) -> tensor<5003xf32> {
  %0 = loop.kernel "aligned" [5003] (%a = %x) : (tensor<6000xf32>) -> tensor<5003xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0 + 64] : tensor<6000xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<5003xf32>
}

// Sizes that are known when it runs.
func.func @dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 100000>}} {
  %0 = loop.kernel "dynamic" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}

func.func @dynamic_rows(%x: tensor<?x?xf32, #sym.shape<[s0, s1 * 16]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1 * 16]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 100>, s1 = #sym.range<0, 1000>}} {
  %0 = loop.kernel "dynamic_rows" [s0, s1 * 16] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1 * 16]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1 * 16]>> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 64, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1 * 16]>> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<?x?xf32, #sym.shape<[s0, s1 * 16]>>
}

// Ends of all kinds, also alone in the last tile.
func.func @dynamic_bf16(%x: tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 100000>}} {
  %0 = loop.kernel "dynamic_bf16" [s0] (%a = %x) : (tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 8, threads_r = 32, items_r = 1, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<?xbf16, #sym.shape<[s0]>> -> bf16
    %s = loop.scan sum %v over [0] : bf16
    loop.store %s, 0 [d0] : bf16
  }
  return %0 : tensor<?xbf16, #sym.shape<[s0]>>
}

func.func @dynamic_i8(%x: tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xi8, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 100000>}} {
  %0 = loop.kernel "dynamic_i8" [s0] (%a = %x) : (tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xi8, #sym.shape<[s0]>> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 16, threads_r = 32, items_r = 1, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<?xi8, #sym.shape<[s0]>> -> i8
    %s = loop.scan sum %v over [0] : i8
    loop.store %s, 0 [d0] : i8
  }
  return %0 : tensor<?xi8, #sym.shape<[s0]>>
}

// Vectors of more bytes than a chunk.
func.func @dynamic_f64(%x: tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 100000>}} {
  %0 = loop.kernel "dynamic_f64" [s0] (%a = %x) : (tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, items_r = 1, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0] : tensor<?xf64, #sym.shape<[s0]>> -> f64
    %w = arith.truncf %v : f64 to f32
    %s = loop.scan sum %w over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// What is computed of zeros behind a row is not neutral.
func.func @cut_product(%x: tensor<3x1300xf32>) -> tensor<3x1300xf32> {
  %0 = loop.kernel "cut_product" [3, 1300] (%a = %x) : (tensor<3x1300xf32>) -> tensor<3x1300xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<3x1300xf32> -> f32
    %c = arith.constant 0.001 : f32
    %d = arith.constant 1.0 : f32
    %p = arith.mulf %v, %c : f32
    %q = arith.addf %p, %d : f32
    %s = loop.scan prod %q over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<3x1300xf32>
}

// Rows that no copy brings the ends of, several of them.
func.func @padded(%x: tensor<4x1100xf32>) -> tensor<4x1027xf32> {
  %0 = loop.kernel "padded" [4, 1027] (%a = %x) : (tensor<4x1100xf32>) -> tensor<4x1027xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 3> {
    %v = loop.load %a[d0, d1] : tensor<4x1100xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<4x1027xf32>
}

// What is chosen for one row of very many tiles, of 8192 elements.
func.func @chosen(%x: tensor<4400003xf32>) -> tensor<4400003xf32> {
  %0 = graph.scan sum, %x dim 0 : (tensor<4400003xf32>) -> tensor<4400003xf32>
  return %0 : tensor<4400003xf32>
}
