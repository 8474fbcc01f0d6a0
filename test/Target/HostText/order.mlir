// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PY
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-translate --wrapper-to-cpp %s | FileCheck %s --check-prefix=CPP

// B25, F16: a communication buffer in every language; streams in the words of the device.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!c = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// PY: cuda_stream0 = torch.cuda.Stream(0)
// PY: def streams(args):
// PY: event0 = torch.cuda.current_stream(0).record_event()
// PY-NEXT: with torch.cuda.stream(cuda_stream0):
// PY-NEXT:   torch.cuda.current_stream(0).wait_event(event0)
// PY-NEXT:   buf0.copy_(arg0)
// PY-NEXT: with torch.cuda.stream(cuda_stream0):
// PY-NEXT:   event1 = torch.cuda.current_stream(0).record_event()
// PY-NEXT: torch.cuda.current_stream(0).wait_event(event1)

// FX: cuda_stream0 = torch.cuda.Stream(0)
// FX: def build_streams():
// FX: event0 = g.act(fx.make, lambda: torch.cuda.current_stream(0).record_event())
// FX-NEXT: g.act(fx.enter, lambda: torch.cuda.stream(cuda_stream0))
// FX-NEXT: g.act(fx.apply, lambda event: torch.cuda.current_stream(0).wait_event(event), event0)
// FX-NEXT: aten.copy_
// FX-NEXT: g.check(fx.leave)

// CPP-LABEL: int32_t program_streams_body({{.*}}) {{[{]$}}
// CPP: void *event0 = nullptr;
// CPP-NEXT: COIL_TRY(coil_rt_record_event_cuda(run, &event0));
// CPP-NEXT: COIL_TRY(coil_rt_enter_stream_cuda(run, 1));
// CPP-NEXT: COIL_TRY(coil_rt_wait_event_cuda(run, event0));
// CPP-NEXT: COIL_TRY(coil_rt_copy_cuda(
// CPP-NEXT: COIL_TRY(coil_rt_leave_stream_cuda(run));
// CPP-NEXT: void *event1 = nullptr;
// CPP-NEXT: COIL_TRY(coil_rt_enter_stream_cuda(run, 1));
// CPP-NEXT: COIL_TRY(coil_rt_record_event_cuda(run, &event1));
// CPP-NEXT: COIL_TRY(coil_rt_leave_stream_cuda(run));
// CPP-NEXT: COIL_TRY(coil_rt_wait_event_cuda(run, event1));
wrapper.func @streams(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  %e = wrapper.record_event #wrapper.device<"cuda">
  wrapper.stream #wrapper.device<"cuda"> 1 {
    wrapper.wait_event %e
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  %f = wrapper.record_event #wrapper.device<"cuda"> stream 1
  wrapper.wait_event %f uses(%x, %y : !b, !b)
  wrapper.return %y : !b
}

// PY: def collectives(args):
// PY: buf0 = host.comm_empty_strided("0", "symmetric", (4,), (1,), dtype=torch.float32, device="cpu")
// PY-NEXT: buf0.copy_(arg0)
// PY-NEXT: # [coil.all_reduce:0] {{.*}}order.mlir:
// PY-NEXT: host.call("coil::all_reduce", "tss", (buf0, "0", "sum"), where="{{.*}}", outs=(buf0,))
// PY: # [coil.wait:1] {{.*}}order.mlir:
// PY-NEXT: host.call("coil::wait", "t", (buf0,), where="{{.*}}", outs=(buf0,))
// PY: del buf0

// FX: def build_collectives():
// FX: buf0 = g.call(host.comm_empty_strided, "0", "symmetric", (4,), (1,), dtype=torch.float32, device="cpu", val=
// FX: g.check(host.call, "coil::all_reduce", "tss", (buf0, "0", "sum"), where="{{.*}}", outs=(buf0,), at=(
// FX: g.check(host.call, "coil::wait", "t", (buf0,), where="{{.*}}", outs=(buf0,), at=(

// CPP-LABEL: int32_t program_collectives({{.*}}) {{[{]$}}
// CPP: void *memory0 = nullptr;
// CPP-NEXT: COIL_TRY(coil_rt_comm_alloc(run, "0", 1, 16, &memory0));
// CPP-NEXT: coil::Buffer<coil_rt_comm_free> buf0;
// CPP-NEXT: buf0 = coil::Buffer<coil_rt_comm_free>(run, memory0);
// CPP: "coil::all_reduce"
// CPP: COIL_TRY(coil_rt_call(run, &call0, 3, call0_arguments, 1, call0_outputs, 0, nullptr));
// CPP: "coil::wait"
// CPP: COIL_TRY(buf0.free());
wrapper.func @collectives(%x: !c) -> !c {
  %0 = wrapper.comm_alloc symmetric group "0" : !c
  wrapper.copy %x to %0 : !c
  %t = wrapper.collective all_reduce sum %0 to %0 group "0" : !c to !c
  wrapper.wait %t of %0 to %0 : !c to !c
  %y = wrapper.alloc : !c
  wrapper.copy %0 to %y : !c
  wrapper.comm_free %0 : !c
  wrapper.return %y : !c
}
