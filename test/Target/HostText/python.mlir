// RUN: coil-translate --wrapper-to-python --split-input-file %s | FileCheck %s

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

// CHECK:      import torch
// CHECK:      from coil import host
// CHECK:      kernels = host.Kernels()
// CHECK:      relu = kernels.add("relu", r'''
// CHECK-NEXT: wrapper.kernel @relu(
// CHECK:        loop.kernel "relu" [s0 * 2, 4]
// CHECK:      ''')
// CHECK:      kernels.compile()

// CHECK-LABEL: def main(args):
// CHECK-NEXT: tokens, = host.unpack(args, 1)
// CHECK-NEXT: host.check_input(tokens, "tokens", torch.float32, 2, "cpu")
// CHECK-NEXT: s0 = tokens.size(0) // 2
// CHECK-NEXT: host.assert_range(s0, 1, 64, "symbol 's0' (size 0 of input 'tokens')")
// CHECK-NEXT: tokens = host.match_size_stride(tokens, (s0 * 2, 4), (4, 1), "tokens")
// CHECK-NEXT: m = min(s0 % 8, s0 // 4 + 1) - max(7, s0 * -3)
// CHECK-NEXT: host.check(s0 % 2 == 0, "an even \"number\"", s0 % 2, 0)
// CHECK-NEXT: buf0 = empty_strided((s0 * 2, 4), (4, 1), dtype=torch.float32, device="cpu")
// CHECK-NEXT: # [relu:0] {{.*}}:[[#@LINE+23]]
// CHECK-NEXT: relu(tokens, buf0, s0)
// CHECK-NEXT: buf1 = reinterpret_tensor(buf0, (s0 * 2, 4), (4, 1), 0, torch.int32)  # reuse
// CHECK-NEXT: del buf0
// CHECK-NEXT: buf2 = buf1  # reuse
// CHECK-NEXT: del buf1
// CHECK-NEXT: del buf2
// CHECK-NEXT: buf3 = empty_strided((s0 * 2, 4), (4, 1), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf3.copy_(tokens)
// CHECK-NEXT: buf4 = reinterpret_tensor(buf3, (4, s0 * 2), (1, 4), 0)
// CHECK-NEXT: return (buf4,)
// CHECK-LABEL: def benchmark_compiled_module(times=10, repeat=10, profile=False, memory_snapshot=None):
// CHECK-NEXT: s0 = 8
// CHECK-NEXT: args = [
// CHECK-NEXT: host.rand_strided((s0 * 2, 4), (4, 1), dtype=torch.float32, device="cpu"),
// CHECK:      if __name__ == "__main__":
// CHECK-NEXT: host.run_benchmark(benchmark_compiled_module)
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

// A divisor that may be zero counts as one.

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: def divisors(args):
// CHECK:      n = s0 // (s0 + 1) + 8 % (s0 - 1 or 1)
wrapper.func @divisors(%x: !x) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.sym_expr "n" = <8 mod (s0 - 1) + s0 floordiv (s0 + 1)>
  wrapper.return
}

// -----

// Names: keywords, what is taken, what is no identifier; control characters.

!x = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: def lambda_0(args):
// CHECK-NEXT: if_0, _2_x, buf0, if_1 = host.unpack(args, 4)
// CHECK-NEXT: host.check_input(if_0, "if",
// CHECK-NEXT: host.check_input(_2_x, "2 x",
// CHECK-NEXT: host.check_input(buf0, "buf0",
// CHECK-NEXT: host.check_input(if_1, "if",
// CHECK-NEXT: buf1 = empty_strided(
// CHECK-NEXT: if_0 = host.match_size_stride(if_0, (2,), (1,), "a\nb\\")
wrapper.func @lambda(%a: !x {coil.name = "if"}, %b: !x {coil.name = "2 x"}, %c: !x {coil.name = "buf0"}, %d: !x {coil.name = "if"}) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.assert_layout %a, "a\0Ab\\" : !x
  wrapper.return %0 : !x
}

// -----

// Constants belong to the module, each once; what a list cannot say is bytes.

!f = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], bf16, #wrapper.device<"cpu">>

// CHECK:      constant0 = host.constant([1.5, -2.0], (2,), torch.float32, "cpu")
// CHECK-NEXT: constant1 = host.constant([True], (3,), torch.bool, "cpu")
// CHECK-NEXT: constant2 = host.constant_bytes("{{.*}}", (2,), torch.bfloat16, "cpu")
// CHECK-NEXT: constant3 = host.constant_bytes("{{.*}}", (2,), torch.float32, "cpu")
// CHECK-LABEL: def constants(args):
// CHECK:      return (constant0, constant0, constant1, constant2, constant3)
wrapper.func @constants() -> (!f, !f, !b, !h, !f) {
  %0 = wrapper.constant dense<[1.5, -2.0]> : tensor<2xf32> to !f
  %1 = wrapper.constant dense<[1.5, -2.0]> : tensor<2xf32> to !f
  %2 = wrapper.constant dense<true> : tensor<3xi1> to !b
  %3 = wrapper.constant dense<[1.5, -2.0]> : tensor<2xbf16> to !h
  %4 = wrapper.constant dense<[0x7F800000, 1.0]> : tensor<2xf32> to !f
  wrapper.return %0, %1, %2, %3, %4 : !f, !f, !b, !h, !f
}

// -----

// Library calls, with the place in the source that a failure names.

!m = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[1, 2, 8, 8], f32, #wrapper.device<"cpu">>
!k = !wrapper.buffer<[4, 2, 1, 1], f32, #wrapper.device<"cpu">>
!q = !wrapper.buffer<[1, 4, 8, 8], f32, #wrapper.device<"cpu">>
!j = !wrapper.buffer<[s0, 2], i64, #wrapper.device<"cpu">>

// CHECK-LABEL: def libraries(args):
// CHECK:      # [onednn.contraction:[[#C:]]] linear (model.py:7)
// CHECK-NEXT: host.contraction("coil_rt_contraction", dims=(s0, 4, 4), a=arg0, a_strides=(4, 0, 1), a_offset=s0 * 4, b=arg1, b_strides=(0, 4, 1), bias=arg2, bias_strides=(0, 1, 0), c=buf0, c_strides=(4, 1, 0), post="relu", tf32=True, where="model.py:7")
// CHECK-NEXT: # [onednn.convolution:[[#C+1]]] conv2d, bias (model.py:8)
// CHECK-NEXT: host.convolution("coil_rt_convolution", arg3, arg4, None, buf1, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, tf32=True, where="model.py:8")
// CHECK-NEXT: # [runtime.sort:[[#C+2]]] of unknown source
// CHECK-NEXT: host.sort("coil_rt_sort", buf0, 1, True, None, buf2)
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

// Branches move what they yield to the results' names and delete their own;
// elements and sizes of results.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!z = !wrapper.buffer<[], ui64, #wrapper.device<"cpu">>
!d = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>

// CHECK-LABEL: def callee(args):
// CHECK-NEXT: arg0, arg1 = host.unpack(args, 2)
// CHECK-NEXT: del arg0
// CHECK-NEXT: return (arg1,)
wrapper.func private @callee(%x: !b {wrapper.consumed}, %y: !b {wrapper.consumed}) -> !b {
  wrapper.free %x : !b
  wrapper.return %y : !b
}

// CHECK-LABEL: def control(args):
// CHECK:      p0 = bool(arg1.item())
// CHECK-NEXT: k = int(arg2.item())
// CHECK-NEXT: host.check(k % 4 == 0, "the element that symbol 'k' is read from is not a multiple of its divisor", k, 4)
// CHECK-NEXT: k //= 4
// CHECK-NEXT: host.assert_range(k, 0, 8, "symbol 'k' (an element)")
// CHECK-NEXT: z = int(arg3.item())
// CHECK-NEXT: host.check(z < 2**63, "the element that symbol 'z' is read from does not fit", z, 0)
// CHECK-NEXT: host.assert_range(z, 0, None, "symbol 'z' (an element)")
// CHECK-NEXT: v0 = float(arg4.item())
// CHECK-NEXT: v1 = -v0
// CHECK-NEXT: v2 = host.divide(v1, v0)
// CHECK-NEXT: p1 = not (v2 < v0 or v2 > v0)
// CHECK-NEXT: p2 = p1 and p0
// CHECK-NEXT: p3 = k < 3
// CHECK-NEXT: if p2:
// CHECK-NEXT:     buf1 = empty_strided((4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT:     buf2 = reinterpret_tensor(buf1, (4,), (1,), 0)
// CHECK-NEXT:     buf0, n = buf1, 4
// CHECK-NEXT:     del buf1, buf2
// CHECK-NEXT:     host.assert_range(n, 0, 128, "symbol 'n'")
// CHECK-NEXT: else:
// CHECK-NEXT:     buf3 = empty_strided((k,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT:     buf0, n = buf3, k
// CHECK-NEXT:     del buf3
// CHECK-NEXT:     host.assert_range(n, 0, 128, "symbol 'n'")
// CHECK-NEXT: buf4 = empty_strided((4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: if arg1.item():
// CHECK-NEXT:     buf4.copy_(arg0)
// CHECK-NEXT: else:
// CHECK-NEXT:     pass
// CHECK-NEXT: buf5 = empty_strided((4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT: buf6, buf7, i = buf4, buf5, 0
// CHECK-NEXT: del buf4, buf5
// CHECK-NEXT: host.assert_range(i, 0, None, "symbol 'i'")
// CHECK-NEXT: while True:
// CHECK-NEXT:     p4 = i < k
// CHECK-NEXT:     if not p4:
// CHECK-NEXT:         break
// CHECK-NEXT:     buf8 = empty_strided((4,), (1,), dtype=torch.float32, device="cpu")
// CHECK-NEXT:     del buf6
// CHECK-NEXT:     buf6, buf7, i = buf7, buf8, i + 1
// CHECK-NEXT:     del buf8
// CHECK-NEXT:     host.assert_range(i, 0, None, "symbol 'i'")
// CHECK-NEXT: args = [buf6, buf7]
// CHECK-NEXT: del buf6, buf7
// CHECK-NEXT: buf9, = callee(args)
// CHECK-NEXT: u = buf9.size(0)
// CHECK-NEXT: host.check(u % 2 == 0, "size 0 of a result is not a multiple of its divisor", u, 2)
// CHECK-NEXT: u //= 2
// CHECK-NEXT: host.assert_range(u, 0, None, "symbol 'u' (size 0 of a result)")
// CHECK-NEXT: host.assert_size_stride(buf9, (u * 2,), (1,), "the result")
// CHECK-NEXT: return (buf0, buf9)
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

// Buffers that are carved from a pool; the pool goes when all are gone.

!p = !wrapper.pool<#wrapper.device<"cpu">>
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!j = !wrapper.buffer<[s0], i32, #wrapper.device<"cpu">>

// CHECK-LABEL: def pools(args):
// CHECK:      pool0 = empty_strided((s0 * 4 + 64,), (1,), dtype=torch.uint8, device="cpu")
// CHECK-NEXT: buf0 = host.carve(pool0, 64, (s0,), (1,), torch.float32)
// CHECK-NEXT: buf0.copy_(arg0)
// CHECK-NEXT: buf1 = reinterpret_tensor(buf0, (s0,), (1,), 0, torch.int32)  # reuse
// CHECK-NEXT: del buf0
// CHECK-NEXT: del buf1
// CHECK-NEXT: del pool0
// CHECK-NEXT: return ()
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
