// RUN: coil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wrapper.kernel(wrapper-lower-user-kernel,wrapper-lower-user-kernel{chip=sm_90}))' | FileCheck %s

// CHECK-LABEL: wrapper.kernel @text
// CHECK-SAME:    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [32, 1, 1]
wrapper.kernel @text() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"n", value, i32>],
    ptx = ".version 8.0\n.target sm_90\n.entry text(.param .align 64 .b8 x[128], .param .u32 n) { ret; }"} {}

// -----

// CHECK-LABEL: wrapper.kernel @module
// CHECK-SAME:    geometry = #wrapper.geometry<
wrapper.kernel @module() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {
  gpu.module @code {
    llvm.func @module(%x: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 128 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

// expected-error@+1 {{parameter 'x' takes a tensor map, which device 'cpu' does not have}}
wrapper.kernel @wrapper_lower_user_kernel_c7() attributes {parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {
  llvm.func @wrapper_lower_user_kernel_c7(%x: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
    llvm.return
  }
}

// -----

// expected-error@+1 {{argument 0 of the entry 'wrapper_lower_user_kernel_c8_address' has 8 bytes but 'x' has 128}}
wrapper.kernel @wrapper_lower_user_kernel_c8_address() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.entry wrapper_lower_user_kernel_c8_address(.param .u64 .ptr .global .align 64 x) { ret; }"} {}

// -----

// expected-error@+1 {{argument 0 of the entry 'wrapper_lower_user_kernel_c8_align' is the tensor map 'x', which needs '.align 64'}}
wrapper.kernel @wrapper_lower_user_kernel_c8_align() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.entry wrapper_lower_user_kernel_c8_align(.param .align 32 .b8 x[128]) { ret; }"} {}

// -----

// expected-error@+1 {{the entry 'k' has a parameter that cannot be read: '.param .align no .b8 x[128]'}}
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.entry k(.param .align no .b8 x[128]) { ret; }"} {}

// -----

// expected-error@+1 {{argument 0 of its function 'wrapper_lower_user_kernel_c8' is the tensor map 'x', which an 'llvm.func' takes with {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64, nvvm.grid_constant}}}
wrapper.kernel @wrapper_lower_user_kernel_c8() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {
  gpu.module @code {
    llvm.func @wrapper_lower_user_kernel_c8(%x: !llvm.ptr {llvm.byval = !llvm.array<64 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

// An address is none.
// expected-error@+1 {{argument 0 of its function 'wrapper_lower_user_kernel_c8_pointer' is the tensor map 'x'}}
wrapper.kernel @wrapper_lower_user_kernel_c8_pointer() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {
  gpu.module @code {
    llvm.func @wrapper_lower_user_kernel_c8_pointer(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

// Units of a chip read it at multiples of 64 bytes,
// expected-error@+1 {{argument 0 of its function 'wrapper_lower_user_kernel_c8_function_align' is the tensor map 'x', which an 'llvm.func' takes with {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64, nvvm.grid_constant}}}
wrapper.kernel @wrapper_lower_user_kernel_c8_function_align() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {
  gpu.module @code {
    llvm.func @wrapper_lower_user_kernel_c8_function_align(%x: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 32 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

// and where it was passed, not in a copy that the function may change.
// expected-error@+1 {{argument 0 of its function 'wrapper_lower_user_kernel_c8_changed' is the tensor map 'x', which an 'llvm.func' takes with {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64, nvvm.grid_constant}}}
wrapper.kernel @wrapper_lower_user_kernel_c8_changed() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>]} {
  gpu.module @code {
    llvm.func @wrapper_lower_user_kernel_c8_changed(%x: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}) attributes {nvvm.kernel} {
      llvm.return
    }
  }
}
