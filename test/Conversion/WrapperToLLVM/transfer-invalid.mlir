// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file --verify-diagnostics
// RUN: not coil-translate %s --wrapper-to-cpp --split-input-file 2>&1 | FileCheck %s --check-prefix=CPP
// RUN: coil-translate %s --wrapper-to-python --split-input-file | FileCheck %s --check-prefix=PYTHON
// RUN: coil-translate %s --wrapper-to-fx --split-input-file | FileCheck %s --check-prefix=FX

// A run is bound to one GPU; Python and FX graphs are bound to none.
// CPP: 'peers' works on #wrapper.device<"cuda"> and #wrapper.device<"cuda", 1>, but a run is bound to one device of a kind
// PYTHON: host.check_input(x, "x", torch.float32, 1, "cuda:1")
// PYTHON: buf0 = empty_strided((4,), (1,), dtype=torch.float32, device="cuda:0")
// PYTHON-NEXT: buf0.copy_(x)
// FX: g.call(aten.copy_.default, buf0, x)
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!p = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>
// expected-note @below {{the other one is here}}
wrapper.func @peers(%x: !p {coil.name = "x"}) -> !g {
  // expected-error @below {{'peers' works on #wrapper.device<"cuda"> and #wrapper.device<"cuda", 1>, but a run is bound to one device of a kind; programs in Python and FX graphs are not}}
  %0 = wrapper.alloc : !g
  wrapper.transfer %x to %0 : !p to !g
  wrapper.return %0 : !g
}
