// RUN: coil-translate --wrapper-to-fx --split-input-file %s | FileCheck %s

// The node of each op, in the order of the ops: sizes are solved and written once,
// storage that ends leaves no node, regions are graphs with inputs of their own.

// CHECK:      import operator
// CHECK:      from coil import fx, host
// CHECK:      program = fx.Program()
// CHECK:      relu = kernels.add("relu", r'''
// CHECK-NEXT: wrapper.kernel @relu(
// CHECK-LABEL: def build_main():
// CHECK-NEXT: g = program.graph()
// CHECK-NEXT: sym_s0 = program.symbol("s0", 1, 64, 8)
// CHECK-NEXT: tokens = g.placeholder("tokens", program.fake((sym_s0 * 2, 4), (4, 1), torch.float32, "cpu"))
// CHECK-NEXT: g.check(host.check_input, tokens, "tokens", torch.float32, 2, "cpu")
// CHECK-NEXT: n0 = g.call(aten.sym_size.int, tokens, 0)
// CHECK-NEXT: n1 = g.call(operator.floordiv, n0, 2)
// CHECK-NEXT: s0 = n1
// CHECK-NEXT: g.check(host.assert_range, s0, 1, 64, "symbol 's0' (size 0 of input 'tokens')")
// CHECK-NEXT: n2 = g.call(operator.mul, s0, 2)
// CHECK-NEXT: tokens = g.call(host.match_size_stride, tokens, (n2, 4), (4, 1), "tokens", val=program.fake((sym_s0 * 2, 4), (4, 1), torch.float32, "cpu"))
// CHECK-NEXT: n3 = g.call(operator.mod, s0, 8)
// CHECK-NEXT: n4 = g.call(operator.floordiv, s0, 4)
// CHECK-NEXT: n5 = g.call(operator.add, n4, 1)
// CHECK-NEXT: n6 = g.call(torch.sym_min, n3, n5)
// CHECK-NEXT: n7 = g.call(operator.mul, s0, -3)
// CHECK-NEXT: n8 = g.call(torch.sym_max, 7, n7)
// CHECK-NEXT: n9 = g.call(operator.mul, n8, -1)
// CHECK-NEXT: n10 = g.call(operator.add, n6, n9)
// CHECK-NEXT: m = n10
// CHECK-NEXT: n11 = g.call(operator.mod, s0, 2)
// CHECK-NEXT: g.check(host.check, g.call(operator.eq, n11, 0), "an even \"number\"", n11, 0)
// CHECK-NEXT: buf0 = g.call(torch.empty_strided, (n2, 4), (4, 1), dtype=torch.float32, device="cpu")
// CHECK-NEXT: # {{.*}}
// CHECK-NEXT: g.launch(relu, (tokens, buf0), (s0,), grid=(n2, 4), at=("relu:0", "{{.*}}"))
// CHECK-NEXT: buf1 = g.call(host.reinterpret_tensor, buf0, (n2, 4), (4, 1), 0, torch.int32, val=program.fake((sym_s0 * 2, 4), (4, 1), torch.int32, "cpu"))
// CHECK-NEXT: buf2 = g.call(torch.empty_strided, (n2, 4), (4, 1), dtype=torch.float32, device="cpu")
// CHECK-NEXT: g.call(aten.copy_.default, buf2, tokens)
// CHECK-NEXT: buf3 = g.call(torch.as_strided, buf2, (4, n2), (1, 4), 0, val=program.fake((4, sym_s0 * 2), (1, 4), torch.float32, "cpu"))
// CHECK-NEXT: g.output(buf3)
// CHECK-NEXT: return g
// CHECK:      kernels.compile()
// CHECK-NEXT: main = program.compile(build_main)
// CHECK:      if __name__ == "__main__":
// CHECK-NEXT: print(main.graph)
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

// -----

// CHECK-LABEL: def build_lambda_0():
// CHECK-NEXT: g = program.graph()
// CHECK-NEXT: if_0 = g.placeholder("if_0", program.fake((2,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: _2_x = g.placeholder("_2_x", program.fake((2,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: buf0 = g.placeholder("buf0", program.fake((2,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: if_1 = g.placeholder("if_1", program.fake((2,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: g.check(host.check_input, if_0, "if", torch.float32, 1, "cpu")
// CHECK-NEXT: g.check(host.check_input, _2_x, "2 x", torch.float32, 1, "cpu")
// CHECK-NEXT: g.check(host.check_input, buf0, "buf0", torch.float32, 1, "cpu")
// CHECK-NEXT: g.check(host.check_input, if_1, "if", torch.float32, 1, "cpu")
// CHECK-NEXT: buf1 = g.call(torch.empty_strided, (2,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: if_0 = g.call(host.match_size_stride, if_0, (2,), (1,), "a\nb\\", val=program.fake((2,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: g.output(buf1)
// CHECK-NEXT: return g
!x = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @lambda(%a: !x {coil.name = "if"}, %b: !x {coil.name = "2 x"}, %c: !x {coil.name = "buf0"}, %d: !x {coil.name = "if"}) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.assert_layout %a, "a\0Ab\\" : !x
  wrapper.return %0 : !x
}

// -----

// CHECK-LABEL: def build_libraries():
// CHECK-NEXT: g = program.graph()
// CHECK-NEXT: sym_s0 = program.symbol("s0", 0, 64, 64)
// CHECK-NEXT: arg0 = g.placeholder("arg0", program.fake((sym_s0, 4), (4, 1), torch.float32, "cpu"))
// CHECK-NEXT: arg1 = g.placeholder("arg1", program.fake((4, 4), (4, 1), torch.float32, "cpu"))
// CHECK-NEXT: arg2 = g.placeholder("arg2", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: arg3 = g.placeholder("arg3", program.fake((1, 2, 8, 8), (128, 64, 8, 1), torch.float32, "cpu"))
// CHECK-NEXT: arg4 = g.placeholder("arg4", program.fake((4, 2, 1, 1), (2, 1, 1, 1), torch.float32, "cpu"))
// CHECK-NEXT: g.check(host.check_input, arg0, "arg0", torch.float32, 2, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg1, "arg1", torch.float32, 2, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg2, "arg2", torch.float32, 1, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg3, "arg3", torch.float32, 4, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg4, "arg4", torch.float32, 4, "cpu")
// CHECK-NEXT: n0 = g.call(aten.sym_size.int, arg0, 0)
// CHECK-NEXT: s0 = n0
// CHECK-NEXT: g.check(host.assert_range, s0, 0, 64, "symbol 's0' (size 0 of input 'arg0')")
// CHECK-NEXT: buf0 = g.call(torch.empty_strided, (s0, 4), (4, 1), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf1 = g.call(torch.empty_strided, (1, 4, 8, 8), (256, 64, 8, 1), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf2 = g.call(torch.empty_strided, (s0, 2), (2, 1), dtype=torch.int64, device="cpu")
// CHECK-NEXT: # {{.*}}
// CHECK-NEXT: n1 = g.call(operator.mul, s0, 4)
// CHECK-NEXT: g.check(host.contraction, "coil_rt_contraction", dims=(s0, 4, 4), a=arg0, a_strides=(4, 0, 1), a_offset=n1, b=arg1, b_strides=(0, 4, 1), bias=arg2, bias_strides=(0, 1, 0), c=buf0, c_strides=(4, 1, 0), post="relu", tf32=True, where="model.py:7", at=("onednn.contraction:0", "linear (model.py:7)"))
// CHECK-NEXT: # {{.*}}
// CHECK-NEXT: g.check(host.convolution, "coil_rt_convolution", arg3, arg4, None, buf1, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, tf32=True, where="model.py:8", at=(
// CHECK-NEXT: # {{.*}}
// CHECK-NEXT: g.check(host.sort, "coil_rt_sort", buf0, 1, True, None, buf2, at=(
// CHECK-NEXT: g.output((buf0, buf1, buf2))
// CHECK-NEXT: return g
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
  wrapper.convolution "onednn" ins(%p, %k : !p, !k) outs(%1 : !q) stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 post none tf32 loc(fused["conv2d", "bias"("model.py":8:1)])
  wrapper.sort "runtime" %0 dim 1 descending indices(%2 : !j) : !m loc(unknown)
  wrapper.return %0, %1, %2 : !m, !q, !j
}

// -----

// CHECK-LABEL: def build_callee():
// CHECK-NEXT: g = program.graph()
// CHECK-NEXT: arg0 = g.placeholder("arg0", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: arg1 = g.placeholder("arg1", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: g.output((arg1,))
// CHECK-NEXT: return g
// CHECK-LABEL: def build_control():
// CHECK-NEXT: g = program.graph()
// CHECK-NEXT: arg0 = g.placeholder("arg0", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: arg1 = g.placeholder("arg1", program.fake((), (), torch.bool, "cpu"))
// CHECK-NEXT: arg2 = g.placeholder("arg2", program.fake((), (), torch.int64, "cpu"))
// CHECK-NEXT: arg3 = g.placeholder("arg3", program.fake((), (), torch.uint64, "cpu"))
// CHECK-NEXT: arg4 = g.placeholder("arg4", program.fake((), (), torch.float64, "cpu"))
// CHECK-NEXT: g.check(host.check_input, arg0, "arg0", torch.float32, 1, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg1, "arg1", torch.bool, 0, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg2, "arg2", torch.int64, 0, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg3, "arg3", torch.uint64, 0, "cpu")
// CHECK-NEXT: g.check(host.check_input, arg4, "arg4", torch.float64, 0, "cpu")
// CHECK-NEXT: n0 = g.call(aten._to_copy.default, arg1, dtype=torch.bool, device="cpu")
// CHECK-NEXT: p0 = g.call(aten.reshape.default, n0, ())
// CHECK-NEXT: sym_k = program.symbol("k", 0, 8, 8)
// CHECK-NEXT: n1 = g.call(aten.item.default, arg2, val=sym_k * 4)
// CHECK-NEXT: n2 = g.call(operator.mod, n1, 4)
// CHECK-NEXT: g.check(host.check, g.call(operator.eq, n2, 0), "the element that symbol 'k' is read from is not a multiple of its divisor", n1, 4)
// CHECK-NEXT: n3 = g.call(operator.floordiv, n1, 4)
// CHECK-NEXT: k = n3
// CHECK-NEXT: g.check(host.assert_range, k, 0, 8, "symbol 'k' (an element)")
// CHECK-NEXT: sym_z = program.symbol("z", 0, None, 64)
// CHECK-NEXT: n4 = g.call(aten.item.default, arg3, val=sym_z)
// CHECK-NEXT: g.check(host.check, g.call(operator.lt, n4, 2**63), "the element that symbol 'z' is read from does not fit", n4, 0)
// CHECK-NEXT: z = n4
// CHECK-NEXT: g.check(host.assert_range, z, 0, None, "symbol 'z' (an element)")
// CHECK-NEXT: n5 = g.call(aten._to_copy.default, arg4, dtype=torch.float64, device="cpu")
// CHECK-NEXT: v0 = g.call(aten.reshape.default, n5, ())
// CHECK-NEXT: v1 = g.call(aten.neg.default, v0)
// CHECK-NEXT: v2 = g.call(aten.div.Tensor, v1, v0)
// CHECK-NEXT: p1 = g.call(aten.logical_not.default, g.call(aten.logical_or.default, g.call(aten.lt.Tensor, v2, v0), g.call(aten.gt.Tensor, v2, v0)))
// CHECK-NEXT: p2 = g.call(aten.logical_and.default, p1, p0)
// CHECK-NEXT: p3 = g.scalar(g.call(operator.lt, k, 3), torch.bool)
// CHECK-NEXT: sym_n = program.symbol("n", 0, 128, 64)
// CHECK-NEXT: true_graph = program.graph()
// CHECK-NEXT: k_0 = true_graph.placeholder("k_0", k.meta["val"])
// CHECK-NEXT: buf0 = true_graph.call(torch.empty_strided, (4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf1 = true_graph.call(torch.as_strided, buf0, (4,), (1,), 0, val=program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: true_graph.output((buf0, 4))
// CHECK-NEXT: false_graph = program.graph()
// CHECK-NEXT: k_1 = false_graph.placeholder("k_1", k.meta["val"])
// CHECK-NEXT: buf2 = false_graph.call(torch.empty_strided, (k_1,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: false_graph.output((buf2, k_1))
// CHECK-NEXT: cond0 = g.cond(p2, true_graph, false_graph, (k,), (program.fake((sym_n,), (1,), torch.float32, "cpu"), sym_n))
// CHECK-NEXT: buf3 = g.get(cond0, 0)
// CHECK-NEXT: n = g.get(cond0, 1)
// CHECK-NEXT: g.check(host.assert_range, n, 0, 128, "symbol 'n'")
// CHECK-NEXT: buf4 = g.call(torch.empty_strided, (4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: true_graph_0 = program.graph()
// CHECK-NEXT: arg0_0 = true_graph_0.placeholder("arg0_0", arg0.meta["val"])
// CHECK-NEXT: buf4_0 = true_graph_0.placeholder("buf4_0", buf4.meta["val"])
// CHECK-NEXT: true_graph_0.call(aten.copy_.default, buf4_0, arg0_0)
// CHECK-NEXT: true_graph_0.output(())
// CHECK-NEXT: false_graph_0 = program.graph()
// CHECK-NEXT: arg0_1 = false_graph_0.placeholder("arg0_1", arg0.meta["val"])
// CHECK-NEXT: buf4_1 = false_graph_0.placeholder("buf4_1", buf4.meta["val"])
// CHECK-NEXT: false_graph_0.output(())
// CHECK-NEXT: cond1 = g.cond(arg1, true_graph_0, false_graph_0, (arg0, buf4), ())
// CHECK-NEXT: buf5 = g.call(torch.empty_strided, (4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: sym_i = program.symbol("i", 0, None, 64)
// CHECK-NEXT: g.check(host.assert_range, 0, 0, None, "symbol 'i'")
// CHECK-NEXT: cond_graph = program.graph()
// CHECK-NEXT: buf6 = cond_graph.placeholder("buf6", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: buf7 = cond_graph.placeholder("buf7", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: i = cond_graph.placeholder("i", sym_i)
// CHECK-NEXT: k_2 = cond_graph.placeholder("k_2", k.meta["val"])
// CHECK-NEXT: p4 = cond_graph.scalar(cond_graph.call(operator.lt, i, k_2), torch.bool)
// CHECK-NEXT: cond_graph.output(p4)
// CHECK-NEXT: body_graph = program.graph()
// CHECK-NEXT: buf8 = body_graph.placeholder("buf8", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: buf9 = body_graph.placeholder("buf9", program.fake((4,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: i_0 = body_graph.placeholder("i_0", sym_i)
// CHECK-NEXT: k_3 = body_graph.placeholder("k_3", k.meta["val"])
// CHECK-NEXT: buf10 = body_graph.call(torch.empty_strided, (4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: n6 = body_graph.call(operator.add, i_0, 1)
// CHECK-NEXT: body_graph.check(host.assert_range, n6, 0, None, "symbol 'i'")
// CHECK-NEXT: body_graph.output((buf9, buf10, n6))
// CHECK-NEXT: loop0 = g.while_loop(cond_graph, body_graph, (buf4, buf5, 0), (k,), (program.fake((4,), (1,), torch.float32, "cpu"), program.fake((4,), (1,), torch.float32, "cpu"), sym_i))
// CHECK-NEXT: buf11 = g.get(loop0, 0)
// CHECK-NEXT: buf12 = g.get(loop0, 1)
// CHECK-NEXT: i_1 = g.get(loop0, 2)
// CHECK-NEXT: g.check(host.assert_range, i_1, 0, None, "symbol 'i'")
// CHECK-NEXT: sym_u = program.symbol("u", 0, None, 64)
// CHECK-NEXT: result0 = g.invoke("callee", build_callee, (buf11, buf12), (program.fake((sym_u * 2,), (1,), torch.float32, "cpu"),))
// CHECK-NEXT: buf13 = g.get(result0, 0)
// CHECK-NEXT: n7 = g.call(aten.sym_size.int, buf13, 0)
// CHECK-NEXT: n8 = g.call(operator.mod, n7, 2)
// CHECK-NEXT: g.check(host.check, g.call(operator.eq, n8, 0), "size 0 of a result is not a multiple of its divisor", n7, 2)
// CHECK-NEXT: n9 = g.call(operator.floordiv, n7, 2)
// CHECK-NEXT: u = n9
// CHECK-NEXT: g.check(host.assert_range, u, 0, None, "symbol 'u' (size 0 of a result)")
// CHECK-NEXT: n10 = g.call(operator.mul, u, 2)
// CHECK-NEXT: g.check(host.assert_size_stride, buf13, (n10,), (1,), "the result")
// CHECK-NEXT: g.output((buf3, buf13))
// CHECK-NEXT: return g
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

// -----

// CHECK-LABEL: def build_pools():
// CHECK-NEXT: g = program.graph()
// CHECK-NEXT: sym_s0 = program.symbol("s0", 0, 64, 64)
// CHECK-NEXT: arg0 = g.placeholder("arg0", program.fake((sym_s0,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: g.check(host.check_input, arg0, "arg0", torch.float32, 1, "cpu")
// CHECK-NEXT: n0 = g.call(aten.sym_size.int, arg0, 0)
// CHECK-NEXT: s0 = n0
// CHECK-NEXT: g.check(host.assert_range, s0, 0, 64, "symbol 's0' (size 0 of input 'arg0')")
// CHECK-NEXT: n1 = g.call(operator.mul, s0, 4)
// CHECK-NEXT: n2 = g.call(operator.add, n1, 64)
// CHECK-NEXT: pool0 = g.call(torch.empty_strided, (n2,), (1,), dtype=torch.uint8, device="cpu")
// CHECK-NEXT: buf0 = g.call(host.carve, pool0, 64, (s0,), (1,), torch.float32, val=program.fake((sym_s0,), (1,), torch.float32, "cpu"))
// CHECK-NEXT: g.call(aten.copy_.default, buf0, arg0)
// CHECK-NEXT: buf1 = g.call(host.reinterpret_tensor, buf0, (s0,), (1,), 0, torch.int32, val=program.fake((sym_s0,), (1,), torch.int32, "cpu"))
// CHECK-NEXT: g.output(())
// CHECK-NEXT: return g
!p = !wrapper.pool<#wrapper.device<"cpu">>
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!j = !wrapper.buffer<[s0], i32, #wrapper.device<"cpu">>

wrapper.func @pools(%x: !b) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %p = wrapper.pool <s0 * 4 + 64> : !p
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.reuse %0 : !b to !j
  wrapper.pool_release %1 : !j
  wrapper.pool_free %p : !p
  wrapper.return
}
