// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PY
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-opt %s --coil-kernel-pipeline=target=cuda:sm_90 | coil-translate --wrapper-to-cpp | FileCheck %s --check-prefix=CPP

// What devices are called, and how runs are bound to them, is their registration's
// to say (F32, B34).

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!t = tensor<?xf32, #sym.shape<[s0]>>

// PY:      import torch
// PY:      cuda_device0 = host.Device(
// PY-NEXT:     0,
// PY-NEXT:     options="target=cuda",
// PY-NEXT:     bind="coil_run_set_cuda_device",
// PY-NEXT:     stream=("coil_run_set_stream", "torch.cuda.current_stream(0).cuda_stream"),
// PY-NEXT:     wait="coil_run_synchronize",
// PY-NEXT:     synchronize="torch.cuda.synchronize(0)",
// PY-NEXT: )
// PY-NEXT: kernels = host.Kernels()
// PY:      double = kernels.add("double", r'''
// PY:      ''', device=cuda_device0)
// PY:      reverse = kernels.add_user("reverse", "buffer i64 buffer f32", r'''
// PY:      ''', device=cuda_device0)

// FX:      cuda_device0 = host.Device(

// CPP:     //--- program.h
// CPP:     int32_t program_bind(coil_run *run, int32_t device, void *stream);
// CPP:     int32_t program_synchronize(coil_run *run);
// CPP:     int32_t program_check(void);
// CPP:     int32_t program_set_graphs(int32_t limit);
// CPP:     struct coil_cuda_program *program_main_program(void);
// CPP:     //--- program.cpp
// CPP:     extern "C" coil_cuda_kernel {{_?}}double{{.*}};
// CPP:     extern "C" coil_cuda_kernel reverse;

wrapper.kernel @double(%x0: !t) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "double" [s0] (%a0 = %x0) : (!t) -> !t
      schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 1, threads_p = 32, index_bits = 64> {
    %v0 = loop.load %a0[d0] : !t -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : !t
}

wrapper.kernel @reverse() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"x", read, f32>, #wrapper.param<"mode", constexpr>, #wrapper.param<"n", value, i64>,
                  #wrapper.param<"y", write, f32>, #wrapper.param<"a", value, f32>]} {
  gpu.module @code {
    gpu.func @reverse(%x: !llvm.ptr<1>, %n: i64, %y: !llvm.ptr<1>, %a: f32) kernel {
      gpu.return
    }
  }
}

wrapper.grid @blocks["n"] cases [#wrapper.grid_case<{}, <[(n + 31) floordiv 32, 1, 1]>>]

// PY-LABEL: def main(args):
// PY-NEXT:      x, n = host.unpack(args, 2)
// PY-NEXT:      host.check_input(x, "x", torch.float32, 1, "cuda:0")
// PY-NEXT:      x = host.aligned(x, 16)
// PY-NEXT:      host.check_input(n, "n", torch.float32, 0, "cuda:0")
// PY-NEXT:      n = host.aligned(n, 16)
// PY-NEXT:      with torch.cuda.device(0):
// PY-NEXT:          s0 = x.size(0)
// PY:               buf0 = empty_strided((s0,), (1,), dtype=torch.float32, device="cuda:0")
// PY-NEXT:          # [double:0]
// PY-NEXT:          double(x, buf0, s0)
// PY-NEXT:          v0 = float(host.item("coil_rt_item_cuda", n, device=cuda_device0))
// PY:               # [reverse:1]
// PY-NEXT:          reverse(((s0 + 31) // 32, 1, 1), buf0, s0, buf1, v0)
// PY-NEXT:          # [reverse:2]
// PY-NEXT:          reverse((1, 1, 1), None, s0, buf1, 0.5)
// PY-NEXT:          # [cublaslt.contraction:3]
// PY-NEXT:          host.contraction("coil_rt_contraction_cuda", {{.*}}, device=cuda_device0)
// PY:               return (buf1,)
// PY-LABEL: def synchronize():
// PY-NEXT:      cuda_device0.synchronize()
// PY:           return host.print_performance(lambda: main(list(args)), times, repeat, synchronize, profile=profile, memory_snapshot=memory_snapshot, module=globals())

// FX-LABEL: def build_main():
// FX:           g.check(host.check_input, x, "x", torch.float32, 1, "cuda:0")
// FX-NEXT:      g.check(host.check_aligned, x, "x", 16)
// FX:           g.launch(double, (x, buf0), (s0,), grid=(s0,), at=("double:0", "{{.*}}"))
// FX:           g.launch(reverse, (buf0, buf1, v0), (s0,), grid=(n3, 1, 1), places=("buffer", "number", "buffer", "scalar"), at=(
// FX:           g.launch(reverse, (buf1,), (s0,), grid=(1, 1, 1), places=(None, "number", "buffer", 0.5), at=(

// CPP-LABEL: int32_t program_main_body({{.*}}) {
// CPP:         COIL_TRY(coil_rt_launch_cuda(run, &{{_?}}double{{.*}}, coil::List<void *, 2>{{[{][{]}}x, buf0.get()}}.values, coil::List<int64_t, 1>{{[{][{]}}s0}}.values, coil::floordiv(s0 + 31, 32), 1, 1));
// CPP:         void *passed0 = buf0.get();
// CPP-NEXT:    int64_t passed1 = static_cast<int64_t>(s0);
// CPP-NEXT:    void *passed2 = buf1.get();
// CPP-NEXT:    float passed3 = static_cast<float>(v0);
// CPP-NEXT:    COIL_TRY(coil_rt_launch_user_cuda(run, &reverse, coil::List<void *, 4>{{[{][{]}}&passed0, &passed1, &passed2, &passed3}}.values, coil::floordiv(s0 + 31, 32), 1, 1));
// CPP:         void *passed4 = nullptr;
// CPP-NEXT:    int64_t passed5 = static_cast<int64_t>(s0);
// CPP-NEXT:    void *passed6 = buf1.get();
// CPP-NEXT:    float passed7 = static_cast<float>(0.5);
// What calls share: this one reads an element, so it is no graph as a whole.
// CPP-LABEL: coil_cuda_program *program_main_program(void) {
// CPP-NEXT:    static coil::Program program(false);
// CPP-NEXT:    return program.get();
// CPP-LABEL: int32_t program_main({{.*}}) {
// CPP:         return coil::call(program_main_program(), run, program_main_body, inputs, num_inputs, outputs, num_outputs);
// CPP-LABEL: int32_t program_check(void) {
// CPP-NEXT:    return COIL_OK;
// CPP-LABEL: int32_t program_bind(coil_run *run, int32_t device, void *stream) {
// CPP:         COIL_TRY(program_check());
// CPP-NEXT:    COIL_TRY(coil_run_set_cuda_device(run, device));
// CPP-NEXT:    if (stream)
// CPP-NEXT:        COIL_TRY(coil_run_set_stream(run, stream));
// CPP-LABEL: int32_t program_synchronize(coil_run *run) {
// CPP:         COIL_TRY(coil_run_synchronize(run));
// CPP-LABEL: int32_t program_set_graphs(int32_t limit) {
// CPP:         COIL_TRY(coil::setGraphs(program_main_program(), limit));
wrapper.func @main(%x: !b {coil.name = "x"}, %n: !wrapper.buffer<[], f32, #wrapper.device<"cuda">> {coil.name = "n"}) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  wrapper.launch @double[s0] ins(%x : !b) outs(%0 : !b)
  %a = wrapper.item %n : !wrapper.buffer<[], f32, #wrapper.device<"cuda">> -> f64
  %1 = wrapper.alloc : !b
  wrapper.launch_user @reverse grid @blocks[s0] config {} arguments [unit, "fast", #sym.expr<s0>, unit, unit]
      ins(%0 : !b) outs(%1 : !b) scalars(%a : f64)
  wrapper.launch_user @reverse grid @blocks[1] config {} arguments [#wrapper.null, "fast", #sym.expr<s0>, unit, 0.5 : f32]
      outs(%1 : !b)
  wrapper.contraction "cublaslt"[1, 1, s0] a(%0[0, 0, 1] : !b) b(%0[0, 0, 1] : !b) c(%1[0, 0, 0] : !b) post none
  wrapper.free %0 : !b
  wrapper.return %1 : !b
}
