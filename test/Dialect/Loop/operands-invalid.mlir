// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @load_c6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.kernel "twice" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %t = arith.addf %a, %a : tensor<4xf32>
    // expected-error@+1 {{'loop.load' op reads a tensor that is not an operand of the kernel}}
    %v = loop.load %t[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @load_c6_view(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.kernel "copy" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %t = loop.view %a[d0] : tensor<4xf32> -> tensor<4xf32>
    // expected-error@+1 {{'loop.load' op reads a tensor that is not an operand of the kernel}}
    %v = loop.load %t[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @attention_c1_rank(%q: tensor<8x64x64xf16>) {
  // expected-error@+1 {{expected operands and result of rank four with elements of 'f16' or 'bf16' but got 'tensor<8x64x64xf16>'}}
  %0 = loop.attention "cudnn" %q, %q, %q scale 1.0 : (tensor<8x64x64xf16>, tensor<8x64x64xf16>, tensor<8x64x64xf16>) -> tensor<8x64x64xf16>
  return
}

// -----

func.func @attention_c1_type(%q: tensor<2x8x64x64xf32>) {
  // expected-error@+1 {{expected operands and result of rank four with elements of 'f16' or 'bf16' but got 'tensor<2x8x64x64xf32>'}}
  %0 = loop.attention "cudnn" %q, %q, %q scale 1.0 : (tensor<2x8x64x64xf32>, tensor<2x8x64x64xf32>, tensor<2x8x64x64xf32>) -> tensor<2x64x8x64xf32>
  return
}
