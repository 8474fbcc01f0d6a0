// RUN: not coil-interpret %s --function=unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not coil-interpret %s --function=counts 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: not coil-interpret %s --function=sizes 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not coil-interpret %s --function=types 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: coil-interpret %s --function=numbers | FileCheck %s --check-prefix=NUMBERS

!b = !wrapper.buffer<[4], f64, #wrapper.device<"cpu">>
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]

// UNKNOWN: error: kernel 'ptx' is a user's, and has no reference function that says what it computes
wrapper.kernel @ptx() attributes {ptx = "", parameters = []} {}
wrapper.func @unknown() {
  wrapper.launch_user @ptx grid @once[] config {} arguments []
  wrapper.return
}

// COUNTS: error: the reference of kernel 'takes_one' takes 1 tensors and gives 1 but the launch has 0 and 1
wrapper.kernel @takes_one() attributes {ptx = "", reference = @means, parameters = [#wrapper.param<"y", write, f64>]} {
  func.func @means(%x: tensor<4xf64>) -> tensor<4xf64> {
    return %x : tensor<4xf64>
  }
}
wrapper.func @counts() {
  %0 = wrapper.alloc : !b
  wrapper.launch_user @takes_one grid @once[] config {} arguments [unit] outs(%0 : !b)
  wrapper.return
}

// SIZES: error: the reference of kernel 'other' gives a tensor of other sizes than a buffer that the kernel writes
wrapper.kernel @other() attributes {ptx = "", reference = @means, parameters = [#wrapper.param<"y", write, f64>]} {
  func.func @means() -> tensor<3xf64> {
    %0 = graph.full 1.0 : f64 -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
}
wrapper.func @sizes() {
  %0 = wrapper.alloc : !b
  wrapper.launch_user @other grid @once[] config {} arguments [unit] outs(%0 : !b)
  wrapper.return
}

// TYPES: error: the reference of kernel 'narrow' gives a tensor of other elements than a buffer that the kernel writes, which has 'f64'
wrapper.kernel @narrow() attributes {ptx = "", reference = @means, parameters = [#wrapper.param<"y", write, f64>]} {
  func.func @means() -> tensor<4xf32> {
    %0 = graph.full 1.0 : f32 -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
wrapper.func @types() {
  %0 = wrapper.alloc : !b
  wrapper.launch_user @narrow grid @once[] config {} arguments [unit] outs(%0 : !b)
  wrapper.return
}

// Numbers are those of the parameters' types: integers wrap, floats round.
// NUMBERS: [-1, 0.1, 2.5, 3] : 4xf64
wrapper.kernel @list() attributes {ptx = "", reference = @means, parameters = [
    #wrapper.param<"a", value, i32>, #wrapper.param<"b", value, f64>, #wrapper.param<"c", value, f32>,
    #wrapper.param<"d", value, i64>, #wrapper.param<"y", write, f64>]} {
  func.func @means(%a: tensor<i32>, %b: tensor<f64>, %c: tensor<f32>, %d: tensor<i64>) -> tensor<4xf64> {
    %0 = graph.convert %a : (tensor<i32>) -> tensor<f64>
    %1 = graph.convert %c : (tensor<f32>) -> tensor<f64>
    %2 = graph.convert %d : (tensor<i64>) -> tensor<f64>
    %3 = graph.broadcast %0 : (tensor<f64>) -> tensor<1xf64>
    %4 = graph.broadcast %b : (tensor<f64>) -> tensor<1xf64>
    %5 = graph.broadcast %1 : (tensor<f64>) -> tensor<1xf64>
    %6 = graph.broadcast %2 : (tensor<f64>) -> tensor<1xf64>
    %7 = graph.cat %3, %4, %5, %6 dim 0 : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<4xf64>
    return %7 : tensor<4xf64>
  }
}
wrapper.func @numbers() -> !b {
  %0 = wrapper.alloc : !b
  %c = arith.constant 2.5 : f64
  wrapper.launch_user @list grid @once[] config {} arguments [#sym.expr<4294967295>, 0.1 : f64, unit, #sym.expr<3>, unit]
      outs(%0 : !b) scalars(%c : f64)
  wrapper.return %0 : !b
}
