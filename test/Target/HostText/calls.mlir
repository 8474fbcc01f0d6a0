// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PYTHON
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-compile --emit=python --torch-calls %s | FileCheck %s --check-prefix=TORCH
// RUN: coil-compile --emit=fx --torch-calls %s | FileCheck %s --check-prefix=FX-TORCH
// RUN: coil-compile --emit=cpp %s -o %t.cpp && FileCheck %s --check-prefix=CPP < %t.cpp
// RUN: not coil-compile --torch-calls %s 2>&1 | FileCheck %s --check-prefix=OPTION
// Calls of host functions in each language.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[u, 1], i64, #wrapper.device<"cpu">>

// OPTION: --torch-calls is for --emit=python and --emit=fx

// PYTHON: host.require_functions({"mylib::scale": "{{.*}}calls.mlir:[[#]]", "mylib::nonzero.fast": "{{.*}}", "coil::scatter": "{{.*}}", "coil::index_put": "{{.*}}"})
// TORCH-NOT: require_functions
// PYTHON-LABEL: def main(args):
// FX-LABEL: def build_main():
// TORCH-LABEL: def main(args):
// FX-TORCH-LABEL: def build_main():
// CPP-LABEL: int32_t {{.*}}_main(
wrapper.func @main(%x: !b {coil.name = "x"}, %i: !i {coil.name = "i"}) -> (!b, !n) attributes {sym.symbols = {u = #sym.range<0, 9>}} {
  %0 = wrapper.alloc : !b
  // PYTHON: host.call("mylib::scale", "tfni[tn]sbd", (x, 2.0, None, 4, [x, None], "a", True, torch.bfloat16), names=("x", "f", "b", "n", "l", "s", "t", "d"), where="{{.*}}calls.mlir:[[#@LINE+5]]", outs=(buf0,))
  // FX: g.check(host.call, "mylib::scale", "tfni[tn]sbd", (x, 2.0, None, 4, [x, None], "a", True, torch.bfloat16), names=("x", "f", "b", "n", "l", "s", "t", "d"), where="{{.*}}", outs=(buf0,), at=("mylib::scale:0", "{{.*}}"))
  // TORCH: host.copy_results((buf0,), torch.ops.mylib.scale.default(x=x, f=2.0, b=None, n=4, l=[x, None], s="a", t=True, d=torch.bfloat16))
  // FX-TORCH: result0 = g.call(torch.ops.mylib.scale.default, x=x, f=2.0, b=None, n=4, l=[x, None], s="a", t=True, d=torch.bfloat16, val=(buf0.meta["val"],)[0], at=(
  // FX-TORCH: g.call(aten.copy_.default, buf0, g.get(result1, 0)
  wrapper.extern_call_out "mylib::scale"(%x, 2.0, none, <4>, [%x, none], "a", true, bf16) outs(%0 : !b) names ["x", "f", "b", "n", "l", "s", "t", "d"] : !b, !b
  // CPP: static const char *const call0_names[] = {"x", "f", "b", "n", "l", "s", "t", "d"};
  // CPP: static coil_call_site call0 = {sizeof(coil_call_site), 0, "mylib::scale", "{{.*}}calls.mlir:[[#@LINE-2]]", call0_names, nullptr};
  // CPP: const coil_argument call0_list0[] = {coil::tensorArgument(call0_tensors[1], false), coil::noArgument()};
  // CPP: const coil_argument call0_arguments[] = {coil::tensorArgument(call0_tensors[0], false), coil::floatArgument(2.0), coil::noArgument(), coil::intArgument(4), coil::listArgument(call0_list0, 2), coil::stringArgument("a"), coil::boolArgument(true), coil::dtypeArgument(COIL_BF16)};
  // CPP: COIL_TRY(coil_rt_call(run, &call0, 8, call0_arguments, 1, call0_outputs, 0, nullptr));

  // PYTHON: buf1, = host.call("mylib::nonzero.fast", "t", (buf0,), where="{{.*}}", results=((torch.int64, 2),))
  // FX: result{{[0-9]+}} = g.call(host.call, "mylib::nonzero.fast", "t", (buf0,), where="{{.*}}", results=((torch.int64, 2),), val=(program.fake((sym_u, 1), (1, 1), torch.int64, "cpu"),), at=("mylib::nonzero.fast:{{[0-9]+}}", "{{.*}}"))
  // TORCH: buf1, = host.flatten(torch.ops.mylib.nonzero.fast(buf0))
  // FX-TORCH: g.call(torch.ops.mylib.nonzero.fast, buf0, val=(program.fake((sym_u, 1),
  // CPP: int64_t call1_results_shapes[4];
  // CPP: COIL_TRY(coil_rt_call(run, &call1, 1, call1_arguments, 0, nullptr, 1, call1_results));
  // CPP: coil::Buffer<coil_rt_free> buf1;
  // CPP: buf1 = coil::Buffer<coil_rt_free>(run, call1_results[0].data);
  // CPP: int64_t u = (call1_results_shapes + 0)[0];
  %1 = wrapper.extern_call "mylib::nonzero.fast"(%0) : (!b) -> !n
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %1 : !n
  wrapper.assert_layout %1, "n" : !n
  // PYTHON: host.call("coil::scatter", "mittsb", (buf0, 0, i, x, "amax", True), where="{{.*}}")
  // TORCH: torch.ops.aten.scatter_reduce_.two(buf0, 0, i, x, "amax", include_self=True)
  // FX-TORCH: torch.ops.aten.scatter_reduce_.two, buf0, 0, i, x, "amax", include_self=True
  wrapper.scatter_fallback %0 dim 0 at %i from %x reduce amax : !b, !i, !b
  // TORCH: torch.ops.aten.scatter_.value(buf0, 0, i, 1.0)
  wrapper.scatter_fallback %0 dim 0 at %i value 1.0 reduce none : !b, !i
  // PYTHON: host.call("coil::index_put", "m[t]tb", (buf0, [i], x, True), where="{{.*}}")
  // TORCH: torch.ops.aten.index_put_.default(buf0, [i], x, True)
  wrapper.index_put_fallback %0(%i) values %x accumulate : !b, !b, !i
  wrapper.return %0, %1 : !b, !n
}

// Functions that are missing are named when a run is bound.
// CPP-LABEL: int32_t {{.*}}_check(void) {
// CPP-NEXT: static const coil_call_site sites[] = {
// CPP-NEXT: {sizeof(coil_call_site), 0, "mylib::scale", "{{.*}}calls.mlir:{{[0-9]+}}", nullptr, nullptr},
// CPP: };
// CPP-NEXT: return coil_require_functions(sites, {{[1-9]}});
// CPP-LABEL: int32_t {{.*}}_bind(
// CPP: COIL_TRY({{.*}}_check());
