// RUN: coil-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error@+1 {{expected a name of the parameter}}
"test.op"() {param_c1 = #wrapper.param<"", constexpr>} : () -> ()

// -----

// expected-error@+1 {{parameter 'x' of kind 'read' cannot have no type}}
"test.op"() {param_c2 = #wrapper.param<"x", read>} : () -> ()

// -----

// expected-error@+1 {{parameter 'n' of kind 'value' cannot have the type 'i8'}}
"test.op"() {param_c2_value = #wrapper.param<"n", value, i8>} : () -> ()

// -----

// expected-error@+1 {{parameter 'B' of kind 'constexpr' cannot have the type 'i64'}}
"test.op"() {param_c2_constexpr = #wrapper.param<"B", constexpr, i64>} : () -> ()

// -----

// expected-error@+1 {{expected three sizes over symbols but got #sym.shape<[n, 1]>}}
"test.op"() {grid_case_c1 = #wrapper.grid_case<{}, <[n, 1]>>} : () -> ()

// -----

// expected-error@+1 {{keyword 'BLOCK' has a value that is no integer, bool or string}}
"test.op"() {grid_case_c2 = #wrapper.grid_case<{BLOCK = 1.0 : f32}, <[n, 1, 1]>>} : () -> ()

// -----

// expected-error@+1 {{expected a case}}
wrapper.grid @grid_c1[] cases []

// -----

// expected-error@+1 {{has two grids for {BLOCK = 2 : i64}}}
wrapper.grid @grid_c2[] cases [
  #wrapper.grid_case<{BLOCK = 2 : i64}, <[1, 1, 1]>>, #wrapper.grid_case<{BLOCK = 2 : i64}, <[2, 1, 1]>>]

// -----

// expected-error@+1 {{mentions symbol 'm', which it does not list}}
wrapper.grid @grid_c3["n"] cases [#wrapper.grid_case<{}, <[m, 1, 1]>>]

// -----

wrapper.kernel @kernel_c8() attributes {parameters = []} {
  // expected-error@+1 {{expected a symbol in the body of a user's kernel}}
  %0 = arith.constant 1 : i64
}

// -----

// expected-error@+1 {{has two parameters 'x'}}
wrapper.kernel @kernel_c8_twice() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"x", constexpr>]} {}

// -----

// expected-error@+1 {{a user's kernel has no arguments, strides, symbols, pairs, alignment or batch}}
wrapper.kernel @kernel_c8_symbols() attributes {ptx = "", parameters = [], symbols = ["s0"]} {}

// -----

// expected-error@+1 {{expected one text 'ptx', 'gpu.module' or function 'run' but there are 0}}
wrapper.kernel @kernel_c9() attributes {entry = "run", parameters = []} {}

// -----

// expected-error@+1 {{expected one text 'ptx', 'gpu.module' or function 'kernel_c9_both' but there are 2}}
wrapper.kernel @kernel_c9_both() attributes {ptx = "", parameters = []} {
  llvm.func @kernel_c9_both()
}

// -----

// expected-error@+1 {{'wrapper.ptx_file' names no file}}
wrapper.kernel @kernel_c9_file() attributes {wrapper.ptx_file = 1, parameters = []} {}

// -----

// expected-error@+1 {{a block of [1024, 2, 1] threads is impossible}}
wrapper.kernel @kernel_c10() attributes {ptx = "", parameters = [], threads = array<i64: 1024, 2, 1>} {}

// -----

// expected-error@+1 {{cannot have -1 bytes of shared memory}}
wrapper.kernel @kernel_c10_shared() attributes {ptx = "", parameters = [], shared = -1} {}

// -----

// expected-error@+1 {{reference 'means' is no function in the body}}
wrapper.kernel @kernel_c11() attributes {ptx = "", parameters = [], reference = @means} {}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @user() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>]} {}
wrapper.func @launch_of_user(%x: !b) {
  // expected-error@+1 {{'user' is a user's kernel, which 'wrapper.launch_user' launches}}
  wrapper.launch @user[] ins(%x : !b)
  wrapper.return
}

// -----

wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @launch_user_c1() {
  // expected-error@+1 {{'nothing' is not a kernel with parameters}}
  wrapper.launch_user @nothing grid @g[] config {} arguments []
  wrapper.return
}

// -----

wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>]} {}
wrapper.func @launch_user_c1_count() {
  // expected-error@+1 {{has 0 arguments but the kernel has 1 parameters}}
  wrapper.launch_user @k grid @g[] config {} arguments []
  wrapper.return
}

// -----

wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>]} {}
wrapper.func @launch_user_c2() {
  // expected-error@+1 {{parameter 'x' of kind 'read' does not take the argument "none"}}
  wrapper.launch_user @k grid @g[] config {} arguments ["none"]
  wrapper.return
}

// -----

wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"s", one, i32>]} {}
wrapper.func @launch_user_c2_one() {
  // expected-error@+1 {{parameter 's' of kind 'one' does not take the argument #sym.expr<2>}}
  wrapper.launch_user @k grid @g[] config {} arguments [#sym.expr<2>]
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>]} {}
wrapper.func @launch_user_c3(%x: !b) {
  // expected-error@+1 {{has 2 inputs but arguments for 1}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] ins(%x, %x : !b, !b)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f64, #wrapper.device<"cpu">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", read, f32>]} {}
wrapper.func @launch_user_c3_type(%x: !b) {
  // expected-error@+1 {{parameter 'x' is of type 'f32' but its operand of type}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] ins(%x : !b)
  wrapper.return
}

// -----

wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"BLOCK", constexpr>]} {}
wrapper.func @launch_user_c4() {
  // expected-error@+1 {{passes 64 : i64 for 'BLOCK', which is 128 : i64 in its configuration}}
  wrapper.launch_user @k grid @g[] config {BLOCK = 128 : i64} arguments [64 : i64]
  wrapper.return
}

// -----

wrapper.kernel @k() attributes {ptx = "", parameters = []} {}
wrapper.func @launch_user_c5() {
  // expected-error@+1 {{'k' is not a grid}}
  wrapper.launch_user @k grid @k[] config {} arguments []
  wrapper.return
}

// -----

wrapper.grid @g["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = []} {}
wrapper.func @launch_user_c5_symbols() {
  // expected-error@+1 {{gives 0 symbols to the grid 'g', which has 1}}
  wrapper.launch_user @k grid @g[] config {} arguments []
  wrapper.return
}

// -----

wrapper.grid @g[] cases [#wrapper.grid_case<{BLOCK = 128 : i64}, <[1, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = []} {}
wrapper.func @launch_user_c5_case() {
  // expected-error@+1 {{the grid 'g' has no case for the configuration {BLOCK = 64 : i64}}}
  wrapper.launch_user @k grid @g[] config {BLOCK = 64 : i64} arguments []
  wrapper.return
}

// -----

wrapper.grid @g["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = []} {}
wrapper.func @launch_user_c6() {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  wrapper.launch_user @k grid @g[d0] config {} arguments []
  wrapper.return
}

// -----

// What the grid of a launch mentions was bound before (F44).
wrapper.grid @g["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = []} {}
wrapper.func @unbound() {
  // expected-error@+1 {{mentions symbol 's0', which nothing has bound before}}
  wrapper.launch_user @k grid @g[s0] config {} arguments []
  wrapper.return
}
