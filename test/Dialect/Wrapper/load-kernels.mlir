// RUN: coil-opt %s --wrapper-load-kernels=folder=%S | FileCheck %s
// wrapper_load_kernels_c1: the file can be read.
// RUN: not coil-opt %s --wrapper-load-kernels=folder=%t 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %if cuda-sim %{ %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --expected-output=1xf32=7 %}
// RUN: sed 's/seven.ptx/none.ptx/' %s > %t.mlir
// RUN: not coil-run %t.mlir --target=cuda:sm_90 2>&1 | FileCheck %s --check-prefix=MISSING
// What only the driver rejects is its kernel's error.
// RUN: rm -rf %t.bad && mkdir -p %t.bad/Inputs && cp %s %t.bad/bad.mlir
// RUN: sed 's/st.global.f32/nonsense/' %S/Inputs/seven.ptx > %t.bad/Inputs/seven.ptx
// RUN: %if cuda-sim %{ not %cuda_sim coil-run %t.bad/bad.mlir --target=cuda:sm_90 --library=none 2>&1 | FileCheck %s --check-prefix=BAD %}
// MISSING: 'wrapper.kernel' op cannot open input file '{{.*}}.ptx': No such file or directory
// BAD: kernel 'seven'{{.*}}nonsense

// CHECK-LABEL: wrapper.kernel @seven() attributes {
// CHECK-SAME:    ptx = ".version 8.1\0A.target sm_80\0A
// CHECK-NOT:     wrapper.ptx_file
wrapper.kernel @seven() attributes {wrapper.ptx_file = "Inputs/seven.ptx", device = #wrapper.device<"cuda">,
    threads = array<i64: 1, 1, 1>, parameters = [#wrapper.param<"y", write, f32>]} {}

wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]

wrapper.func @main() -> !wrapper.buffer<[1], f32, #wrapper.device<"cuda">> {
  %0 = wrapper.alloc : !wrapper.buffer<[1], f32, #wrapper.device<"cuda">>
  wrapper.launch_user @seven grid @once[] config {} arguments [unit] outs(%0 : !wrapper.buffer<[1], f32, #wrapper.device<"cuda">>)
  wrapper.return %0 : !wrapper.buffer<[1], f32, #wrapper.device<"cuda">>
}
