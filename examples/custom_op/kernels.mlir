// Kernels for the operator `mylib::rms_norm` of model.py, for the host's processor and for GPUs:
//
//     coil-run block.pt2 --user-kernels=kernels.mlir --random-inputs
//     coil-run block.pt2 --user-kernels=kernels.mlir --random-inputs --target=cuda
//
// Each function with `wrapper.operator` says what becomes of a call: its tensors are the function's arguments,
// `n` and `d` are what their sizes say, and `eps` is argument 2 of the launch. A call without a weight has one
// tensor less, so there is a function for that, too.

// A row for each block; what is behind the kernel's own parameters is the block's number.
wrapper.kernel @rms_norm_cpu() attributes {parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"weight", read, f32>, #wrapper.param<"eps", value, f32>,
    #wrapper.param<"y", write, f32>, #wrapper.param<"d", value, i64>]} {
  func.func @rms_norm_cpu(%x: !llvm.ptr, %w: !llvm.ptr, %eps: f32, %y: !llvm.ptr, %d: i64, %i: i64, %j: i64, %k: i64) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %begin = arith.muli %i, %d : i64
    %null = llvm.mlir.zero : !llvm.ptr
    %plain = llvm.icmp "eq" %w, %null : !llvm.ptr
    %sum = scf.for %c = %zero to %d step %one iter_args(%s = %f0) -> f32 : i64 {
      %at = arith.addi %begin, %c : i64
      %p = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %q = arith.mulf %v, %v : f32
      %t = arith.addf %s, %q : f32
      scf.yield %t : f32
    }
    %count = arith.sitofp %d : i64 to f32
    %mean = arith.divf %sum, %count : f32
    %safe = arith.addf %mean, %eps : f32
    %root = llvm.intr.sqrt(%safe) : (f32) -> f32
    %scale = arith.divf %f1, %root : f32
    scf.for %c = %zero to %d step %one : i64 {
      %at = arith.addi %begin, %c : i64
      %p = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %m = arith.mulf %v, %scale : f32
      %r = scf.if %plain -> f32 {
        scf.yield %m : f32
      } else {
        %pw = llvm.getelementptr %w[%c] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %vw = llvm.load %pw : !llvm.ptr -> f32
        %mw = arith.mulf %m, %vw : f32
        scf.yield %mw : f32
      }
      %py = llvm.getelementptr %y[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %r, %py : f32, !llvm.ptr
    }
    return
  }
}
wrapper.grid @rows["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]

!xc = !wrapper.buffer<[n, d], f32, #wrapper.device<"cpu">>
!wc = !wrapper.buffer<[d], f32, #wrapper.device<"cpu">>
wrapper.func private @weighted_cpu(%x: !xc {coil.name = "x"}, %weight: !wc {coil.name = "weight"}) -> !xc
    attributes {wrapper.operator = "mylib::rms_norm", sym.symbols = {n = #sym.range<0, 1048576>, d = #sym.range<1, 65536>}} {
  wrapper.input_symbol "n" = size 0 of %x : !xc
  wrapper.input_symbol "d" = size 1 of %x : !xc
  %y = wrapper.alloc : !xc
  wrapper.launch_user @rms_norm_cpu grid @rows[n] config {} arguments [unit, unit, 1.0e-6 : f32, unit, #sym.expr<d>]
      ins(%x, %weight : !xc, !wc) outs(%y : !xc) {wrapper.numbers = {eps = 2 : i64}}
  wrapper.return %y : !xc
}
wrapper.func private @plain_cpu(%x: !xc {coil.name = "x"}) -> !xc
    attributes {wrapper.operator = "mylib::rms_norm", sym.symbols = {n = #sym.range<0, 1048576>, d = #sym.range<1, 65536>}} {
  wrapper.input_symbol "n" = size 0 of %x : !xc
  wrapper.input_symbol "d" = size 1 of %x : !xc
  %y = wrapper.alloc : !xc
  wrapper.launch_user @rms_norm_cpu grid @rows[n] config {}
      arguments [unit, #wrapper.null, 1.0e-6 : f32, unit, #sym.expr<d>]
      ins(%x : !xc) outs(%y : !xc) {wrapper.numbers = {eps = 2 : i64}}
  wrapper.return %y : !xc
}

// A row for each thread, 64 of them in a block.
wrapper.kernel @rms_norm_gpu() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 64, 1, 1>, parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"weight", read, f32>, #wrapper.param<"eps", value, f32>,
    #wrapper.param<"y", write, f32>, #wrapper.param<"n", value, i64>, #wrapper.param<"d", value, i64>]} {
  gpu.module @code {
    gpu.func @rms_norm_gpu(%x: !llvm.ptr<1>, %w: !llvm.ptr<1>, %eps: f32, %y: !llvm.ptr<1>, %n: i64, %d: i64) kernel {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %size = arith.constant 64 : index
      %f0 = arith.constant 0.0 : f32
      %f1 = arith.constant 1.0 : f32
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %first = arith.muli %block, %size : index
      %number = arith.addi %first, %thread : index
      %row = arith.index_cast %number : index to i64
      %inside = arith.cmpi slt, %row, %n : i64
      scf.if %inside {
        %begin = arith.muli %row, %d : i64
        %null = llvm.mlir.zero : !llvm.ptr<1>
        %plain = llvm.icmp "eq" %w, %null : !llvm.ptr<1>
        %sum = scf.for %c = %zero to %d step %one iter_args(%s = %f0) -> f32 : i64 {
          %at = arith.addi %begin, %c : i64
          %p = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
          %v = llvm.load %p : !llvm.ptr<1> -> f32
          %q = arith.mulf %v, %v : f32
          %t = arith.addf %s, %q : f32
          scf.yield %t : f32
        }
        %count = arith.sitofp %d : i64 to f32
        %mean = arith.divf %sum, %count : f32
        %safe = arith.addf %mean, %eps : f32
        %root = llvm.intr.sqrt(%safe) : (f32) -> f32
        %scale = arith.divf %f1, %root : f32
        scf.for %c = %zero to %d step %one : i64 {
          %at = arith.addi %begin, %c : i64
          %p = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
          %v = llvm.load %p : !llvm.ptr<1> -> f32
          %m = arith.mulf %v, %scale : f32
          %r = scf.if %plain -> f32 {
            scf.yield %m : f32
          } else {
            %pw = llvm.getelementptr %w[%c] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
            %vw = llvm.load %pw : !llvm.ptr<1> -> f32
            %mw = arith.mulf %m, %vw : f32
            scf.yield %mw : f32
          }
          %py = llvm.getelementptr %y[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
          llvm.store %r, %py : f32, !llvm.ptr<1>
        }
      }
      gpu.return
    }
  }
}
wrapper.grid @blocks["n"] cases [#wrapper.grid_case<{}, <[(n + 63) floordiv 64, 1, 1]>>]

!xg = !wrapper.buffer<[n, d], f32, #wrapper.device<"cuda">>
!wg = !wrapper.buffer<[d], f32, #wrapper.device<"cuda">>
wrapper.func private @weighted_gpu(%x: !xg {coil.name = "x"}, %weight: !wg {coil.name = "weight"}) -> !xg
    attributes {wrapper.operator = "mylib::rms_norm", sym.symbols = {n = #sym.range<0, 1048576>, d = #sym.range<1, 65536>}} {
  wrapper.input_symbol "n" = size 0 of %x : !xg
  wrapper.input_symbol "d" = size 1 of %x : !xg
  %y = wrapper.alloc : !xg
  wrapper.launch_user @rms_norm_gpu grid @blocks[n] config {}
      arguments [unit, unit, 1.0e-6 : f32, unit, #sym.expr<n>, #sym.expr<d>]
      ins(%x, %weight : !xg, !wg) outs(%y : !xg) {wrapper.numbers = {eps = 2 : i64}}
  wrapper.return %y : !xg
}
wrapper.func private @plain_gpu(%x: !xg {coil.name = "x"}) -> !xg
    attributes {wrapper.operator = "mylib::rms_norm", sym.symbols = {n = #sym.range<0, 1048576>, d = #sym.range<1, 65536>}} {
  wrapper.input_symbol "n" = size 0 of %x : !xg
  wrapper.input_symbol "d" = size 1 of %x : !xg
  %y = wrapper.alloc : !xg
  wrapper.launch_user @rms_norm_gpu grid @blocks[n] config {}
      arguments [unit, #wrapper.null, 1.0e-6 : f32, unit, #sym.expr<n>, #sym.expr<d>]
      ins(%x : !xg) outs(%y : !xg) {wrapper.numbers = {eps = 2 : i64}}
  wrapper.return %y : !xg
}
