// RUN: coil-opt --coil-kernel-pipeline=vector-bits=256 --split-input-file --mlir-print-debuginfo %s \
// RUN:   | coil-translate --wrapper-to-cpp --split-input-file | FileCheck %s

// The text of each op, in the order of the ops (F58).

!x = !wrapper.buffer<[s0 * 2, 4], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[4, s0 * 2], strides = [1, 4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[s0 * 2, 4], i32, #wrapper.device<"cpu">>

wrapper.kernel @relu(%x: tensor<?x4xf32, #sym.shape<[s0 * 2, 4]>>) attributes {
    input_strides = [#sym.shape<[4, 1]>], output_strides = [#sym.shape<[4, 1]>], symbols = ["s0"]} {
  %0 = loop.kernel "relu" [s0 * 2, 4] (%a = %x) : (tensor<?x4xf32, #sym.shape<[s0 * 2, 4]>>) -> tensor<?x4xf32, #sym.shape<[s0 * 2, 4]>> {
    %z = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d1] : tensor<?x4xf32, #sym.shape<[s0 * 2, 4]>> -> f32
    %m = arith.maximumf %v, %z : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<?x4xf32, #sym.shape<[s0 * 2, 4]>>
}

wrapper.func @main(%x: !x {coil.name = "tokens"}) -> !y attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "tokens" : !x
  wrapper.sym_expr "m" = <min(s0 mod 8, s0 floordiv 4 + 1) - max(-s0 * 3, 7)>
  wrapper.assert <s0 mod 2> eq <0>, "an even \22number\22"
  %0 = wrapper.alloc : !x
  wrapper.launch @relu[s0] ins(%x : !x) outs(%0 : !x)
  %1 = wrapper.reuse %0 : !x to !i
  %2 = wrapper.reuse %1 : !i to !i
  wrapper.free %2 : !i
  %3 = wrapper.alloc : !x
  wrapper.copy %x to %3 : !x
  %4 = wrapper.reinterpret %3 at <0> : !x to !y
  wrapper.return %4 : !y
}

// CHECK-LABEL: int32_t program_main(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK-NEXT: if (num_inputs != 1 || num_outputs != 1)
// CHECK-NEXT: return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "expected 1 inputs and 1 outputs");
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[0], "tokens", COIL_F32, 2, 0));
// CHECK-NEXT: void *tokens = inputs[0].data;
// CHECK-NEXT: int64_t s0 = coil::floordiv(inputs[0].sizes[0], 2);
// CHECK-NEXT: COIL_CHECK(run, s0 >= 1, "symbol 's0' (size 0 of input 'tokens') is below its lower bound", s0, 1);
// CHECK-NEXT: COIL_CHECK(run, s0 <= 64, "symbol 's0' (size 0 of input 'tokens') is above its upper bound", s0, 64);
// CHECK-NEXT: COIL_TRY(coil_rt_match_layout(run, &inputs[0], "tokens", coil::List<int64_t, 2>{{[{][{]}}s0 * 2, 4}}.values, coil::List<int64_t, 2>{{[{][{]}}4, 1}}.values, &tokens));
// CHECK-NEXT: int64_t m = coil::min(coil::floormod(s0, 8), coil::floordiv(s0, 4) + 1) - coil::max(7, s0 * -3);
// CHECK-NEXT: COIL_CHECK(run, coil::floormod(s0, 2) == 0, "an even \"number\"", coil::floormod(s0, 2), 0);
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf0;
// CHECK-NEXT: COIL_TRY(buf0.allocate(coil_rt_alloc, run, s0 * 32));
// CHECK-NEXT: // [relu:0] {{.*}}.mlir:{{[0-9]+}}
// CHECK-NEXT: COIL_TRY(coil_rt_launch_cpu(run, relu, coil::List<void *, 2>{{[{][{]}}tokens, buf0.get()}}.values, coil::List<int64_t, 1>{{[{][{]}}s0}}.values, s0 * 8, 1));
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf1 = std::move(buf0); // reuse
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf2 = std::move(buf1); // reuse
// CHECK-NEXT: COIL_TRY(buf2.free());
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf3;
// CHECK-NEXT: COIL_TRY(buf3.allocate(coil_rt_alloc, run, s0 * 32));
// CHECK-NEXT: coil::copy(buf3.get(), tokens, s0 * 32);
// CHECK-NEXT: void *buf4 = buf3.get();
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[0], buf4, COIL_F32, 2, coil::List<int64_t, 2>{{[{][{]}}4, s0 * 2}}.values, coil::List<int64_t, 2>{{[{][{]}}1, 4}}.values));
// CHECK-NEXT: (void)buf3.release();
// CHECK-NEXT: return COIL_OK;

// -----

// A divisor that may be zero counts as one.

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

wrapper.func @divisors(%x: !x) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.sym_expr "n" = <8 mod (s0 - 1) + s0 floordiv (s0 + 1)>
  wrapper.return
}

// CHECK-LABEL: int32_t program_divisors(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK-NEXT: if (num_inputs != 1 || num_outputs != 0)
// CHECK-NEXT: return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "expected 1 inputs and 0 outputs");
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[0], "arg0", COIL_F32, 1, 0));
// CHECK-NEXT: void *arg0 = inputs[0].data;
// CHECK-NEXT: int64_t s0 = inputs[0].sizes[0];
// CHECK-NEXT: COIL_CHECK(run, s0 >= 0, "symbol 's0' (size 0 of input 'arg0') is below its lower bound", s0, 0);
// CHECK-NEXT: COIL_CHECK(run, s0 <= 64, "symbol 's0' (size 0 of input 'arg0') is above its upper bound", s0, 64);
// CHECK-NEXT: int64_t n = coil::floordiv(s0, s0 + 1) + coil::floormod(8, s0 - 1);
// CHECK-NEXT: return COIL_OK;

// -----

// Names: keywords, what is taken, what is no identifier; control characters.

!x = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @lambda(%a: !x {coil.name = "if"}, %b: !x {coil.name = "2 x"}, %c: !x {coil.name = "buf0"}, %d: !x {coil.name = "if"}) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.assert_layout %a, "a\0Ab\\" : !x
  wrapper.return %0 : !x
}

// CHECK-LABEL: int32_t program_lambda(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK-NEXT: if (num_inputs != 4 || num_outputs != 1)
// CHECK-NEXT: return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "expected 4 inputs and 1 outputs");
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[0], "if", COIL_F32, 1, 0));
// CHECK-NEXT: void *if_0 = inputs[0].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[1], "2 x", COIL_F32, 1, 0));
// CHECK-NEXT: void *_2_x = inputs[1].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[2], "buf0", COIL_F32, 1, 0));
// CHECK-NEXT: void *buf0 = inputs[2].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[3], "if", COIL_F32, 1, 0));
// CHECK-NEXT: void *if_1 = inputs[3].data;
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf1;
// CHECK-NEXT: COIL_TRY(buf1.allocate(coil_rt_alloc, run, 8));
// CHECK-NEXT: COIL_TRY(coil_rt_match_layout(run, &inputs[0], "a\nb\\", coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values, &{{.+}}));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[0], buf1.get(), COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: (void)buf1.release();
// CHECK-NEXT: return COIL_OK;

// -----

// Constants belong to the module, each once; what a list cannot say is bytes.

!f = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], bf16, #wrapper.device<"cpu">>

wrapper.func @constants() -> (!f, !f, !b, !h, !f) {
  %0 = wrapper.constant dense<[1.5, -2.0]> : tensor<2xf32> to !f
  %1 = wrapper.constant dense<[1.5, -2.0]> : tensor<2xf32> to !f
  %2 = wrapper.constant dense<true> : tensor<3xi1> to !b
  %3 = wrapper.constant dense<[1.5, -2.0]> : tensor<2xbf16> to !h
  %4 = wrapper.constant dense<[0x7F800000, 1.0]> : tensor<2xf32> to !f
  wrapper.return %0, %1, %2, %3, %4 : !f, !f, !b, !h, !f
}

// CHECK-LABEL: int32_t program_constants(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK-NEXT: if (num_inputs != 0 || num_outputs != 5)
// CHECK-NEXT: return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "expected 0 inputs and 5 outputs");
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: alignas(64) static const float constant0[] = {
// CHECK-NEXT: 1.5f, -2.0f,
// CHECK-NEXT: };
// CHECK-NEXT: void *buf0 = coil::constant(constant0);
// CHECK-NEXT: alignas(64) static const float constant1[] = {
// CHECK-NEXT: 1.5f, -2.0f,
// CHECK-NEXT: };
// CHECK-NEXT: void *buf1 = coil::constant(constant1);
// CHECK-NEXT: alignas(64) static const uint64_t constant2[] = {
// CHECK-NEXT: 0x10101,
// CHECK-NEXT: };
// CHECK-NEXT: void *buf2 = coil::constant(constant2);
// CHECK-NEXT: alignas(64) static const uint64_t constant3[] = {
// CHECK-NEXT: 0xc0003fc0,
// CHECK-NEXT: };
// CHECK-NEXT: void *buf3 = coil::constant(constant3);
// CHECK-NEXT: alignas(64) static const uint64_t constant4[] = {
// CHECK-NEXT: 0x3f8000007f800000,
// CHECK-NEXT: };
// CHECK-NEXT: void *buf4 = coil::constant(constant4);
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[0], buf0, COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[1], buf1, COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[2], buf2, COIL_BOOL, 1, coil::List<int64_t, 1>{{[{][{]}}3}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[3], buf3, COIL_BF16, 1, coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[4], buf4, COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: return COIL_OK;

// -----

// Library calls, with the place in the source that a failure names.

!m = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[1, 2, 8, 8], f32, #wrapper.device<"cpu">>
!k = !wrapper.buffer<[4, 2, 1, 1], f32, #wrapper.device<"cpu">>
!q = !wrapper.buffer<[1, 4, 8, 8], f32, #wrapper.device<"cpu">>
!j = !wrapper.buffer<[s0, 2], i64, #wrapper.device<"cpu">>

wrapper.func @libraries(%x: !m, %w: !w, %b: !v, %p: !p, %k: !k) -> (!m, !q, !j) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !m
  %0 = wrapper.alloc : !m
  %1 = wrapper.alloc : !q
  %2 = wrapper.alloc : !j
  wrapper.contraction "onednn"[s0, 4, 4] a(%x[4, 0, 1] at <s0 * 4> : !m) b(%w[0, 4, 1] : !w) bias(%b[0, 1, 0] : !v) c(%0[4, 1, 0] : !m) post relu tf32 loc("linear"("model.py":7:1))
  wrapper.convolution "onednn" ins(%p, %k : !p, !k) outs(%1 : !q) stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 post none loc(fused["conv2d", "bias"("model.py":8:1)])
  wrapper.sort "runtime" %0 dim 1 descending indices(%2 : !j) : !m loc(unknown)
  wrapper.return %0, %1, %2 : !m, !q, !j
}

// CHECK-LABEL: int32_t program_libraries(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK-NEXT: if (num_inputs != 5 || num_outputs != 3)
// CHECK-NEXT: return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "expected 5 inputs and 3 outputs");
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[0], "arg0", COIL_F32, 2, 0));
// CHECK-NEXT: void *arg0 = inputs[0].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[1], "arg1", COIL_F32, 2, 0));
// CHECK-NEXT: void *arg1 = inputs[1].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[2], "arg2", COIL_F32, 1, 0));
// CHECK-NEXT: void *arg2 = inputs[2].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[3], "arg3", COIL_F32, 4, 0));
// CHECK-NEXT: void *arg3 = inputs[3].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[4], "arg4", COIL_F32, 4, 0));
// CHECK-NEXT: void *arg4 = inputs[4].data;
// CHECK-NEXT: int64_t s0 = inputs[0].sizes[0];
// CHECK-NEXT: COIL_CHECK(run, s0 >= 0, "symbol 's0' (size 0 of input 'arg0') is below its lower bound", s0, 0);
// CHECK-NEXT: COIL_CHECK(run, s0 <= 64, "symbol 's0' (size 0 of input 'arg0') is above its upper bound", s0, 64);
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf0;
// CHECK-NEXT: COIL_TRY(buf0.allocate(coil_rt_alloc, run, s0 * 16));
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf1;
// CHECK-NEXT: COIL_TRY(buf1.allocate(coil_rt_alloc, run, 1024));
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf2;
// CHECK-NEXT: COIL_TRY(buf2.allocate(coil_rt_alloc, run, s0 * 16));
// CHECK-NEXT: // [onednn.contraction:[[#C:]]] linear (model.py:7)
// CHECK-NEXT: const coil_contraction contraction0 = {
// CHECK-NEXT: sizeof(coil_contraction), COIL_F32, COIL_F32, COIL_F32, COIL_F32, /*batch_rank=*/0,
// CHECK-NEXT: COIL_BIAS_ALONG_N, static_cast<int32_t>(COIL_POST_RELU), /*tf32=*/1, /*reserved=*/0,
// CHECK-NEXT: /*m, n, k=*/s0, 4, 4,
// CHECK-NEXT: /*a=*/{4, 1}, /*b=*/{1, 4}, /*c=*/{4, 1}, /*bias=*/1,
// CHECK-NEXT: /*batches=*/{}, {}, {}, {}, "model.py:7"};
// CHECK-NEXT: COIL_TRY(coil_rt_contraction(run, &contraction0, coil::offset(arg0, s0 * 4, 4), arg1, arg2, buf0.get()));
// CHECK-NEXT: // [onednn.convolution:[[#C+1]]] conv2d, bias (model.py:8)
// CHECK-NEXT: const coil_convolution convolution0 = {
// CHECK-NEXT: sizeof(coil_convolution), COIL_F32, COIL_F32, 0, COIL_F32, /*spatial_rank=*/2, /*transposed=*/0,
// CHECK-NEXT: static_cast<int32_t>(COIL_POST_NONE), /*tf32=*/0, /*reserved=*/0,
// CHECK-NEXT: /*batch, channels, groups=*/1, 2, 4, 1,
// CHECK-NEXT: /*bias=*/0, /*sizes=*/{8, 8}, {1, 1}, {8, 8},
// CHECK-NEXT: /*strides=*/{1, 1}, /*padding=*/{0, 0}, {0, 0}, /*dilations=*/{1, 1},
// CHECK-NEXT: /*x, w, y=*/{128, 64, 8, 1}, {2, 1, 1, 1}, {256, 64, 8, 1}, "model.py:8"};
// CHECK-NEXT: COIL_TRY(coil_rt_convolution(run, &convolution0, arg3, arg4, nullptr, buf1.get()));
// CHECK-NEXT: // [runtime.sort:[[#C+2]]] of unknown source
// CHECK-NEXT: const coil_sort sort0 = {
// CHECK-NEXT: sizeof(coil_sort), COIL_F32, /*descending=*/1, /*unordered=*/0,
// CHECK-NEXT: /*outer, size, inner, count=*/s0, 4, 1, 2, nullptr};
// CHECK-NEXT: COIL_TRY(coil_rt_sort(run, &sort0, buf0.get(), nullptr, static_cast<int64_t *>(buf2.get())));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[0], buf0.get(), COIL_F32, 2, coil::List<int64_t, 2>{{[{][{]}}s0, 4}}.values, coil::List<int64_t, 2>{{[{][{]}}4, 1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[1], buf1.get(), COIL_F32, 4, coil::List<int64_t, 4>{{[{][{]}}1, 4, 8, 8}}.values, coil::List<int64_t, 4>{{[{][{]}}256, 64, 8, 1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[2], buf2.get(), COIL_I64, 2, coil::List<int64_t, 2>{{[{][{]}}s0, 2}}.values, coil::List<int64_t, 2>{{[{][{]}}2, 1}}.values));
// CHECK-NEXT: (void)buf0.release();
// CHECK-NEXT: (void)buf1.release();
// CHECK-NEXT: (void)buf2.release();
// CHECK-NEXT: return COIL_OK;

// -----

// Branches move what they yield to the results' names and delete their own;
// elements and sizes of results.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!z = !wrapper.buffer<[], ui64, #wrapper.device<"cpu">>
!d = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>

wrapper.func private @callee(%x: !b {wrapper.consumed}, %y: !b {wrapper.consumed}) -> !b {
  wrapper.free %x : !b
  wrapper.return %y : !b
}

wrapper.func @control(%x: !b, %o: !o, %i: !i, %y: !z, %f: !d) -> (!n, !u)
    attributes {sym.symbols = {n = #sym.range<0, 128>, k = #sym.range<0, 8>}} {
  %p = wrapper.item %o : !o -> i1
  wrapper.item "k" = %i divide_by 4 : !i
  wrapper.item "z" = %y : !z
  %v = wrapper.item %f : !d -> f64
  %w = arith.negf %v : f64
  %d = arith.divf %w, %v : f64
  %c = arith.cmpf ueq, %d, %v : f64
  %q = arith.andi %c, %p : i1
  %unused = wrapper.compare <k> lt <3>
  %r = wrapper.if %q : i1 defines ["n"] -> (!n) {
    %0 = wrapper.alloc : !b
    %1 = wrapper.reinterpret %0 at <0> : !b to !wrapper.buffer<[4], strides = [1], f32, #wrapper.device<"cpu">>
    wrapper.yield %0 : !b symbols [4]
  } else {
    %0 = wrapper.alloc : !wrapper.buffer<[k], f32, #wrapper.device<"cpu">>
    wrapper.yield %0 : !wrapper.buffer<[k], f32, #wrapper.device<"cpu">> symbols [k]
  }
  %s = wrapper.alloc : !b
  wrapper.if %o : !o {
    wrapper.copy %x to %s : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  %t = wrapper.alloc : !b
  %l:2 = wrapper.while %s, %t : !b, !b symbols ["i"] from [0] -> (!b, !b) {
  ^bb0(%a: !b, %e: !b):
    %g = wrapper.compare <i> lt <k>
    wrapper.condition %g pass %a, %e : !b, !b
  } do {
  ^bb0(%a: !b, %e: !b):
    %0 = wrapper.alloc : !b
    wrapper.free %a : !b
    wrapper.yield %e, %0 : !b, !b symbols [i + 1]
  }
  %m = wrapper.invoke @callee(%l#0, %l#1) consumes [0, 1] : (!b, !b) -> !u
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %m : !u
  wrapper.assert_layout %m, "the result" : !u
  wrapper.return %r, %m : !n, !u
}

// CHECK-LABEL: int32_t program_callee(coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf0;
// CHECK-NEXT: buf0 = coil::Buffer<coil_rt_free>(run, inputs[0].data);
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf1;
// CHECK-NEXT: buf1 = coil::Buffer<coil_rt_free>(run, inputs[1].data);
// CHECK-NEXT: COIL_TRY(buf0.free());
// CHECK-NEXT: coil::setResult(outputs[0], buf1.get(), coil::List<int64_t, 1>{{[{][{]}}4}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values);
// CHECK-NEXT: (void)buf1.release();
// CHECK-NEXT: return COIL_OK;
// CHECK-LABEL: int32_t program_control(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK-NEXT: if (num_inputs != 5 || num_outputs != 2)
// CHECK-NEXT: return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "expected 5 inputs and 2 outputs");
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[0], "arg0", COIL_F32, 1, 0));
// CHECK-NEXT: void *arg0 = inputs[0].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[1], "arg1", COIL_BOOL, 0, 0));
// CHECK-NEXT: void *arg1 = inputs[1].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[2], "arg2", COIL_I64, 0, 0));
// CHECK-NEXT: void *arg2 = inputs[2].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[3], "arg3", COIL_U64, 0, 0));
// CHECK-NEXT: void *arg3 = inputs[3].data;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[4], "arg4", COIL_F64, 0, 0));
// CHECK-NEXT: void *arg4 = inputs[4].data;
// CHECK-NEXT: int64_t element0;
// CHECK-NEXT: COIL_TRY(coil_rt_item(run, arg1, COIL_BOOL, &element0));
// CHECK-NEXT: bool p0 = element0 != 0;
// CHECK-NEXT: int64_t k;
// CHECK-NEXT: COIL_TRY(coil_rt_item(run, arg2, COIL_I64, &k));
// CHECK-NEXT: COIL_CHECK(run, k % 4 == 0, "the element that symbol 'k' is read from is not a multiple of its divisor", k, 4);
// CHECK-NEXT: k /= 4;
// CHECK-NEXT: COIL_CHECK(run, k >= 0, "symbol 'k' (an element) is below its lower bound", k, 0);
// CHECK-NEXT: COIL_CHECK(run, k <= 8, "symbol 'k' (an element) is above its upper bound", k, 8);
// CHECK-NEXT: int64_t z;
// CHECK-NEXT: COIL_TRY(coil_rt_item(run, arg3, COIL_U64, &z));
// CHECK-NEXT: COIL_CHECK(run, z >= 0, "the element that symbol 'z' is read from does not fit", z, 0);
// CHECK-NEXT: COIL_CHECK(run, z >= 0, "symbol 'z' (an element) is below its lower bound", z, 0);
// CHECK-NEXT: double v0;
// CHECK-NEXT: COIL_TRY(coil_rt_item(run, arg4, COIL_F64, &v0));
// CHECK-NEXT: double v1 = -v0;
// CHECK-NEXT: double v2 = v1 / v0;
// CHECK-NEXT: bool p1 = !(v2 < v0 || v2 > v0);
// CHECK-NEXT: bool p2 = p1 && p0;
// CHECK-NEXT: bool p3 = k < 3;
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf0;
// CHECK-NEXT: int64_t n;
// CHECK-NEXT: if (p2) {
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf1;
// CHECK-NEXT: COIL_TRY(buf1.allocate(coil_rt_alloc, run, 16));
// CHECK-NEXT: void *buf2 = buf1.get();
// CHECK-NEXT: buf0 = std::move(buf1);
// CHECK-NEXT: n = 4;
// CHECK-NEXT: COIL_CHECK(run, n >= 0, "symbol 'n' is below its lower bound", n, 0);
// CHECK-NEXT: COIL_CHECK(run, n <= 128, "symbol 'n' is above its upper bound", n, 128);
// CHECK-NEXT: } else {
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf3;
// CHECK-NEXT: COIL_TRY(buf3.allocate(coil_rt_alloc, run, k * 4));
// CHECK-NEXT: buf0 = std::move(buf3);
// CHECK-NEXT: n = k;
// CHECK-NEXT: COIL_CHECK(run, n >= 0, "symbol 'n' is below its lower bound", n, 0);
// CHECK-NEXT: COIL_CHECK(run, n <= 128, "symbol 'n' is above its upper bound", n, 128);
// CHECK-NEXT: }
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf4;
// CHECK-NEXT: COIL_TRY(buf4.allocate(coil_rt_alloc, run, 16));
// CHECK-NEXT: int64_t element1;
// CHECK-NEXT: COIL_TRY(coil_rt_item(run, arg1, COIL_BOOL, &element1));
// CHECK-NEXT: if (element1 != 0) {
// CHECK-NEXT: coil::copy(buf4.get(), arg0, 16);
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf5;
// CHECK-NEXT: COIL_TRY(buf5.allocate(coil_rt_alloc, run, 16));
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf6;
// CHECK-NEXT: buf6 = std::move(buf4);
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf7;
// CHECK-NEXT: buf7 = std::move(buf5);
// CHECK-NEXT: int64_t i = 0;
// CHECK-NEXT: COIL_CHECK(run, i >= 0, "symbol 'i' is below its lower bound", i, 0);
// CHECK-NEXT: while (true) {
// CHECK-NEXT: bool p4 = i < k;
// CHECK-NEXT: if (!p4)
// CHECK-NEXT: break;
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf8;
// CHECK-NEXT: COIL_TRY(buf8.allocate(coil_rt_alloc, run, 16));
// CHECK-NEXT: COIL_TRY(buf6.free());
// CHECK-NEXT: auto next0 = std::move(buf7);
// CHECK-NEXT: auto next1 = std::move(buf8);
// CHECK-NEXT: const int64_t next2 = i + 1;
// CHECK-NEXT: buf6 = std::move(next0);
// CHECK-NEXT: buf7 = std::move(next1);
// CHECK-NEXT: i = next2;
// CHECK-NEXT: COIL_CHECK(run, i >= 0, "symbol 'i' is below its lower bound", i, 0);
// CHECK-NEXT: }
// CHECK-NEXT: int64_t call0_results[2];
// CHECK-NEXT: const int64_t call0_shapes[] = {4, 1, 4, 1};
// CHECK-NEXT: const coil_tensor call0_inputs[] = {{[{][{]}}buf6.release(), call0_shapes + 0, call0_shapes + 0 + 1, 1, COIL_F32, 0, 0}, {buf7.release(), call0_shapes + 2, call0_shapes + 2 + 1, 1, COIL_F32, 0, 0}};
// CHECK-NEXT: coil_tensor call0_outputs[] = {{[{][{]}}nullptr, call0_results + 0, call0_results + 0 + 1, 1, COIL_F32, 0, 0}};
// CHECK-NEXT: COIL_TRY(program_callee(run, call0_inputs, call0_outputs));
// CHECK-NEXT: coil::Buffer<coil_rt_free> buf9;
// CHECK-NEXT: buf9 = coil::Buffer<coil_rt_free>(run, call0_outputs[0].data);
// CHECK-NEXT: int64_t u = (call0_results + 0)[0];
// CHECK-NEXT: COIL_CHECK(run, u % 2 == 0, "size 0 of a result is not a multiple of its divisor", u, 2);
// CHECK-NEXT: u /= 2;
// CHECK-NEXT: COIL_CHECK(run, u >= 0, "symbol 'u' (size 0 of a result) is below its lower bound", u, 0);
// CHECK-NEXT: COIL_TRY(coil::checkResult(run, call0_results + 0, 1, "the result", coil::List<int64_t, 1>{{[{][{]}}u * 2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[0], buf0.get(), COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}n}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[1], buf9.get(), COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}u * 2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: (void)buf0.release();
// CHECK-NEXT: (void)buf9.release();
// CHECK-NEXT: return COIL_OK;

// -----

// A device whose memory the host cannot access: functions from its registration.

!g = !wrapper.buffer<[2], f32, #wrapper.device<"cuda">>
!a = !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"cuda">>
!e = !wrapper.buffer<[], f32, #wrapper.device<"cuda">>

wrapper.func @device(%x: !g, %q: !a, %e: !e) -> (!g, !a) {
  %0 = wrapper.alloc : !g
  wrapper.copy %x to %0 : !g
  %1 = wrapper.constant dense<1.0> : tensor<2xf32> to !g
  wrapper.copy %1 to %0 : !g
  %v = wrapper.item %e : !e -> f64
  %o = wrapper.alloc : !a
  wrapper.attention "cudnn" ins(%q, %q, %q : !a, !a, !a) outs(%o : !a) causal scale 1.250000e-01 loc("sdpa"("model.py":9:1))
  wrapper.return %0, %o : !g, !a
}

// CHECK-LABEL: int32_t program_device_body(coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
// CHECK-NEXT: (void)run, (void)inputs, (void)outputs;
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[0], "arg0", COIL_F32, 1, 1));
// CHECK-NEXT: void *arg0;
// CHECK-NEXT: COIL_TRY(coil_rt_input_cuda(run, &inputs[0], "arg0", 16, &arg0));
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[1], "arg1", COIL_BF16, 4, 1));
// CHECK-NEXT: void *arg1;
// CHECK-NEXT: COIL_TRY(coil_rt_input_cuda(run, &inputs[1], "arg1", 16, &arg1));
// CHECK-NEXT: COIL_TRY(coil_rt_check_input(run, &inputs[2], "arg2", COIL_F32, 0, 1));
// CHECK-NEXT: void *arg2;
// CHECK-NEXT: COIL_TRY(coil_rt_input_cuda(run, &inputs[2], "arg2", 16, &arg2));
// CHECK-NEXT: coil::Buffer<coil_rt_free_cuda> buf0;
// CHECK-NEXT: COIL_TRY(buf0.allocate(coil_rt_alloc_cuda, run, 8));
// CHECK-NEXT: COIL_TRY(coil_rt_copy_cuda(run, buf0.get(), arg0, 8));
// CHECK-NEXT: alignas(64) static const float constant0[] = {
// CHECK-NEXT: 1.0f, 1.0f,
// CHECK-NEXT: };
// CHECK-NEXT: void *buf1;
// CHECK-NEXT: COIL_TRY(coil_rt_constant_cuda(run, constant0, 8, &buf1));
// CHECK-NEXT: COIL_TRY(coil_rt_copy_cuda(run, buf0.get(), buf1, 8));
// CHECK-NEXT: double v0;
// CHECK-NEXT: COIL_TRY(coil_rt_item_cuda(run, arg2, COIL_F32, &v0));
// CHECK-NEXT: coil::Buffer<coil_rt_free_cuda> buf2;
// CHECK-NEXT: COIL_TRY(buf2.allocate(coil_rt_alloc_cuda, run, 131072));
// CHECK-NEXT: // [cudnn.attention:{{[0-9]+}}] sdpa (model.py:9)
// CHECK-NEXT: const coil_attention attention0 = {
// CHECK-NEXT: sizeof(coil_attention), COIL_BF16, /*causal=*/1, /*reserved=*/0, /*scale=*/0.125,
// CHECK-NEXT: /*batch, heads, kv_heads, queries, keys, widths=*/2, 8, 8, 64, 64, 64, 64,
// CHECK-NEXT: /*strides=*/{32768, 4096, 64, 1}, {32768, 4096, 64, 1}, {32768, 4096, 64, 1}, {32768, 4096, 64, 1}, {32768, 4096, 64, 1}, "model.py:9"};
// CHECK-NEXT: COIL_TRY(coil_rt_attention_cuda(run, &attention0, arg1, arg1, arg1, nullptr, buf2.get()));
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[0], buf0.get(), COIL_F32, 1, coil::List<int64_t, 1>{{[{][{]}}2}}.values, coil::List<int64_t, 1>{{[{][{]}}1}}.values));
// CHECK-NEXT: outputs[0].device_type = 1;
// CHECK-NEXT: COIL_TRY(coil_rt_set_output(run, &outputs[1], buf2.get(), COIL_BF16, 4, coil::List<int64_t, 4>{{[{][{]}}2, 8, 64, 64}}.values, coil::List<int64_t, 4>{{[{][{]}}32768, 4096, 64, 1}}.values));
// CHECK-NEXT: outputs[1].device_type = 1;
// CHECK-NEXT: (void)buf0.release();
// CHECK-NEXT: (void)buf2.release();
// CHECK-NEXT: return COIL_OK;

// -----

// Buffers that are carved from a pool are addresses in it.

!p = !wrapper.pool<#wrapper.device<"cpu">>
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!j = !wrapper.buffer<[s0], i32, #wrapper.device<"cpu">>

// CHECK-LABEL: int32_t program_pools(coil_run *run, const coil_tensor *inputs, size_t num_inputs, coil_tensor *outputs, size_t num_outputs) {
// CHECK:      coil::Buffer<coil_rt_free> pool0;
// CHECK-NEXT: COIL_TRY(pool0.allocate(coil_rt_alloc, run, coil::Checked(s0) * 4 + 64));
// CHECK-NEXT: void *buf0 = coil::offset(pool0.get(), 64, 1);
// CHECK-NEXT: coil::copy(buf0, arg0, s0 * 4);
// CHECK-NEXT: void *buf1 = buf0; // reuse
// CHECK-NEXT: COIL_TRY(pool0.free());
// CHECK-NEXT: return COIL_OK;
wrapper.func @pools(%x: !b) attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %p = wrapper.pool <s0 * 4 + 64> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.reuse %0 : !b to !j
  wrapper.pool_release %1 : !j
  wrapper.pool_free %p : !p
  wrapper.return
}
