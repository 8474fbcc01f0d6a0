// RUN: coil-translate --wrapper-to-python %s -o %t.py && FileCheck %s < %t.py
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: mkdir -p %t && coil-compile --emit=cpp %s -o %t/partitions.cpp && FileCheck %s --check-prefix=CPP < %t/partitions.cpp

// Partitions are functions that stand alone: each takes its symbols behind its
// buffers, and names nothing of its caller (F16, F20).

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

// CHECK-LABEL: def main(args):
// CHECK-NEXT: x, n = host.unpack(args, 2)
// CHECK:      partition0_args = [x, s0]
// CHECK-NEXT: buf0, = runner.partitions[0](partition0_args)
// CHECK-NEXT: del partition0_args
// CHECK-NEXT: u0 = int(n.item())
// CHECK:      partition1_args = [buf0, s0]
// CHECK-NEXT: del buf0
// CHECK-NEXT: buf1, = runner.partitions[1](partition1_args)
// CHECK-NEXT: del partition1_args
// CHECK-NEXT: partition0_args = [buf1, s0]
// CHECK-NEXT: buf2, = runner.partitions[0](partition0_args)
// CHECK-NEXT: del partition0_args
// CHECK-NEXT: del buf1
// What runs in place is its ops; its result has the name of what it yields.
// CHECK-NEXT: buf3 = empty_strided((s0,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf3.copy_(buf2)
// CHECK-NEXT: del buf2
// CHECK-NEXT: return (buf3,)
// FX-LABEL: def build_main():
// FX: result0 = g.invoke("first", build_first, (x, s0), (program.fake(
// FX: result1 = g.invoke("second", build_second, (buf0, s0), (program.fake(
// FX: result2 = g.invoke("first", build_first, (buf1, s0), (program.fake(
// CPP-LABEL: int32_t partitions_main(
// CPP: const int64_t call0_shapes[] = {s0, 1, s0};
// CPP: const coil_tensor call0_inputs[] = {{[{][{]}}x, call0_shapes + 0, call0_shapes + 0 + 1, 1, COIL_F32, 0, 0}, {const_cast<int64_t *>(call0_shapes + 2), nullptr, nullptr, 0, COIL_I64, COIL_CPU, 0}};
// CPP: COIL_TRY(partitions_first(run, call0_inputs, call0_outputs));
// CPP: buf0.release()
// CPP: COIL_TRY(partitions_second(run, call1_inputs, call1_outputs));
wrapper.func @main(%x: !s {coil.name = "x"}, %n: !i {coil.name = "n"}) -> !s attributes {sym.symbols = {s0 = #sym.range<1, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %0 = wrapper.partition_call @first(%x) symbols [s0] : (!s) -> !s
  wrapper.item "u0" = %n : !i
  %1 = wrapper.partition_call @second(%0) symbols [s0] consumes [0] : (!s) -> !s
  %2 = wrapper.partition_call @first(%1) symbols [s0] : (!s) -> !s
  wrapper.free %1 : !s
  %3 = wrapper.partition #wrapper.device<"cpu"> -> (!s) {
    %4 = wrapper.alloc : !s
    wrapper.copy %2 to %4 : !s
    wrapper.free %2 : !s
    wrapper.yield %4 : !s
  }
  wrapper.return %3 : !s
}

// CHECK-LABEL: def first(args):
// CHECK-NEXT: arg0, s0 = host.unpack(args, 2)
// CHECK-NEXT: buf0 = empty_strided((s0,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf0.copy_(arg0)
// CHECK-NEXT: return (buf0,)
// FX-LABEL: def build_first():
// FX: s0 = g.placeholder("s0", sym_s0)
// CPP-LABEL: int32_t partitions_first(
// CPP: int64_t s0 = static_cast<const int64_t *>(inputs[1].data)[0];
wrapper.func private @first(%x: !s) -> !s attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.param_symbols ["s0"]
  %0 = wrapper.alloc : !s
  wrapper.copy %x to %0 : !s
  wrapper.return %0 : !s
}

// A partition returns a buffer that reuses another (F12).
// CHECK-LABEL: def second(args):
// CHECK-NEXT: arg0, s0 = host.unpack(args, 2)
// CHECK-NEXT: buf0 = arg0  # reuse
// CHECK-NEXT: del arg0
// CHECK-NEXT: buf1 = buf0  # reuse
// CHECK-NEXT: del buf0
// CHECK-NEXT: return (buf1,)
wrapper.func private @second(%x: !s {wrapper.consumed}) -> !s attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.param_symbols ["s0"]
  %0 = wrapper.reuse %x : !s to !s
  %1 = wrapper.reuse %0 : !s to !s
  wrapper.return %1 : !s
}
// CHECK: runner = host.Runner([first, second])

// Whoever keeps graphs wraps what is called.
// RUN: env PYTHONPATH=%coil_obj/python:%coil_src/test/Corpus/Inputs/standin %python %S/Inputs/run_partitions.py %t.py | FileCheck %s --check-prefix=RUN-OUT
// RUN: env PYTHONPATH=%coil_obj/python:%coil_src/test/Corpus/Inputs/standin not %python %S/Inputs/run_partitions.py %t.py one 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN-OUT: called ['first', 'second', 'first'], result [1.0, 2.0]
// WRONG: expected 2 functions but got 1
