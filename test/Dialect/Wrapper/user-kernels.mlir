// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s
// RUN: coil-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.kernel @scale() attributes {
// CHECK-SAME:    parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"y", write, f32>, #wrapper.param<"z", update, i1>, #wrapper.param<"n", value, i64>, #wrapper.param<"one", one, i32>, #wrapper.param<"BLOCK", constexpr>]
// CHECK-SAME:    reference = @means
// CHECK-SAME:  } {
// CHECK-NEXT:    llvm.func @scale
wrapper.kernel @scale() attributes {reference = @means, parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"y", write, f32>, #wrapper.param<"z", update, i1>,
    #wrapper.param<"n", value, i64>, #wrapper.param<"one", one, i32>, #wrapper.param<"BLOCK", constexpr>]} {
  llvm.func @scale(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64)
  func.func private @means()
}

// CHECK-LABEL: wrapper.kernel @text() attributes {entry = "other", parameters = [], ptx = ".version 8.1", shared = 64 : i64, threads = array<i64: 32, 2, 1>} {
wrapper.kernel @text() attributes {parameters = [], ptx = ".version 8.1", entry = "other",
    threads = array<i64: 32, 2, 1>, shared = 64 : i64} {}

// Configurations that differ in warps, stages or what one vendor's compiler knows
// have one case; those with most keywords come first.
// CHECK-LABEL: wrapper.grid @cover["n"] cases [
// CHECK-SAME:    #wrapper.grid_case<{}, <[n, 1, 1]>>, #wrapper.grid_case<{BLOCK = 2 : i64, num_warps = 4 : i64}, <[(n + 1) floordiv 2, 1, 1]>>
// CANON-LABEL: wrapper.grid @cover["n"] cases [
// CANON-SAME:    #wrapper.grid_case<{BLOCK = 2 : i64, MODE = "a"}, <[n, 2, 1]>>, #wrapper.grid_case<{BLOCK = 2 : i64}, <[(n + 1) floordiv 2, 1, 1]>>, #wrapper.grid_case<{}, <[n, 1, 1]>>]
wrapper.grid @cover["n"] cases [
  #wrapper.grid_case<{}, <[n, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 2 : i64, num_warps = 4 : i64}, <[(n + 1) floordiv 2, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 2 : i64, num_warps = 8 : i64, num_stages = 3 : i64}, <[(n + 1) floordiv 2, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 2 : i64, waves_per_eu = 2 : i64}, <[(n + 1) floordiv 2, 1, 1]>>,
  #wrapper.grid_case<{BLOCK = 2 : i64, MODE = "a", matrix_instr_nonkdim = 16 : i64, kpack = 2 : i64}, <[n, 2, 1]>>]

// Where a grid does depend on warps, they stay.
// CANON-LABEL: wrapper.grid @warps[] cases [
// CANON-SAME:    #wrapper.grid_case<{num_warps = 4 : i64}, <[4, 1, 1]>>, #wrapper.grid_case<{num_warps = 8 : i64}, <[8, 1, 1]>>]
wrapper.grid @warps[] cases [
  #wrapper.grid_case<{num_warps = 4 : i64}, <[4, 1, 1]>>,
  #wrapper.grid_case<{num_warps = 8 : i64}, <[8, 1, 1]>>]

wrapper.func @main(%x: !b, %z: !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>) -> !b {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  // CHECK: wrapper.launch_user @scale grid @cover[s0] config {BLOCK = 2 : i64, num_warps = 4 : i64}
  // CHECK-SAME: arguments [unit, unit, unit, #sym.expr<s0 * 2>, #sym.expr<1>, 2]
  // CHECK-SAME: ins(%{{.*}} : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) outs(%{{.*}} : {{.*}}) updates(%{{.*}} : {{.*}})
  wrapper.launch_user @scale grid @cover[s0] config {BLOCK = 2 : i64, num_warps = 4 : i64}
      arguments [unit, unit, unit, #sym.expr<s0 * 2>, #sym.expr<1>, 2 : i64]
      ins(%x : !b) outs(%0 : !b) updates(%z : !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>)
  // CHECK: wrapper.launch_user @scale grid @warps[] config {num_warps = 8 : i64} arguments [#wrapper.null, #wrapper.null, #wrapper.null,
  wrapper.launch_user @scale grid @warps[] config {num_warps = 8 : i64}
      arguments [#wrapper.null, #wrapper.null, #wrapper.null, #sym.expr<4>, #sym.expr<1>, "any"]
  wrapper.return %0 : !b
}
