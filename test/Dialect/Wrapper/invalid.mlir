// RUN: coil-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{buffer has 2 sizes but 1 strides}}
wrapper.func private @buffer_c1(!wrapper.buffer<[2, 3], strides = [1], f32, #wrapper.device<"cpu">>)

// -----

// expected-error@+1 {{buffer has a size or stride 'd0' that is not an expression over symbols}}
wrapper.func private @buffer_c2(!wrapper.buffer<[d0], f32, #wrapper.device<"cpu">>)

// -----

// expected-error@+1 {{buffer cannot have elements of type 'i4'}}
wrapper.func private @buffer_c3(!wrapper.buffer<[2], i4, #wrapper.device<"cpu">>)

// -----

// expected-error@+1 {{expected a device such as '#wrapper.device<"cpu">'}}
wrapper.func private @buffer_device(!wrapper.buffer<[2], f32, 5>)

// -----

// expected-error@+1 {{expected buffers in the signature but got 'tensor<4xf32>'}}
wrapper.func @func_c1(%x: tensor<4xf32>) {
  wrapper.return
}

// -----

wrapper.func @func_c2() {
  // expected-error@+1 {{mentions symbol 's0', which nothing has bound before}}
  %0 = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @func_c2_twice(%x: !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) {
  wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{binds symbol 's0' again}}
  wrapper.sym_expr "s0" = <1>
  wrapper.return
}

// -----

wrapper.func @func_c2_solve(%x: !wrapper.buffer<[s0 + s1], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{mentions symbol 's1', which nothing has bound before}}
  wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[s0 + s1], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

// expected-note@+1 {{the function has type}}
wrapper.func @return_c1(%x: !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{operand types differ from the function's results}}
  wrapper.return %x : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
}

// -----

wrapper.func @input_symbol_c1(%x: !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{dimension 1 does not exist in a buffer of rank 1}}
  wrapper.input_symbol "s0" = size 1 of %x : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @input_symbol_c1_argument() {
  %x = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{expected an argument of the function}}
  wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @input_symbol_c2(%x: !wrapper.buffer<[s0 mod 8], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{expression 's0 mod 8' is not linear in 's0'}}
  wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[s0 mod 8], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @sym_expr_c1() {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  wrapper.sym_expr "n" = <d0>
  wrapper.return
}

// -----

wrapper.func @assert_c1() {
  // expected-error@+1 {{expression 't0' mentions a dimension or an indirect index}}
  wrapper.assert <1> le <t0>, "no"
  wrapper.return
}

// -----

wrapper.func @assert_layout_c1() {
  %x = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{expected an argument of the function}}
  wrapper.assert_layout %x, "x" : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @alloc_c1() {
  // expected-error@+1 {{cannot allocate a buffer with the negative stride -1}}
  %x = wrapper.alloc : !wrapper.buffer<[2], strides = [-1], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @free_c1(%x: !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{operand is an argument of the function, whose storage belongs to the caller}}
  wrapper.free %x : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @reuse_c1() {
  %x = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{moves storage from #wrapper.device<"cpu"> to #wrapper.device<"cpu", 1>}}
  %y = wrapper.reuse %x : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu", 1>>
  wrapper.return
}

// -----

wrapper.func @reuse_c2() {
  %x = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{source takes '8' bytes but the result takes '12'}}
  %y = wrapper.reuse %x : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @reuse_c3(%x: !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{operand is an argument of the function}}
  %y = wrapper.reuse %x : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @reinterpret_c1(%x: !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{changes the element type or the device}}
  %y = wrapper.reinterpret %x at <0> : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], i32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @reinterpret_c3() {
  %0 = wrapper.alloc : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
  %1 = wrapper.reinterpret %0 at <6> : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{has elements up to position 7 + 2 of an allocation of 8}}
  %2 = wrapper.reinterpret %0 at <7> : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

// A verifier that follows views does not do so for ever.
wrapper.func @reinterpret_of_itself() {
  %p = wrapper.pool <64> : !wrapper.pool<#wrapper.device<"cpu">>
  %1 = wrapper.reinterpret %1 at <0> : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{operand is not carved from a pool}}
  wrapper.pool_release %1 : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @reinterpret_c2(%x: !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  %y = wrapper.reinterpret %x at <d0> : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @copy_c1(%x: !wrapper.buffer<[2, 2], strides = [1, 2], f32, #wrapper.device<"cpu">>) {
  %y = wrapper.alloc : !wrapper.buffer<[2, 2], strides = [1, 2], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{expected contiguous buffers}}
  wrapper.copy %x to %y : !wrapper.buffer<[2, 2], strides = [1, 2], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

// expected-error@+1 {{has arguments but no 'loop.kernel'}}
wrapper.kernel @kernel_c1(%x: tensor<4xf32>) attributes {input_strides = [], output_strides = [], symbols = []} {
}

// -----

wrapper.kernel @kernel_c1_operands(%x: tensor<4xf32>, %y: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{expected the arguments of the enclosing 'wrapper.kernel' in order as operands}}
  %0 = loop.kernel "id" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// -----

wrapper.kernel @kernel_c1_results(%x: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "id" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  // expected-error@+1 {{expected the results of the 'loop.kernel' in order}}
  wrapper.yield %x : tensor<4xf32>
}

// -----

wrapper.kernel @kernel_c2() attributes {input_strides = [], output_strides = [], symbols = []} {
  // expected-error@+1 {{expected a symbol in the body of a lowered kernel}}
  %0 = arith.constant 0 : i32
}

// -----

// expected-error@+1 {{has strides for 2 inputs but 1 inputs}}
wrapper.kernel @kernel_c3(%x: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "id" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{has 2 strides for output 0 of rank 1}}
wrapper.kernel @kernel_c3_rank(%x: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1, 1]>], symbols = []} {
  %0 = loop.kernel "id" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{mentions symbol 's0', which it does not list}}
wrapper.kernel @kernel_c4() attributes {input_strides = [], output_strides = [], symbols = [], total = #sym.expr<s0>} {
}

// -----

// expected-error@+1 {{'in_place' is not a list of pairs of an existing input and output}}
wrapper.kernel @kernel_c5() attributes {input_strides = [], output_strides = [], symbols = [], in_place = array<i64: 0, 0>} {
}

// -----

// expected-error@+1 {{'alignment' is not a list of a power of two from 1 to 16 for each input}}
wrapper.kernel @kernel_c6() attributes {input_strides = [#sym.shape<[1]>], output_strides = [], symbols = [], alignment = array<i64: 12>} {
}

// -----

// expected-error@+1 {{'alignment' is not a list of a power of two from 1 to 16 for each input}}
wrapper.kernel @kernel_c6_count() attributes {input_strides = [#sym.shape<[1]>], output_strides = [], symbols = [], alignment = array<i64: 8, 8>} {
}

// -----

wrapper.func @launch_c1() {
  // expected-error@+1 {{'main' is not a kernel}}
  wrapper.launch @main[]
  wrapper.return
}

// -----

// expected-note@+1 {{kernel defined here}}
wrapper.kernel @k() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}

wrapper.func @launch_c2() {
  // expected-error@+1 {{has 0 outputs but the kernel has 1}}
  wrapper.launch @k[]
  wrapper.return
}

// -----

// expected-note@+1 {{kernel defined here}}
wrapper.kernel @id_0(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "id" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}

wrapper.func @launch_c3(%x: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) {
  %y = wrapper.alloc : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.launch @id_0[4] ins(%x : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) outs(%y : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
  // expected-error@+1 {{input 0 has type '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>', which is not what the kernel has for it}}
  wrapper.launch @id_0[5] ins(%x : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) outs(%y : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c1(%x: !b, %y: !b) {
  // expected-error@+1 {{expected three to seven dimensions but got 2}}
  wrapper.contraction "onednn"[4, 4] a(%x[4, 1] : !b) b(%x[1, 4] : !b) c(%y[4, 1] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c1_strides(%x: !b, %y: !b) {
  // expected-error@+1 {{has 2 strides of 'a' for 3 dimensions}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 1] : !b) b(%x[0, 1, 4] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c2(%x: !b, %y: !b) {
  // expected-error@+1 {{'b' varies over m}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !b) b(%x[2, 1, 4] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c3(%x: !b, %y: !b) {
  // expected-error@+1 {{'bias' varies over m and n}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !b) b(%x[0, 1, 4] : !b) bias(%x[4, 1, 0] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f64, #wrapper.device<"cpu">>
wrapper.func @contraction_c4(%x: !b, %y: !b) {
  // expected-error@+1 {{expected factors of one type, f32, f16 or bf16, and a result and bias of that or f32}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !b) b(%x[0, 1, 4] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c5(%x: !b, %y: !b) {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] at <d0> : !b) b(%x[0, 1, 4] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c7_stride(%x: !b, %y: !b) {
  // expected-error@+1 {{touches the elements 0 to 12884901891 of 'b', whose buffer has 0 to 15}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !b) b(%x[0, 1, 4294967296] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c7_offset(%x: !b, %y: !b) {
  // expected-error@+1 {{touches the elements 1 to 16 of 'c', whose buffer has 0 to 15}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !b) b(%x[0, 1, 4] : !b) c(%y[4, 1, 0] at <1> : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c7_negative(%x: !b, %y: !b) {
  // expected-error@+1 {{touches the elements -9 to 6 of 'a', whose buffer has 0 to 15}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[-4, 0, 1] at <3> : !b) b(%x[0, 1, 4] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c7_saturated(%x: !b, %y: !b) {
  // expected-error@+1 {{touches the elements 0 to 9223372036854775807 of 'bias', whose buffer has 0 to 15}}
  wrapper.contraction "onednn"[4, 4, 4] a(%x[4, 0, 1] : !b) b(%x[0, 1, 4] : !b) bias(%x[0, 4611686018427387904, 0] : !b) c(%y[4, 1, 0] : !b) post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @convolution_c1(%x: !b, %y: !b) {
  // expected-error@+1 {{expected operands of the same rank, three to five}}
  wrapper.convolution "onednn" ins(%x, %x : !b, !b) outs(%y : !b) stride [] padding [] dilation [] groups 1 post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @convolution_c2(%x: !b, %y: !b) {
  // expected-error@+1 {{expected a positive stride and dilation and a padding for each of 1 spatial dimensions, and positive groups}}
  wrapper.convolution "onednn" ins(%x, %x : !b, !b) outs(%y : !b) stride [0] padding [0] dilation [1] groups 1 post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @convolution_c3(%x: !b, %y: !b) {
  // expected-error@+1 {{expected a bias of rank one}}
  wrapper.convolution "onednn" ins(%x, %x : !b, !b) bias(%x : !b) outs(%y : !b) stride [1] padding [0] dilation [1] groups 1 post none
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4, 4, 4], i8, #wrapper.device<"cpu">>
wrapper.func @convolution_c4(%x: !b, %y: !b) {
  // expected-error@+1 {{expected factors of one type, f32, f16 or bf16}}
  wrapper.convolution "onednn" ins(%x, %x : !b, !b) outs(%y : !b) stride [1] padding [0] dilation [1] groups 1 post none
  wrapper.return
}

// -----

wrapper.func @constant_c1() {
  // expected-error@+1 {{value of type 'tensor<2xf32>' does not fill a buffer of type '!wrapper.buffer<[3], f32, #wrapper.device<"cpu">>'}}
  %0 = wrapper.constant dense<1.0> : tensor<2xf32> to !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @copy_types(%x: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, %y: !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{all of {source, target} have same type}}
  "wrapper.copy"(%x, %y) : (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>) -> ()
  wrapper.return
}

// -----

// expected-error@+1 {{expected one 'loop.kernel' and a 'wrapper.yield'}}
wrapper.kernel @kernel_c1_two(%x: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "id" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  %1 = loop.view %0[d0] : tensor<4xf32> -> tensor<4xf32>
  wrapper.yield %0 : tensor<4xf32>
}

// -----

!b = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @contraction_c3_strides(%x: !b, %y: !b) {
  // expected-error@+1 {{bias and its strides come together}}
  "wrapper.contraction"(%x, %x, %y) <{library = "onednn", dims = #sym.shape<[4, 4, 4]>, a_strides = #sym.shape<[4, 0, 1]>, b_strides = #sym.shape<[0, 1, 4]>, c_strides = #sym.shape<[4, 1, 0]>, a_offset = #sym.expr<0>, b_offset = #sym.expr<0>, c_offset = #sym.expr<0>, bias_strides = #sym.shape<[0, 1, 0]>, post = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!b, !b, !b) -> ()
  wrapper.return
}

// -----

// (C7)
// expected-error@+1 {{'batch' is not the number of blocks along the second dimension of its geometry}}
wrapper.kernel @kernel_c7_blocks() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [], symbols = [],
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [32, 1, 1], shared = 0, errors = false>, batch = 2} {
}

// -----

// (C7)
// expected-error@+1 {{has 3 inputs and 2 outputs for a batch of 2}}
wrapper.kernel @kernel_c7_count() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>, #sym.shape<[1]>], symbols = [],
    geometry = #wrapper.geometry<grid = [1, 2, 1], block = [32, 1, 1], shared = 0, errors = false>, batch = 2} {
}

// -----

!a = !wrapper.buffer<[1, 4, 8, 8], f32, #wrapper.device<"cuda">>
wrapper.func @attention_c1(%x: !a, %y: !a) {
  // expected-error@+1 {{expected operands of rank four with one element type, f16 or bf16}}
  wrapper.attention "cudnn" ins(%x, %x, %x : !a, !a, !a) outs(%y : !a) scale 1.0
  wrapper.return
}

// -----

!a = !wrapper.buffer<[1, 4, 8, 8], f16, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[1, 4, 7, 8], f16, #wrapper.device<"cuda">>
wrapper.func @attention_c2(%x: !a, %y: !b) {
  // expected-error@+1 {{the sizes of its operands do not fit}}
  wrapper.attention "cudnn" ins(%x, %x, %x : !a, !a, !a) outs(%y : !b) scale 1.0
  wrapper.return
}

// -----

// expected-error@+1 {{cost has a number 'd0' that is not an expression over symbols}}
wrapper.func private @cost_c1() attributes {a = #wrapper.cost<bytes = <d0>, flops = <1>>}

// -----

wrapper.func @cost_c2(%x: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{'wrapper.cost' is the cost of a launch or library call}}
  %0 = wrapper.alloc {wrapper.cost = #wrapper.cost<bytes = <4>, flops = <1>>} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

// expected-error@+1 {{'wrapper.cost' is the cost of a launch or library call}}
wrapper.func private @cost_c2_kind() attributes {wrapper.cost = 5 : i64}

// -----

!s = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @sort_c1(%x: !s) {
  %v = wrapper.alloc : !s
  // expected-error@+1 {{has dimension 1 but its operand has rank 1}}
  wrapper.sort "runtime" %x dim 1 values(%v : !s) : !s
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @sort_c1_result(%x: !s) {
  // expected-error@+1 {{has no result}}
  wrapper.sort "runtime" %x dim 0 : !s
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4, 4], strides = [1, 4], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
wrapper.func @sort_c2(%x: !s) {
  %v = wrapper.alloc : !t
  // expected-error@+1 {{expected contiguous buffers}}
  wrapper.sort "runtime" %x dim 0 values(%v : !t) : !s
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[4, 3], f32, #wrapper.device<"cpu">>
wrapper.func @sort_c3(%x: !s) {
  %v = wrapper.alloc : !t
  // expected-error@+1 {{the sizes of its operands do not fit}}
  wrapper.sort "runtime" %x dim 0 values(%v : !t) : !s
  wrapper.return
}

// -----

!s = !wrapper.buffer<[4], f8E5M2, #wrapper.device<"cpu">>
wrapper.func @sort_c4(%x: !s) {
  %v = wrapper.alloc : !s
  // expected-error@+1 {{expected values of the operand's element type, not a float of 8 bits, and positions of 'i64'}}
  wrapper.sort "runtime" %x dim 0 values(%v : !s) : !s
  wrapper.return
}

// -----

!h = !wrapper.buffer<[4, 4], bf16, #wrapper.device<"cuda">>
wrapper.func @contraction_c6(%x: !h, %y: !h) {
  // expected-error@+1 {{'tf32' goes with factors of f32 but got 'bf16'}}
  wrapper.contraction "cublaslt"[4, 4, 4] a(%x[4, 0, 1] : !h) b(%x[0, 1, 4] : !h) c(%y[4, 1, 0] : !h) post none tf32
  wrapper.return
}

// -----

!h = !wrapper.buffer<[1, 2, 4], f16, #wrapper.device<"cuda">>
!w = !wrapper.buffer<[2, 2, 1], f16, #wrapper.device<"cuda">>
wrapper.func @convolution_c5(%x: !h, %w: !w, %y: !h) {
  // expected-error@+1 {{'tf32' goes with factors of f32 but got 'f16'}}
  wrapper.convolution "cudnn" ins(%x, %w : !h, !w) outs(%y : !h) stride [1] padding [0] dilation [1] groups 1 post none tf32
  wrapper.return
}

// -----

// expected-error@+1 {{has strides for input 0 that reach beyond 2^56 bytes}}
wrapper.kernel @kernel_c12(%x: tensor<4xf32>) attributes {input_strides = [#sym.shape<[4611686018427387904]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %1, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{has strides for input 0 that reach beyond 2^56 bytes}}
wrapper.kernel @kernel_c12_dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {input_strides = [#sym.shape<[4611686018427387904]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "k" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
    %1 = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    loop.store %1, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// -----

// Verifiers follow what values are made of before it is known that they come before their uses.
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @reuse_of_itself() {
  %b = wrapper.reuse %b : !b to !b
  // expected-error@+1 {{operand is not carved from a pool}}
  wrapper.pool_release %b : !b
  wrapper.return
}

// -----

// An argument's sizes are bound by what reads them, not by the argument.
!b = !wrapper.buffer<[2, s0, 3], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2, 4, 3], i64, #wrapper.device<"cpu">>
wrapper.func @argument_of_unknown_size(%x: !b) -> !i {
  %0 = wrapper.alloc : !i
  // expected-error@+1 {{mentions symbol 's0', which nothing has bound before}}
  wrapper.sort "runtime" %x dim 1 descending indices(%0 : !i) : !b
  wrapper.return %0 : !i
}

// -----

!b = !wrapper.buffer<[s0, s1], f32, #wrapper.device<"cuda">>
wrapper.func @tensor_map_of_unknown_size(%x: !b) {
  wrapper.input_symbol "s1" = size 1 of %x : !b
  // expected-error@+1 {{mentions symbol 's0', which nothing has bound before}}
  %d = wrapper.tma_descriptor %x box [4, 4] : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.func @call_with_unknown_size(%x: !b) {
  // expected-error@+1 {{mentions symbol 's0', which nothing has bound before}}
  %0 = wrapper.extern_call "test::f"(%x) : (!b) -> !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.return
}
