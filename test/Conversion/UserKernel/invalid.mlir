// RUN: coil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wrapper.kernel(wrapper-lower-user-kernel,wrapper-lower-user-kernel{chip=sm_80+sm_90}))'

// expected-error@+1 {{device 'other' is not registered}}
wrapper.kernel @wrapper_lower_user_kernel_c1() attributes {device = #wrapper.device<"other">, parameters = [], ptx = ""} {}

// -----

// expected-error@+1 {{is code for a GPU, but device 'cpu' runs functions on the CPU of the host}}
wrapper.kernel @wrapper_lower_user_kernel_c2_host() attributes {parameters = [], ptx = ""} {}

// -----

// expected-error@+1 {{is code for the CPU of the host, but device 'cuda' runs PTX or a 'gpu.module'}}
wrapper.kernel @wrapper_lower_user_kernel_c2_gpu() attributes {device = #wrapper.device<"cuda">, parameters = []} {
  llvm.func @wrapper_lower_user_kernel_c2_gpu()
}

// -----

// expected-error@+1 {{its function 'wrapper_lower_user_kernel_c3' is no 'func.func' or 'llvm.func' with a body}}
wrapper.kernel @wrapper_lower_user_kernel_c3() attributes {parameters = []} {
  llvm.func @wrapper_lower_user_kernel_c3(i64, i64, i64)
}

// -----

// expected-error@+1 {{the text is no PTX: it has no line '.version' and no line '.target sm_...'}}
wrapper.kernel @wrapper_lower_user_kernel_c3_text() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = "int main() {}"} {}

// -----

// expected-error@+1 {{the PTX has no entry 'wrapper_lower_user_kernel_c3_entry', it has 'a', 'b'}}
wrapper.kernel @wrapper_lower_user_kernel_c3_entry() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80\n.entry a() { ret; }\n// .entry wrapper_lower_user_kernel_c3_entry\n.visible .entry b { ret; }"} {}

// -----

// expected-error@+1 {{the parameters of the entry 'wrapper_lower_user_kernel_c3_parameters' do not end}}
wrapper.kernel @wrapper_lower_user_kernel_c3_parameters() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80\n.entry wrapper_lower_user_kernel_c3_parameters(.param .u64 x { ret; }"} {}

// -----

// expected-error@+1 {{the entry 'wrapper_lower_user_kernel_c3_unreadable' has a parameter that cannot be read: '.u64 x'}}
wrapper.kernel @wrapper_lower_user_kernel_c3_unreadable() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80\n.entry wrapper_lower_user_kernel_c3_unreadable(.u64 x) { ret; }"} {}

// -----

// expected-error@+1 {{the PTX is not for addresses of 64 bits}}
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80\n.address_size 32\n.entry k() { ret; }"} {}

// -----

// expected-error@+1 {{the 'gpu.module' has no function 'run' with a body}}
wrapper.kernel @wrapper_lower_user_kernel_c3_module() attributes {device = #wrapper.device<"cuda">, entry = "run", parameters = [], threads = array<i64: 32, 1, 1>} {
  gpu.module @code {}
}

// -----

// expected-error@+1 {{the function 'run' is not marked as a kernel}}
wrapper.kernel @wrapper_lower_user_kernel_c3_mark() attributes {device = #wrapper.device<"cuda">, entry = "run", parameters = [], threads = array<i64: 32, 1, 1>} {
  gpu.module @code {
    gpu.func @run() {
      gpu.return
    }
  }
}

// -----

// expected-error@+1 {{its function 'wrapper_lower_user_kernel_c4' takes 3 arguments but 1 are passed ('x') and the number of a block along x, y and z}}
wrapper.kernel @wrapper_lower_user_kernel_c4() attributes {parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"B", constexpr>]} {
  llvm.func @wrapper_lower_user_kernel_c4(%i: i64, %j: i64, %k: i64) {
    llvm.return
  }
}

// -----

// expected-error@+1 {{argument 0 of its function 'wrapper_lower_user_kernel_c4_type' has type 'i64' but 'x' is an address, !llvm.ptr}}
wrapper.kernel @wrapper_lower_user_kernel_c4_type() attributes {parameters = [#wrapper.param<"x", read, f32>]} {
  llvm.func @wrapper_lower_user_kernel_c4_type(%x: i64, %i: i64, %j: i64, %k: i64) {
    llvm.return
  }
}

// -----

// expected-error@+1 {{argument 1 of its function 'wrapper_lower_user_kernel_c4_number' has type 'i32' but numbers of blocks are i64}}
wrapper.kernel @wrapper_lower_user_kernel_c4_number() attributes {parameters = [#wrapper.param<"n", value, f32>]} {
  llvm.func @wrapper_lower_user_kernel_c4_number(%n: f32, %i: i32, %j: i64, %k: i64) {
    llvm.return
  }
}

// -----

// expected-error@+1 {{its function 'wrapper_lower_user_kernel_c4_result' returns something}}
wrapper.kernel @wrapper_lower_user_kernel_c4_result() attributes {parameters = []} {
  func.func @wrapper_lower_user_kernel_c4_result(%i: i64, %j: i64, %k: i64) -> i64 {
    return %i : i64
  }
}

// -----

// expected-error@+1 {{the entry 'wrapper_lower_user_kernel_c4_count' takes 2 arguments but 1 are passed ('x')}}
wrapper.kernel @wrapper_lower_user_kernel_c4_count() attributes {device = #wrapper.device<"cuda">, parameters = [#wrapper.param<"x", read, f32>], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80\n.entry wrapper_lower_user_kernel_c4_count(.param .u64 x, .param .u32 n) { ret; }"} {}

// -----

// expected-error@+1 {{argument 1 of the entry 'wrapper_lower_user_kernel_c4_bytes' has 8 bytes but 'n' has 4}}
wrapper.kernel @wrapper_lower_user_kernel_c4_bytes() attributes {device = #wrapper.device<"cuda">, parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"n", value, i32>], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80\n.entry wrapper_lower_user_kernel_c4_bytes(.param .align 8 .b8 x[8], .param .s64 n) { ret; }"} {}

// -----

// expected-error@+1 {{the PTX is for chip 'sm_90' and does not run on 'sm_80'}}
wrapper.kernel @wrapper_lower_user_kernel_c5() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_90\n.entry wrapper_lower_user_kernel_c5() { ret; }"} {}

// -----

// expected-error@+1 {{the PTX is for chip 'sm_80a' and does not run on 'sm_80'}}
wrapper.kernel @wrapper_lower_user_kernel_c5_a() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    ptx = ".version 8.1\n.target sm_80a\n.entry wrapper_lower_user_kernel_c5_a() { ret; }"} {}

// -----

// expected-error@+1 {{its file 'code.ptx' was not read, which 'wrapper-load-kernels' does}}
wrapper.kernel @wrapper_lower_user_kernel_c3_file() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    wrapper.ptx_file = "code.ptx"} {}

// -----

// expected-error@+1 {{does not say of how many 'threads' a block is}}
wrapper.kernel @wrapper_lower_user_kernel_c6() attributes {device = #wrapper.device<"cuda">, parameters = [],
    ptx = ".version 8.1\n.target sm_80\n.entry wrapper_lower_user_kernel_c6() { ret; }"} {}

// -----

// expected-error@+1 {{a block of [32, 1, 1] threads with 2147483648 bytes of shared memory is impossible}}
wrapper.kernel @too_much_shared() attributes {device = #wrapper.device<"cuda">, parameters = [], threads = array<i64: 32, 1, 1>,
    shared = 2147483648 : i64, ptx = ".version 8.1\n.target sm_80\n.entry too_much_shared() { ret; }"} {}

// -----

// The text is in a file that another pass reads.
// expected-error@+1 {{its function 'wrapper_lower_user_kernel_c3_absent' is no 'func.func' or 'llvm.func' with a body}}
wrapper.kernel @wrapper_lower_user_kernel_c3_absent() attributes {parameters = [], threads = array<i64: 32, 1, 1>,
    wrapper.ptx_file = "code.ptx"} {}
