// RUN: coil-opt %s --split-input-file --verify-diagnostics | coil-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @schedules
func.func @schedules(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: loop.kernel "all" [64] {{.+}} schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 4, threads_r = 32, items_p = 2, items_r = 3, persistent = true, min_blocks = 2, index_bits = 32> {
  %0 = loop.kernel "all" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32>
      schedule #loop.gpu_schedule<strategy = tile, vector_dim = 0, vector_width = 4, threads_p = 4, threads_r = 32, items_p = 2, items_r = 3, persistent = true, min_blocks = 2, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  // CHECK: loop.kernel "transpose" [64] {{.+}} schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 0, transpose_dim = 1, threads_p = 256> {
  %1 = loop.kernel "transpose" [64] (%a = %0) : (tensor<64xf32>) -> tensor<64xf32>
      schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 0, transpose_dim = 1, threads_p = 256> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  // CHECK: loop.kernel "ring" [64] {{.+}} schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, split_r = true, stages = 2, blocks = 264> {
  %3 = loop.kernel "ring" [64] (%a = %0) : (tensor<64xf32>) -> tensor<64xf32>
      schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, split_r = true, stages = 2, blocks = 264> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  // The CPU's schedule in full.
  // CHECK: loop.kernel "cpu" [64] {{.+}} schedule<vector_dim = 0, vector_width = 8> {
  %2 = loop.kernel "cpu" [64] (%a = %1) : (tensor<64xf32>) -> tensor<64xf32>
      schedule #loop.schedule<vector_dim = 0, vector_width = 8> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %2 : tensor<64xf32>
}

// -----

// expected-error@+1 {{'vector_width' must be a positive power of two but is 3}}
func.func private @gpu_schedule_c1_width() attributes {a = #loop.gpu_schedule<vector_dim = 0, vector_width = 3>}

// -----

// expected-error@+1 {{'threads_p' must be a positive power of two but is 0}}
func.func private @gpu_schedule_c1_threads() attributes {a = #loop.gpu_schedule<threads_p = 0>}

// -----

// expected-error@+1 {{'items_r' must be positive but is 0}}
func.func private @gpu_schedule_c1_items() attributes {a = #loop.gpu_schedule<items_r = 0>}

// -----

// expected-error@+1 {{a block has at most 1024 threads but 'threads_p' and 'threads_r' are 64 and 32}}
func.func private @gpu_schedule_c2() attributes {a = #loop.gpu_schedule<threads_p = 64, threads_r = 32>}

// -----

// expected-error@+1 {{'vector_width' is 4 but there is no vector dimension}}
func.func private @gpu_schedule_c3() attributes {a = #loop.gpu_schedule<vector_width = 4>}

// -----

// expected-error@+1 {{expected 'index_bits' of 32 or 64 and 'min_blocks' of at least 0 but got 16 and 0}}
func.func private @gpu_schedule_c4() attributes {a = #loop.gpu_schedule<index_bits = 16>}

// -----

// expected-error @below {{expected 'index_bits' of 32 or 64 and 'min_blocks' of at least 0 but got 64 and -1}}
func.func private @gpu_schedule_c4_min_blocks() attributes {a = #loop.gpu_schedule<min_blocks = -1>}

// -----

// expected-error@+1 {{strategy 'transpose' does not go with 'vector_dim' 0 and 'transpose_dim' 0}}
func.func private @gpu_schedule_c5_transpose() attributes {a = #loop.gpu_schedule<strategy = transpose, vector_dim = 0, transpose_dim = 0>}

// -----

// expected-error@+1 {{strategy 'tile' does not go with 'vector_dim' 0 and 'transpose_dim' 1}}
func.func private @gpu_schedule_c5_tile() attributes {a = #loop.gpu_schedule<vector_dim = 0, transpose_dim = 1>}

// -----

// expected-error@+1 {{strategy 'transpose' needs a power of two as 'items_r' but got 3}}
func.func private @gpu_schedule_c6() attributes {a = #loop.gpu_schedule<strategy = transpose, vector_dim = 0, transpose_dim = 1, items_r = 3>}

// -----

// expected-error@+1 {{strategy 'mma' needs a parameter 'mma'}}
func.func private @gpu_schedule_c9_needs() attributes {a = #loop.gpu_schedule<strategy = mma, threads_p = 32>}

// -----

// expected-error@+1 {{strategy 'tile' has no parameter 'mma'}}
func.func private @gpu_schedule_c9_has() attributes {a = #loop.gpu_schedule<threads_p = 32, mma = <m = 32, n = 32, k = 32>>}

// -----

// expected-error@+1 {{strategy 'mma' with 2 warps needs 'threads_p' of 64 and nothing along 'r' but got 32, 1 and 1}}
func.func private @gpu_schedule_c9_threads() attributes {a = #loop.gpu_schedule<strategy = mma, threads_p = 32, mma = <m = 32, n = 32, k = 32, warps_m = 2>>}

// -----

// expected-error@+1 {{strategy 'mma' has vectors of 16, longer than its tile of 8 results}}
func.func private @gpu_schedule_c9_vector() attributes {a = #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 16, threads_p = 32, mma = <m = 32, n = 8, k = 32>>}

// -----

// expected-error@+1 {{'n' must be a positive power of two up to 4096 but is 48}}
func.func private @mma_c1() attributes {a = #loop.mma<m = 32, n = 48, k = 32>}

// -----

// expected-error@+1 {{'group' must be positive but is 0}}
func.func private @mma_c1_group() attributes {a = #loop.mma<m = 32, n = 32, k = 32, group = 0>}

// -----

// expected-error@+1 {{expected 2 to 16 stages but got 1}}
func.func private @mma_c2() attributes {a = #loop.mma<m = 32, n = 32, k = 32, stages = 1>}

// -----

// expected-error@+1 {{a warp's part of the tile is 16 x 8 x 32, less than instruction 'm16n8k16' multiplies}}
func.func private @mma_c3() attributes {a = #loop.mma<instruction = m16n8k16, m = 32, n = 32, k = 32, warps_m = 2, warps_n = 4>}

// -----

// expected-error@+1 {{instruction 'wgmma' does not go with a tile of 128 x 256 x 64 and 2 x 4 x 1 warps}}
func.func private @mma_c4() attributes {a = #loop.mma<instruction = wgmma, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4>}

// -----

func.func @not_a_schedule(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error@+2 {{expected a schedule}}
  %0 = loop.kernel "all" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32>
      schedule #sym.shape<[1]> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<64xf32>
}

// -----

// expected-error@+1 {{'owners' is 3, expected 0 or a power of two with one thread and item along 'r'}}
func.func private @gpu_schedule_c7_power() attributes {a = #loop.gpu_schedule<owners = 3>}

// -----

// expected-error@+1 {{'owners' is 4, expected 0 or a power of two with one thread and item along 'r'}}
func.func private @gpu_schedule_c7_threads() attributes {a = #loop.gpu_schedule<threads_r = 32, owners = 4>}

// -----

// expected-error @below {{'owners' is 4, expected 0 or a power of two with one thread and item along 'r'}}
func.func private @gpu_schedule_c7_items() attributes {a = #loop.gpu_schedule<items_r = 2, owners = 4>}

// -----

// expected-error @below {{'owners' is 4, expected 0 or a power of two with one thread and item along 'r'}}
func.func private @gpu_schedule_c7_persistent() attributes {a = #loop.gpu_schedule<persistent = true, owners = 4>}

// -----

// expected-error @below {{'owners' is 4, expected 0 or a power of two with one thread and item along 'r'}}
func.func private @gpu_schedule_c7_transpose() attributes {a = #loop.gpu_schedule<strategy = transpose, vector_dim = 0, transpose_dim = 1, owners = 4>}

// -----

// expected-error@+1 {{strategy 'scan' does not go with 'items_p' 2 and 'split_r' false}}
func.func private @gpu_schedule_c8_items() attributes {a = #loop.gpu_schedule<strategy = scan, items_p = 2>}

// -----

// expected-error@+1 {{strategy 'tile' does not go with 'items_p' 1 and 'split_r' true}}
func.func private @gpu_schedule_c8_split() attributes {a = #loop.gpu_schedule<persistent = true, split_r = true>}

// -----

// expected-error @below {{strategy 'scan' does not go with 'items_p' 1 and 'split_r' true}}
func.func private @gpu_schedule_c8_persistent() attributes {a = #loop.gpu_schedule<strategy = scan, split_r = true>}

// -----

// expected-error@+1 {{'align_to' goes with a vector and one item along 'p' of the strategy 'tile'}}
func.func private @gpu_schedule_c10_vector() attributes {a = #loop.gpu_schedule<align_to = 0>}

// -----

// expected-error@+1 {{'align_to' goes with a vector and one item along 'p' of the strategy 'tile'}}
func.func private @gpu_schedule_c10_items() attributes {a = #loop.gpu_schedule<vector_dim = 0, vector_width = 4, items_p = 2, align_to = 0>}

// -----

// expected-error @below {{'align_to' goes with a vector and one item along 'p' of the strategy 'tile'}}
func.func private @gpu_schedule_c10_strategy() attributes {a = #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, align_to = 0>}

// -----

// expected-error @below {{'prefetch' goes with the strategy 'tile', without 'owners'}}
func.func private @gpu_schedule_c11_owners() attributes {a = #loop.gpu_schedule<owners = 4, prefetch = true>}

// -----

// expected-error@+1 {{'prefetch' goes with the strategy 'tile', without 'owners'}}
func.func private @gpu_schedule_c11_strategy() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, prefetch = true>}

// -----

// expected-error@+1 {{'descending' goes with the strategy 'tile' but it is 'scan'}}
func.func private @gpu_schedule_c12() attributes {a = #loop.gpu_schedule<strategy = scan, descending = true>}

// -----

// expected-error@+1 {{'stages' is 1, expected 0, or at least 2 with 'split_r', one thread along 'p' and whole warps along 'r'}}
func.func private @gpu_schedule_c13_one() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, split_r = true, stages = 1, blocks = 4>}

// -----

// expected-error@+1 {{'stages' is 2, expected 0, or at least 2 with 'split_r', one thread along 'p' and whole warps along 'r'}}
func.func private @gpu_schedule_c13_split() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, stages = 2, blocks = 4>}

// -----

// expected-error@+1 {{'stages' is 2, expected 0, or at least 2 with 'split_r', one thread along 'p' and whole warps along 'r'}}
func.func private @gpu_schedule_c13_rows() attributes {a = #loop.gpu_schedule<strategy = scan, threads_p = 2, threads_r = 32, persistent = true, split_r = true, stages = 2, blocks = 4>}

// -----

// expected-error@+1 {{'stages' is 2, expected 0, or at least 2 with 'split_r', one thread along 'p' and whole warps along 'r'}}
func.func private @gpu_schedule_c13_warps() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 16, persistent = true, split_r = true, stages = 2, blocks = 4>}

// -----

// expected-error@+1 {{'blocks' is 0, expected at least 1 with 'stages'}}
func.func private @gpu_schedule_c13_no_blocks() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, split_r = true, stages = 2>}

// -----

// expected-error@+1 {{'blocks' is 4, expected 0 without 'stages'}}
func.func private @gpu_schedule_c13_no_stages() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, split_r = true, blocks = 4>}

// -----

// expected-error@+1 {{a thread has at most 4096 points but 'vector_width', 'items_p' and 'items_r' are 1, 1 and 4294967296}}
func.func private @gpu_schedule_c14() attributes {a = #loop.gpu_schedule<items_r = 4294967296>}

// -----

// expected-error@+1 {{a thread has at most 4096 points but 'vector_width', 'items_p' and 'items_r' are 64, 64 and 2}}
func.func private @gpu_schedule_c14_all() attributes {a = #loop.gpu_schedule<vector_dim = 0, vector_width = 64, items_p = 64, items_r = 2>}

// -----

// expected-error@+1 {{min_blocks is 33, expected 0 to 32}}
func.func private @gpu_schedule_c14_min_blocks() attributes {a = #loop.gpu_schedule<min_blocks = 33>}

// -----

// expected-error@+1 {{stages is 65, expected 0 to 64}}
func.func private @gpu_schedule_c14_stages() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, split_r = true, stages = 65, blocks = 4>}

// -----

// expected-error@+1 {{owners is 2097152, expected 0 to 1048576}}
func.func private @gpu_schedule_c14_owners() attributes {a = #loop.gpu_schedule<owners = 2097152>}

// -----

// expected-error@+1 {{blocks is 4294967296, expected 0 to 2147483647}}
func.func private @gpu_schedule_c14_blocks() attributes {a = #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, split_r = true, stages = 2, blocks = 4294967296>}

// -----

// expected-error@+1 {{vector_dim is -2, expected -1 to 2147483647}}
func.func private @gpu_schedule_c14_dim() attributes {a = #loop.gpu_schedule<vector_dim = -2>}

// -----

// expected-error@+1 {{'group' is 4294967296, more than a grid has}}
func.func private @mma_c1_group_range() attributes {a = #loop.mma<m = 32, n = 64, k = 32, group = 4294967296>}

// -----

// expected-error@+1 {{strategy 'tile' has no parameters 'box_dims' and 'box'}}
#gpu_schedule_c15_others = #loop.gpu_schedule<vector_dim = 0, threads_p = 32, box_dims = [0], box = [32]>

// -----

// expected-error@+1 {{strategy 'box' needs parameters 'box_dims' and 'box'}}
#gpu_schedule_c15_missing = #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 32, box = [32]>

// -----

// expected-error@+1 {{strategy 'box' needs different dimensions from 'vector_dim' on, a size for each, whole warps along 'p' and one of everything else}}
#gpu_schedule_c15_twice = #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 32, box_dims = [0, 0], box = [4, 4]>

// -----

// expected-error@+1 {{strategy 'box' needs different dimensions from 'vector_dim' on, a size for each, whole warps along 'p' and one of everything else}}
#gpu_schedule_c15_threads = #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 48, box_dims = [0], box = [4]>

// -----

// expected-error@+1 {{strategy 'box' with 32 threads has 1 to 512 points but 'box' is}}
#gpu_schedule_c15_points = #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 32, box_dims = [0, 1], box = [32, 17]>

// -----

// expected-error @below {{'cluster' is 3, expected 1, 2, 4 or 8 blocks}}
func.func private @gpu_schedule_c16_number() attributes {a = #loop.gpu_schedule<vector_dim = 0, threads_r = 64, persistent = true, cluster = 3>}

// -----

// expected-error @below {{'cluster' is 16, expected 1, 2, 4 or 8 blocks}}
func.func private @gpu_schedule_c16_size() attributes {a = #loop.gpu_schedule<vector_dim = 0, threads_r = 64, persistent = true, cluster = 16>}

// -----

// expected-error @below {{a 'cluster' of 4 blocks goes with 'persistent' and the strategy 'tile', whole warps along 'r', and one thread and one item along 'p'}}
func.func private @gpu_schedule_c16_loop() attributes {a = #loop.gpu_schedule<vector_dim = 0, threads_r = 64, cluster = 4>}

// -----

// expected-error @below {{a 'cluster' of 4 blocks goes with 'persistent' and the strategy 'tile'}}
func.func private @gpu_schedule_c16_scan() attributes {a = #loop.gpu_schedule<strategy = scan, vector_dim = 0, threads_r = 64, persistent = true, cluster = 4>}

// -----

// expected-error @below {{a 'cluster' of 4 blocks goes with 'persistent' and the strategy 'tile', whole warps}}
func.func private @gpu_schedule_c16_warp() attributes {a = #loop.gpu_schedule<vector_dim = 0, threads_r = 16, persistent = true, cluster = 4>}

// -----

// expected-error @below {{a 'cluster' of 4 blocks goes with 'persistent' and the strategy 'tile'}}
func.func private @gpu_schedule_c16_threads() attributes {a = #loop.gpu_schedule<vector_dim = 0, threads_p = 2, threads_r = 64, persistent = true, cluster = 4>}

// -----

// expected-error @below {{a 'cluster' of 4 blocks goes with 'persistent' and the strategy 'tile'}}
func.func private @gpu_schedule_c16_items() attributes {a = #loop.gpu_schedule<vector_dim = 0, threads_r = 64, items_p = 2, persistent = true, cluster = 4>}
