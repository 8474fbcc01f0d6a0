// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PY
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-opt %s --coil-kernel-pipeline=target=cuda:sm_90 | coil-translate --wrapper-to-cpp | FileCheck %s --check-prefix=CPP

// Memory that the host cannot access is filled by the runtime.
// PY:  host.fill(buf0, 255, function="coil_rt_fill_cuda", device=cuda_device0)
// PY:  host.fill(buf1, 0)
// FX:  g.check(host.fill, buf0, 255, function="coil_rt_fill_cuda", device=cuda_device0)
// FX:  g.check(host.fill, buf1, 0)
// CPP: COIL_TRY(coil_rt_fill_cuda(run, buf0.get(), 255, 32));
// CPP: coil::fill(buf1.get(), 0, 32);
wrapper.func @main() -> (!wrapper.buffer<[8], f32, #wrapper.device<"cuda">>, !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>) {
  %0 = wrapper.alloc : !wrapper.buffer<[8], f32, #wrapper.device<"cuda">>
  wrapper.fill %0 bytes 255 : !wrapper.buffer<[8], f32, #wrapper.device<"cuda">>
  %1 = wrapper.alloc : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
  wrapper.fill %1 bytes 0 : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
  wrapper.return %0, %1 : !wrapper.buffer<[8], f32, #wrapper.device<"cuda">>, !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
}
