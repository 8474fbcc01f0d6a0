// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-flatten-pointwise))' --split-input-file | FileCheck %s

// Rows of 1001 halves: one dimension, in which all vectors are whole.
// CHECK-LABEL: wrapper.kernel @scale
// CHECK:         loop.kernel "scale" [3003000]
// CHECK:           loop.load %{{.+}}[d0 floordiv 1001, d0 mod 1001]
// CHECK:           loop.load %{{.+}}[d0 floordiv 1001]
// CHECK:           loop.store %{{.+}}, 0[d0 floordiv 1001, d0 mod 1001]
wrapper.kernel @scale(%x: tensor<3000x1001xf16>, %s: tensor<3000xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1001, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1001, 1]>], symbols = []} {
  %0 = loop.kernel "scale" [3000, 1001] (%a = %x, %b = %s) : (tensor<3000x1001xf16>, tensor<3000xf16>) -> tensor<3000x1001xf16> {
    %u = loop.load %a[d0, d1] : tensor<3000x1001xf16> -> f16
    %v = loop.load %b[d0] : tensor<3000xf16> -> f16
    %w = arith.mulf %u, %v : f16
    loop.store %w, 0[d0, d1] : f16
  }
  wrapper.yield %0 : tensor<3000x1001xf16>
}

// -----

// The order is that of the result, whatever that of the kernel; the outermost
// size may be unknown.
// CHECK-LABEL: wrapper.kernel @order
// CHECK:         loop.kernel "scale" [s0 * 1001]
// CHECK:           loop.load %{{.+}}[d0 mod 1001, d0 floordiv 1001]
wrapper.kernel @order(%x: tensor<1001x?xf16, #sym.shape<[1001, s0]>>, %s: tensor<?xf16, #sym.shape<[s0]>>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1, 1001]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1, 1001]>], symbols = ["s0"], sym.symbols = {s0 = #sym.range<2, 4096, hint = 512>}} {
  %0 = loop.kernel "scale" [1001, s0] (%a = %x, %b = %s) : (tensor<1001x?xf16, #sym.shape<[1001, s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<1001x?xf16, #sym.shape<[1001, s0]>> {
    %u = loop.load %a[d0, d1] : tensor<1001x?xf16, #sym.shape<[1001, s0]>> -> f16
    %v = loop.load %b[d1] : tensor<?xf16, #sym.shape<[s0]>> -> f16
    %w = arith.mulf %u, %v : f16
    loop.store %w, 0[d0, d1] : f16
  }
  wrapper.yield %0 : tensor<1001x?xf16, #sym.shape<[1001, s0]>>
}

// -----

// (C1) A row that is summed keeps its dimension.
// CHECK-LABEL: wrapper.kernel @loop_flatten_pointwise_c1
// CHECK:         loop.kernel "sum" [3000, 1001]
wrapper.kernel @loop_flatten_pointwise_c1(%x: tensor<3000x1001xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1001, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [3000, 1001] (%a = %x) : (tensor<3000x1001xf16>) -> tensor<3000xf16> {
    %u = loop.load %a[d0, d1] : tensor<3000x1001xf16> -> f16
    %s = loop.reduce sum %u over [1] : f16
    loop.store %s, 0[d0] : f16
  }
  wrapper.yield %0 : tensor<3000xf16>
}

// -----

// (C2) Rows of the result that are apart.
// CHECK-LABEL: wrapper.kernel @loop_flatten_pointwise_c2
// CHECK:         loop.kernel "scale" [3000, 1001]
wrapper.kernel @loop_flatten_pointwise_c2(%x: tensor<3000x1001xf16>, %s: tensor<3000xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1001, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1003, 1]>], symbols = []} {
  %0 = loop.kernel "scale" [3000, 1001] (%a = %x, %b = %s) : (tensor<3000x1001xf16>, tensor<3000xf16>) -> tensor<3000x1001xf16> {
    %u = loop.load %a[d0, d1] : tensor<3000x1001xf16> -> f16
    %v = loop.load %b[d0] : tensor<3000xf16> -> f16
    %w = arith.mulf %u, %v : f16
    loop.store %w, 0[d0, d1] : f16
  }
  wrapper.yield %0 : tensor<3000x1001xf16>
}

// -----

// (C2) Rows whose length is not known, which would be divided by it.
// CHECK-LABEL: wrapper.kernel @loop_flatten_pointwise_c2_symbolic
// CHECK:         loop.kernel "scale" [3000, s0]
wrapper.kernel @loop_flatten_pointwise_c2_symbolic(%x: tensor<3000x?xf16, #sym.shape<[3000, s0]>>, %s: tensor<3000xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[s0, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[s0, 1]>], symbols = ["s0"], sym.symbols = {s0 = #sym.range<2, 4096, hint = 1001>}} {
  %0 = loop.kernel "scale" [3000, s0] (%a = %x, %b = %s) : (tensor<3000x?xf16, #sym.shape<[3000, s0]>>, tensor<3000xf16>) -> tensor<3000x?xf16, #sym.shape<[3000, s0]>> {
    %u = loop.load %a[d0, d1] : tensor<3000x?xf16, #sym.shape<[3000, s0]>> -> f16
    %v = loop.load %b[d0] : tensor<3000xf16> -> f16
    %w = arith.mulf %u, %v : f16
    loop.store %w, 0[d0, d1] : f16
  }
  wrapper.yield %0 : tensor<3000x?xf16, #sym.shape<[3000, s0]>>
}

// -----

// (C3) Rows of whole vectors.
// CHECK-LABEL: wrapper.kernel @loop_flatten_pointwise_c3
// CHECK:         loop.kernel "scale" [3000, 1024]
wrapper.kernel @loop_flatten_pointwise_c3(%x: tensor<3000x1024xf16>, %s: tensor<3000xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "scale" [3000, 1024] (%a = %x, %b = %s) : (tensor<3000x1024xf16>, tensor<3000xf16>) -> tensor<3000x1024xf16> {
    %u = loop.load %a[d0, d1] : tensor<3000x1024xf16> -> f16
    %v = loop.load %b[d0] : tensor<3000xf16> -> f16
    %w = arith.mulf %u, %v : f16
    loop.store %w, 0[d0, d1] : f16
  }
  wrapper.yield %0 : tensor<3000x1024xf16>
}
