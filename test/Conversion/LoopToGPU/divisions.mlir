// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' | FileCheck %s

// A quotient that a program asks for is rounded once, also where a row has one
// divisor: another kernel may round or compare it.
// CHECK-LABEL: gpu.func @scaled
// CHECK:         arith.divf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
wrapper.kernel @scaled(%x: tensor<64x128xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[128, 1]>], output_strides = [#sym.shape<[128, 1]>], symbols = []} {
  %0 = loop.kernel "scaled" [64, 128] (%a = %x) : (tensor<64x128xf32>) -> tensor<64x128xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 32, threads_p = 2, persistent = true, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x128xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %q = arith.divf %v, %m : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<64x128xf32>
}

// Divisors with a larger error of their own: one inverse for a row of softmax, and
// the division within 2 ulp for sigmoid.
// CHECK-LABEL: gpu.func @softmax
// CHECK:         arith.divf %{{.+}}, %{{.+}} fastmath<arcp> : vector<4xf32>
wrapper.kernel @softmax(%x: tensor<64x128xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[128, 1]>], output_strides = [#sym.shape<[128, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [64, 128] (%a = %x) : (tensor<64x128xf32>) -> tensor<64x128xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 32, threads_p = 2, persistent = true, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x128xf32> -> f32
    %e = math.exp %v : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<64x128xf32>
}

// CHECK-LABEL: gpu.func @sigmoid
// CHECK:         arith.divf %{{.+}}, %{{.+}} fastmath<contract> : vector<4xf32>
wrapper.kernel @sigmoid(%x: tensor<64x128xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[128, 1]>], output_strides = [#sym.shape<[128, 1]>], symbols = []} {
  %0 = loop.kernel "sigmoid" [8192] (%a = %x) : (tensor<64x128xf32>) -> tensor<64x128xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 64, index_bits = 32> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0 floordiv 128, d0 mod 128] : tensor<64x128xf32> -> f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %s = arith.addf %e, %one : f32
    %q = arith.divf %one, %s : f32
    loop.store %q, 0 [d0 floordiv 128, d0 mod 128] : f32
  }
  wrapper.yield %0 : tensor<64x128xf32>
}

// One by a square root is one instruction, as it is for PyTorch on a GPU.
// CHECK-LABEL: gpu.func @inverse_root
// CHECK:         math.rsqrt %{{.+}} : vector<4xf32>
// CHECK-NOT:     arith.divf
wrapper.kernel @inverse_root(%x: tensor<8192xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "inverse_root" [8192] (%a = %x) : (tensor<8192xf32>) -> tensor<8192xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 64, index_bits = 32> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0] : tensor<8192xf32> -> f32
    %r = math.sqrt %v : f32
    %q = arith.divf %one, %r : f32
    loop.store %q, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<8192xf32>
}

// But where a step sees it, of which the last bit could make another one.
// CHECK-LABEL: gpu.func @inverse_root_floor
// CHECK:         math.sqrt
// CHECK:         arith.divf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
wrapper.kernel @inverse_root_floor(%x: tensor<8192xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "inverse_root" [8192] (%a = %x) : (tensor<8192xf32>) -> tensor<8192xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 64, index_bits = 32> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0] : tensor<8192xf32> -> f32
    %r = math.sqrt %v : f32
    %q = arith.divf %one, %r : f32
    %f = math.floor %q : f32
    loop.store %f, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<8192xf32>
}

// A quotient and a root that are rounded to 16 bits: the division within 2 ulp of
// f32, and the approximate root. A comparison behind the rounding sees neither.
// CHECK-LABEL: gpu.func @narrow
// CHECK:         math.sqrt %{{.+}} fastmath<afn> : vector<4xf32>
// CHECK:         arith.divf %{{.+}}, %{{.+}} fastmath<contract> : vector<4xf32>
wrapper.kernel @narrow(%x: tensor<8192xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "narrow" [8192] (%a = %x) : (tensor<8192xbf16>) -> tensor<8192xi1> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 64, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<8192xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %r = math.sqrt %e : f32
    %n = arith.truncf %r : f32 to bf16
    %m = arith.extf %n : bf16 to f32
    %q = arith.divf %e, %m : f32
    %t = arith.truncf %q : f32 to bf16
    %u = arith.extf %t : bf16 to f32
    %zero = arith.constant 1.5 : f32
    %c = arith.cmpf olt, %u, %zero : f32
    loop.store %c, 0 [d0] : i1
  }
  wrapper.yield %0 : tensor<8192xi1>
}
