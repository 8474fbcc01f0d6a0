// RUN: coil-opt %s --convert-wrapper-to-llvm | FileCheck %s
// RUN: coil-translate %s --wrapper-to-cpp | FileCheck %s --check-prefix=CPP
// RUN: coil-translate %s --wrapper-to-python | FileCheck %s --check-prefix=PYTHON
// RUN: coil-translate %s --wrapper-to-fx | FileCheck %s --check-prefix=FX

// What is on the second GPU happens while it is selected; a copy names both.
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!p = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>

// All of a private function is on the second: it is called with that one selected.
// CHECK-LABEL: llvm.func @coil_there
// CHECK-NOT: coil_rt_select_device
// CHECK: llvm.return
wrapper.func private @there(%x: !p) -> !p {
  %0 = wrapper.alloc : !p
  wrapper.copy %x to %0 : !p
  wrapper.return %0 : !p
}

// CHECK-LABEL: llvm.func @coil_peers
// CHECK-SAME: coil.input_attrs = [{coil.device_index = 1 : i32, coil.device_type = 1 : i32, coil.name = "x"}]
// CHECK: llvm.call @coil_rt_select_device(%[[R:[^,]+]], %{{[^,]+}}, %{{[^,]+}}) :
// CHECK: llvm.call @coil_rt_input_cuda
// CHECK: llvm.call @coil_rt_select_device(%[[R]], %{{[^,]+}}, %{{[^,]+}}) :
// CHECK: llvm.call @coil_rt_select_device
// CHECK: llvm.call @coil_there
// CHECK: llvm.call @coil_rt_select_device
// CHECK-NOT: coil_rt_select_device
// CHECK: llvm.call @coil_rt_alloc_cuda
// CHECK-NOT: coil_rt_select_device
// CHECK: llvm.call @coil_rt_transfer
// CHECK: llvm.call @coil_rt_select_device
// CHECK: llvm.call @coil_rt_free_cuda
// CHECK: llvm.call @coil_rt_select_device
// CHECK: llvm.call @coil_rt_set_output
// CPP: COIL_TRY(coil_rt_select_device(run, 1, 1));
// CPP-NEXT: COIL_TRY(coil_rt_input_cuda(
// CPP-NEXT: COIL_TRY(coil_rt_select_device(run, 1, 0));
// CPP: COIL_TRY(coil_rt_select_device(run, 1, 1));
// CPP: there(
// CPP: COIL_TRY(coil_rt_select_device(run, 1, 0));
// CPP: transfer0_from = {{{.*}}, 1, 1}, transfer0_to = {{{.*}}, 1, 0};
// CPP: COIL_TRY(coil_rt_transfer(run, &transfer0_to, &transfer0_from, 0));
// PYTHON: host.check_input(x, "x", torch.float32, 1, "cuda:1")
// PYTHON: buf{{[0-9]}} = empty_strided((4,), (1,), dtype=torch.float32, device="cuda:0")
// PYTHON-NEXT: buf{{[0-9]}}.copy_(buf
// FX: g.call(aten.copy_.default,
wrapper.func @peers(%x: !p {coil.name = "x"}) -> !g {
  %1 = wrapper.invoke @there(%x) : (!p) -> !p
  %0 = wrapper.alloc : !g
  wrapper.transfer %1 to %0 : !p to !g
  wrapper.free %1 : !p
  wrapper.return %0 : !g
}
