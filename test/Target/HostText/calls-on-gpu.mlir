// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PY
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX

// Calls of functions that get memory of a GPU: both say on which, what it is called, and how
// results of the function are taken over from the runtime.

!a = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>

// PY:      host.require_functions({"test::scale": "{{.*}}calls-on-gpu.mlir:[[#]]"}, 1)
// FX:      host.require_functions({"test::scale": "{{.*}}calls-on-gpu.mlir:[[#]]"}, 1)
// PY-LABEL: def main(args):
// FX-LABEL: def build_main():
wrapper.func @main(%x: !a {coil.name = "x"}, %y: !b {coil.name = "y"}) -> (!a, !b) {
  // PY: buf0, = host.call("test::scale", "tfn", (x, 2.0, None), {{.*}}results=((torch.float32, 1),), device=cuda_device0, kind=1, place=("cuda:0", "coil_rt_copy_cuda", "coil_rt_free_cuda"))
  // FX: result0 = g.call(host.call, "test::scale", "tfn", (x, 2.0, None), {{.*}}device=cuda_device0, kind=1, place=("cuda:0", "coil_rt_copy_cuda", "coil_rt_free_cuda"), results=((torch.float32, 1),), val=(program.fake((4,), (1,), torch.float32, "cuda:0"),), at=("test::scale:0", "{{.*}}"))
  // FX-NEXT: buf0 = g.get(result0, 0)
  %0 = wrapper.extern_call "test::scale"(%x, 2.0, none) : (!a) -> !a
  %1 = wrapper.alloc : !b
  // PY: host.call("test::scale", {{.*}}outs=(buf1,), device=cuda_device1, kind=1)
  // FX: g.check(host.call, "test::scale", {{.*}}device=cuda_device1, kind=1, outs=(buf1,), at=(
  wrapper.extern_call_out "test::scale"(%y, 3.0, none) outs(%1 : !b) : !b
  wrapper.return %0, %1 : !a, !b
}
