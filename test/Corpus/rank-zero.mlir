// RUN: %corpus %s
// Buffers of rank zero: one element.
// CASE: f32=3 -> f32=6; f32=-3

!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<f32>) attributes {input_strides = [#sym.shape<[]>],
    output_strides = [#sym.shape<[]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [] (%a0 = %x0) : (tensor<f32>) -> tensor<f32> {
    %v0 = loop.load %a0[] : tensor<f32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

wrapper.kernel @neg(%x0: tensor<f32>) attributes {input_strides = [#sym.shape<[]>],
    output_strides = [#sym.shape<[]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "neg" [] (%a0 = %x0) : (tensor<f32>) -> tensor<f32> {
    %v0 = loop.load %a0[] : tensor<f32> -> f32
    %m = arith.negf %v0 : f32
    loop.store %m, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

wrapper.func @main(%x: !f) -> (!f, !f) {
  %0 = wrapper.alloc : !f
  wrapper.launch @double[] ins(%x : !f) outs(%0 : !f)
  %1 = wrapper.alloc : !f
  wrapper.launch @neg[] ins(%x : !f) outs(%1 : !f)
  wrapper.return %0, %1 : !f, !f
}
