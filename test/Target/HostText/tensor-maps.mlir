// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PY
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-opt %s --coil-kernel-pipeline=target=cuda:sm_90 | coil-translate --wrapper-to-cpp | FileCheck %s --check-prefix=CPP

!b = !wrapper.buffer<[s0, 64], f32, #wrapper.device<"cuda">>

// PY: k = kernels.add_user("k", "i32 tensor_map tensor_map", "wrapper.kernel @k()
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"n", value, i32>, #wrapper.param<"x", read, !wrapper.tma_descriptor>,
                  #wrapper.param<"y", write, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.entry k(.param .u32 n, .param .align 64 .b8 x[128], .param .align 64 .b8 y[128]) { ret; }"} {}
wrapper.grid @rows["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]

// PY-LABEL: def main(args):
// PY:           buf0 = empty_strided((s0, 64), (64, 1), dtype=torch.float32, device="cuda:0")
// PY-NEXT:      map0 = host.TensorMap(x, "coil_rt_tensor_map_cuda", box=(8, 32), where="{{.*}}tensor-maps.mlir:[[# @LINE + 28]]", device=cuda_device0)
// PY-NEXT:      map1 = host.TensorMap(buf0, "coil_rt_tensor_map_cuda", box=(8, 32), strides=(2, 1), swizzle="b128", promotion="b256", fill="nan", where="{{.*}}", device=cuda_device0)
// PY-NEXT:      # [k:0]
// PY-NEXT:      k((s0, 1, 1), s0, map0, map1)

// A node holds tensors, not maps: the launch makes them.
// FX-LABEL: def build_main():
// FX:           g.launch(k, (x, buf0), ({{.*}}), grid=({{.*}}, 1, 1), places=("number", host.TensorMapOf("coil_rt_tensor_map_cuda", box=(8, 32), where="{{.*}}", device=cuda_device0),
// FX-SAME:        host.TensorMapOf("coil_rt_tensor_map_cuda", box=(8, 32), strides=(2, 1), swizzle="b128", promotion="b256", fill="nan", where="{{.*}}", device=cuda_device0)), at=(

// CPP-LABEL: int32_t program_main_body({{.*}}) {
// CPP:         const coil_tensor_map tensor_map0 = {
// CPP-NEXT:        sizeof(coil_tensor_map), COIL_F32, /*rank=*/2, /*interleave=*/0, /*swizzle=*/0, /*promotion=*/0, /*fill=*/0, /*reserved=*/0,
// CPP-NEXT:        /*sizes, strides=*/{s0, 64}, {64, 1}, /*box=*/{8, 32}, {1, 1}, "{{.*}}"};
// CPP-NEXT:    const void *map0 = nullptr;
// CPP-NEXT:    COIL_TRY(coil_rt_tensor_map_cuda(run, &tensor_map0, x, &map0));
// CPP-NEXT:    const coil_tensor_map tensor_map1 = {
// CPP-NEXT:        sizeof(coil_tensor_map), COIL_F32, /*rank=*/2, /*interleave=*/0, /*swizzle=*/3, /*promotion=*/3, /*fill=*/1, /*reserved=*/0,
// CPP-NEXT:        /*sizes, strides=*/{s0, 64}, {64, 1}, /*box=*/{8, 32}, {2, 1}, "{{.*}}"};
// CPP-NEXT:    const void *map1 = nullptr;
// CPP-NEXT:    COIL_TRY(coil_rt_tensor_map_cuda(run, &tensor_map1, buf0.get(), &map1));
// CPP:         int32_t passed0 = static_cast<int32_t>(s0);
// CPP-NEXT:    COIL_TRY(coil_rt_launch_user_cuda(run, &k, coil::List<void *, 3>{{[{][{]}}&passed0, const_cast<void *>(map0), const_cast<void *>(map1)}}.values, s0, 1, 1));
wrapper.func @main(%x: !b {coil.name = "x"}) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.alloc : !b
  // In the order of the buffer's dimensions.
  %from = wrapper.tma_descriptor %x box [8, 32] : !b
  %to = wrapper.tma_descriptor %0 box [8, 32] strides [2, 1] swizzle b128 promotion b256 fill nan : !b
  wrapper.launch_user @k grid @rows[s0] config {} arguments [#sym.expr<s0>, unit, unit]
      ins(%x : !b) outs(%0 : !b) maps(%from, %to)
  wrapper.return %0 : !b
}
