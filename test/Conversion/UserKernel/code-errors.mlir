// What LLVM refuses in a user's kernel is an error of that kernel, not the end of the process.
//
// RUN: split-file %s %t
// RUN: not coil-run %t/flags.mlir --target=cuda:sm_90 2>&1 | FileCheck %s --check-prefix=FLAGS
// RUN: not coil-run %t/assembly.mlir --target=cuda:sm_90 2>&1 | FileCheck %s --check-prefix=ASSEMBLY
// RUN: not coil-run %t/host.mlir 2>&1 | FileCheck %s --check-prefix=PROCESSOR
// RUN: not coil-run %t/flags.mlir 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not coil-run %t/step.mlir 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not coil-compile %t/step.mlir --emit=cpp -o %t/step.cpp 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: sed s/f8E4M3FN/index/ %t/step.mlir > %t/index.mlir
// RUN: not coil-run %t/index.mlir 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not coil-run %t/device-step.mlir --target=cuda:sm_90 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not coil-run %t/byval.mlir --target=cuda:sm_90 2>&1 | FileCheck %s --check-prefix=BYVAL

// Modules that disagree on what all of a program has.
// FLAGS: coil-run: error: kernel 'tan': the device library cannot be linked: linking module flags 'wchar_size': IDs have conflicting values
// Code for a GPU in a program that is compiled for the CPU.
// HOST: coil-run: error: {{.*}}flags.mlir:18:3: 'wrapper.launch_user' op kernel 'tan' was not lowered for its device

//--- flags.mlir
!b = !wrapper.buffer<[6], f32, #wrapper.device<"cuda">>
wrapper.kernel @tan() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 1, 1, 1>,
    parameters = [#wrapper.param<"x", update, f32>]} {
  gpu.module @tan {
    llvm.module_flags [#llvm.mlir.module_flag<error, "wchar_size", 2 : i32>]
    gpu.func @tan(%x: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> f32
      %t = math.tan %v : f32
      llvm.store %t, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @main() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.launch_user @tan grid @once[] config {num_warps = 1 : i64} arguments [unit] updates(%0 : !b)
  wrapper.return %0 : !b
}

// A register of another machine.
// ASSEMBLY: coil-run: error: kernel 'asm': in function 'asm': couldn't allocate output register for constraint '{{.}}eax}'

//--- assembly.mlir
!b = !wrapper.buffer<[6], f32, #wrapper.device<"cuda">>
wrapper.kernel @asm() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 1, 1, 1>,
    parameters = [#wrapper.param<"x", update, f32>]} {
  gpu.module @asm {
    gpu.func @asm(%x: !llvm.ptr<1>) kernel {
      %t = llvm.inline_asm "mov $0, 1;", "={eax}" : () -> f32
      llvm.store %t, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @main() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.launch_user @asm grid @once[] config {num_warps = 1 : i64} arguments [unit] updates(%0 : !b)
  wrapper.return %0 : !b
}

// PROCESSOR: coil-run: error: in function '{{.*}}': couldn't allocate output register for constraint '{{.}}foo}'

//--- host.mlir
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @asm() attributes {parameters = [#wrapper.param<"x", update, f32>]} {
  llvm.func @asm(%x: !llvm.ptr, %gx: i64, %gy: i64, %gz: i64) {
    %t = llvm.inline_asm has_side_effects "mov $$1, $0", "={foo}" : () -> i32
    llvm.store %t, %x : i32, !llvm.ptr
    llvm.return
  }
}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @main() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.launch_user @asm grid @once[] config {} arguments [unit] updates(%0 : !b)
  wrapper.return %0 : !b
}

// Types in attributes that LLVM does not have.
// STEP: 'llvm.getelementptr' op has the type 'f8E4M3FN', which LLVM does not have here
// INDEX: 'llvm.getelementptr' op has the type 'index', which LLVM does not have here
// BYVAL: 'llvm.func' op has the type 'f8E4M3FN', which LLVM does not have here

//--- step.mlir
!b = !wrapper.buffer<[6], f32, #wrapper.device<"cpu">>
wrapper.kernel @step() attributes {entry = "step", parameters = [#wrapper.param<"x", update, f32>]} {
  llvm.func @step(%x: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
    %to = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f8E4M3FN
    %v = llvm.load %to : !llvm.ptr -> f32
    llvm.store %v, %to : f32, !llvm.ptr
    llvm.return
  }
}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @main() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.launch_user @step grid @once[] config {} arguments [unit] updates(%0 : !b)
  wrapper.return %0 : !b
}

//--- device-step.mlir
!b = !wrapper.buffer<[6], f32, #wrapper.device<"cuda">>
wrapper.kernel @step() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 1, 1, 1>,
    parameters = [#wrapper.param<"x", update, f32>]} {
  gpu.module @step {
    gpu.func @step(%x: !llvm.ptr<1>) kernel {
      %i = llvm.mlir.constant(1 : i64) : i64
      %to = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f8E4M3FN
      %v = llvm.load %to : !llvm.ptr<1> -> f32
      llvm.store %v, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @main() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.launch_user @step grid @once[] config {num_warps = 1 : i64} arguments [unit] updates(%0 : !b)
  wrapper.return %0 : !b
}

//--- byval.mlir
!b = !wrapper.buffer<[6], f32, #wrapper.device<"cuda">>
wrapper.kernel @step() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 1, 1, 1>,
    parameters = [#wrapper.param<"x", update, f32>]} {
  gpu.module @step {
    llvm.func @other(!llvm.ptr {llvm.byval = f8E4M3FN})
    gpu.func @step(%x: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %v, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @main() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.fill %0 bytes 0 : !b
  wrapper.launch_user @step grid @once[] config {num_warps = 1 : i64} arguments [unit] updates(%0 : !b)
  wrapper.return %0 : !b
}
