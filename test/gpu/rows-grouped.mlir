// REQUIRES: cuda-sim, fake-cub
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --library=cub --random-inputs --reference=interp
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --library=cub --random-inputs --reference=interp --deterministic

// The gradient of an embedding as `graph-scatter-to-segment-sum` leaves it, for 2053 places at 67 rows, in chunks of 32: positions are
// sorted, ranges marked, chunks summed, and rows. All places are at eight rows, and one of these is padding.
func.func @main(%arg0: tensor<2053x136xbf16>, %arg1: tensor<2053xi64>) -> tensor<67x136xbf16> {
  %0 = graph.full 1 : i64 -> tensor<i64>
  %1 = graph.compare eq, %arg1, %0 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi1>
  %2 = graph.full 0 : i64 -> tensor<i64>
  %3 = graph.compare lt, %arg1, %2 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi1>
  %4 = graph.full 67 : i64 -> tensor<i64>
  %5 = graph.add %arg1, %4 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi64>
  %6 = graph.select %3, %5, %arg1 : (tensor<2053xi1>, tensor<2053xi64>, tensor<2053xi64>) -> tensor<2053xi64>
  %7 = graph.compare ge, %6, %2 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi1>
  %8 = graph.compare lt, %6, %4 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi1>
  %9 = graph.bitwise_and %7, %8 : (tensor<2053xi1>, tensor<2053xi1>) -> tensor<2053xi1>
  %10 = graph.select %1, %4, %6 : (tensor<2053xi1>, tensor<i64>, tensor<2053xi64>) -> tensor<2053xi64>
  %11 = graph.full 68 : i64 -> tensor<i64>
  %12 = graph.select %9, %10, %11 : (tensor<2053xi1>, tensor<2053xi64>, tensor<i64>) -> tensor<2053xi64>
  %13 = graph.convert %12 : (tensor<2053xi64>) -> tensor<2053xui16>
  %values, %indices = graph.sort %13 dim 0 stable library "cub" : (tensor<2053xui16>) -> (tensor<2053xui16>, tensor<2053xi64>)
  %14 = graph.convert %values : (tensor<2053xui16>) -> tensor<2053xi64>
  %15 = graph.pad %14 low [1] high [1] value -1 : i64 : (tensor<2053xi64>) -> tensor<2055xi64>
  %16 = graph.slice %15 starts <[0]> steps [1] : (tensor<2055xi64>) -> tensor<2053xi64>
  %17 = graph.reshape %16 : (tensor<2053xi64>) -> tensor<1x2053xi64>
  %18 = graph.slice %15 starts <[2]> steps [1] : (tensor<2055xi64>) -> tensor<2053xi64>
  %19 = graph.reshape %18 : (tensor<2053xi64>) -> tensor<1x2053xi64>
  %20 = graph.reshape %14 : (tensor<2053xi64>) -> tensor<1x2053xi64>
  %21 = graph.cat %17, %19 dim 0 : (tensor<1x2053xi64>, tensor<1x2053xi64>) -> tensor<2x2053xi64>
  %22 = graph.compare ne, %20, %21 : (tensor<1x2053xi64>, tensor<2x2053xi64>) -> tensor<2x2053xi1>
  %23 = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<2xi64>
  %24 = graph.reshape %23 : (tensor<2xi64>) -> tensor<2x1xi64>
  %25 = graph.compare lt, %14, %4 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi1>
  %26 = graph.compare gt, %14, %4 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi1>
  %27 = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<2053xi64>
  %28 = graph.full 134 : i64 -> tensor<i64>
  %29 = graph.add %27, %28 : (tensor<2053xi64>, tensor<i64>) -> tensor<2053xi64>
  %30 = graph.full 2053 : i64 -> tensor<i64>
  %31 = graph.mul %23, %30 : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %32 = graph.reshape %31 : (tensor<2xi64>) -> tensor<2x1xi64>
  %33 = graph.add %29, %32 : (tensor<2053xi64>, tensor<2x1xi64>) -> tensor<2x2053xi64>
  %34 = graph.bitwise_and %22, %25 : (tensor<2x2053xi1>, tensor<2053xi1>) -> tensor<2x2053xi1>
  %35 = graph.mul %23, %4 : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %36 = graph.reshape %35 : (tensor<2xi64>) -> tensor<2x1xi64>
  %37 = graph.add %14, %36 : (tensor<2053xi64>, tensor<2x1xi64>) -> tensor<2x2053xi64>
  %38 = graph.select %34, %37, %33 : (tensor<2x2053xi1>, tensor<2x2053xi64>, tensor<2x2053xi64>) -> tensor<2x2053xi64>
  %39 = graph.full 4240 : i64 -> tensor<i64>
  %40 = graph.select %26, %39, %38 : (tensor<2053xi1>, tensor<i64>, tensor<2x2053xi64>) -> tensor<2x2053xi64>
  %41 = graph.full 0 : i64 -> tensor<4240xi64>
  %42 = graph.add %27, %24 : (tensor<2053xi64>, tensor<2x1xi64>) -> tensor<2x2053xi64>
  %43 = graph.index_put max %41[%40], %42 dims [0] : (tensor<4240xi64>, tensor<2x2053xi64>, tensor<2x2053xi64>) -> tensor<4240xi64>
  %44 = graph.slice %43 starts <[0]> steps [1] : (tensor<4240xi64>) -> tensor<67xi64>
  %45 = graph.slice %43 starts <[67]> steps [1] : (tensor<4240xi64>) -> tensor<67xi64>
  %46 = graph.slice %14 starts <[0]> steps [32] : (tensor<2053xi64>) -> tensor<64xi64>
  %47 = graph.slice %14 starts <[31]> steps [32] : (tensor<2053xi64>) -> tensor<64xi64>
  %48 = graph.compare eq, %46, %47 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %49 = graph.compare lt, %46, %4 : (tensor<64xi64>, tensor<i64>) -> tensor<64xi1>
  %50 = graph.bitwise_and %48, %49 : (tensor<64xi1>, tensor<64xi1>) -> tensor<64xi1>
  %51 = graph.iota 0 : i64 step 32 : i64 dim 0 -> tensor<64xi64>
  %52 = graph.full 32 : i64 -> tensor<i64>
  %53 = graph.add %51, %52 : (tensor<64xi64>, tensor<i64>) -> tensor<64xi64>
  %54 = graph.select %50, %53, %51 : (tensor<64xi1>, tensor<64xi64>, tensor<64xi64>) -> tensor<64xi64>
  %55 = graph.segment_reduce sum %arg0 at %indices from %51 to %54 : (tensor<2053x136xbf16>, tensor<64xi64>, tensor<64xi64>, tensor<2053xi64>) -> tensor<64x136xf32>
  %56 = graph.full 5 : i64 -> tensor<i64>
  %57 = graph.full 31 : i64 -> tensor<i64>
  %58 = graph.add %44, %57 : (tensor<67xi64>, tensor<i64>) -> tensor<67xi64>
  %59 = graph.shift_right %58, %56 : (tensor<67xi64>, tensor<i64>) -> tensor<67xi64>
  %60 = graph.shift_right %45, %56 : (tensor<67xi64>, tensor<i64>) -> tensor<67xi64>
  %61 = graph.compare lt, %59, %60 : (tensor<67xi64>, tensor<67xi64>) -> tensor<67xi1>
  %62 = graph.shift_left %59, %56 : (tensor<67xi64>, tensor<i64>) -> tensor<67xi64>
  %63 = graph.select %61, %62, %45 : (tensor<67xi1>, tensor<67xi64>, tensor<67xi64>) -> tensor<67xi64>
  %64 = graph.shift_left %60, %56 : (tensor<67xi64>, tensor<i64>) -> tensor<67xi64>
  %65 = graph.select %61, %64, %45 : (tensor<67xi1>, tensor<67xi64>, tensor<67xi64>) -> tensor<67xi64>
  %66 = graph.segment_reduce sum %arg0 at %indices from %44 to %63 : (tensor<2053x136xbf16>, tensor<67xi64>, tensor<67xi64>, tensor<2053xi64>) -> tensor<67x136xf32>
  %67 = graph.segment_reduce sum %55 from %59 to %60 plus %66 : (tensor<64x136xf32>, tensor<67xi64>, tensor<67xi64>, tensor<67x136xf32>) -> tensor<67x136xf32>
  %68 = graph.segment_reduce sum %arg0 at %indices from %65 to %45 plus %67 : (tensor<2053x136xbf16>, tensor<67xi64>, tensor<67xi64>, tensor<2053xi64>, tensor<67x136xf32>) -> tensor<67x136xf32>
  %69 = graph.convert %68 : (tensor<67x136xf32>) -> tensor<67x136xbf16>
  return %69 : tensor<67x136xbf16>
}
