// RUN: coil-opt %s --convert-loop-to-wrapper=device=cuda | FileCheck %s
// RUN: coil-compile %s --target=cuda:sm_90 --emit=python -o %t.py
// RUN: FileCheck %s --input-file=%t.py --check-prefix=PY
// RUN: coil-compile %s --target=cuda:sm_90 --emit=cpp -o %t.cpp
// RUN: FileCheck %s --input-file=%t.cpp --check-prefix=CPP
// RUN: coil-opt %s --convert-loop-to-wrapper | FileCheck %s --check-prefix=CPU

// A kernel of a GPU knows what the addresses of inputs are multiples of: as many
// bytes as the function says, fewer where a view begins elsewhere. The host
// program copies an input that begins at a multiple of fewer.
// CHECK-LABEL: wrapper.kernel @add_0
// CHECK-SAME: alignment = array<i64: 8, 4, 16>
// CHECK-LABEL: wrapper.func @main
// CHECK-SAME: {coil.alignment = 8 : i64}

// PY: arg0 = host.aligned(arg0, 8)
// PY: arg1 = host.aligned(arg1, 16)
// CPP: coil_rt_input_cuda(run, &inputs[0], "arg0", 8, &arg0)
// CPP: coil_rt_input_cuda(run, &inputs[1], "arg1", 16, &arg1)

// Vectors of a CPU begin anywhere.
// CPU-LABEL: wrapper.kernel @add_0
// CPU-NOT: alignment
// CPU: wrapper.yield
func.func @main(%x: tensor<8xf32> {coil.alignment = 8 : i64}, %z: tensor<4xf32>) -> tensor<4xf32> {
  %y = loop.view %x[d0 + 1] : tensor<8xf32> -> tensor<4xf32>
  %0 = loop.kernel "add" [4] (%a = %x, %b = %y, %c = %z) : (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %u = loop.load %a[d0] : tensor<8xf32> -> f32
    %v = loop.load %b[d0] : tensor<4xf32> -> f32
    %w = loop.load %c[d0] : tensor<4xf32> -> f32
    %uv = arith.addf %u, %v : f32
    %uvw = arith.addf %uv, %w : f32
    loop.store %uvw, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}
