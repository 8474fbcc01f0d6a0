// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file --verify-diagnostics
// RUN: not coil-translate %s --wrapper-to-cpp --split-input-file 2>&1 | FileCheck %s --check-prefix=CPP

// A run has one device of a kind whose runtime is not that of GPUs.
// CPP: 'peers' works on #wrapper.device<"cpu", 1> and #wrapper.device<"cpu">, but a run is bound to one device of that kind
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], f32, #wrapper.device<"cpu", 1>>
// expected-note @below {{the other one is here}}
wrapper.func @peers(%x: !g {coil.name = "x"}) -> !p {
  // expected-error @below {{'peers' works on #wrapper.device<"cpu", 1> and #wrapper.device<"cpu">, but a run is bound to one device of that kind; programs in Python and FX graphs are not}}
  %0 = wrapper.alloc : !p
  wrapper.transfer %x to %0 : !g to !p
  wrapper.return %0 : !p
}

// -----

// Kernels reach the memory of one GPU.
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!p = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>
wrapper.kernel @double(%x0: tensor<4xf32>) attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
wrapper.func @both(%x: !g {coil.name = "x"}) -> !p {
  %0 = wrapper.alloc : !p
  // expected-error @below {{works on #wrapper.device<"cuda"> and #wrapper.device<"cuda", 1> at once, but kernels and libraries reach the memory of one device; 'wrapper.transfer' moves elements}}
  wrapper.launch @double[] ins(%x : !g) outs(%0 : !p)
  wrapper.return %0 : !p
}
