//--- softmax.linalg.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %r = tensor.empty(%n) : tensor<?xf32>
  %r0 = linalg.fill ins(%low : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%r0 : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<?x64xf32>, tensor<?xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  %p = linalg.exp ins(%d : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<?x64xf32>) outs(%s0 : tensor<?xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<?x64xf32>, tensor<?xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
//--- softmax.graph.mlir
!t = tensor<?x64xf32, #sym.shape<[s0, 64]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !t) -> !t attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %m = graph.reduce max, %x dims [1] keepdims : (!t) -> !r
  %d = graph.sub %x, %m : (!t, !r) -> !t
  %e = graph.exp %d : (!t) -> !t
  %s = graph.reduce sum, %e dims [1] keepdims : (!t) -> !r
  %y = graph.div %e, %s : (!t, !r) -> !t
  return %y : !t
}
//--- softmax_named.linalg.mlir
func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
//--- softmax_named.graph.mlir
!t = tensor<?x64xf32, #sym.shape<[s0, 64]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !t) -> !t attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %m = graph.reduce max, %x dims [1] keepdims : (!t) -> !r
  %d = graph.sub %x, %m : (!t, !r) -> !t
  %e = graph.exp %d : (!t) -> !t
  %s = graph.reduce sum, %e dims [1] keepdims : (!t) -> !r
  %y = graph.div %e, %s : (!t, !r) -> !t
  return %y : !t
}
//--- layer_norm.linalg.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x96xf32>, %w: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %count = arith.constant 96.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %n = tensor.dim %x, %c0 : tensor<?x96xf32>
  %e = tensor.empty(%n) : tensor<?x96xf32>
  %r = tensor.empty(%n) : tensor<?xf32>
  %r0 = linalg.fill ins(%z : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x96xf32>) outs(%r0 : tensor<?xf32>) dimensions = [1]
  %mean = linalg.map ins(%s : tensor<?xf32>) outs(%r : tensor<?xf32>) (%a: f32, %o: f32) {
    %v = arith.divf %a, %count : f32
    linalg.yield %v : f32
  }
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<?x96xf32>, tensor<?xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %v = arith.subf %a, %m : f32
    linalg.yield %v : f32
  } -> tensor<?x96xf32>
  %q = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<?x96xf32>) outs(%r0 : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %i = linalg.map ins(%q : tensor<?xf32>) outs(%r : tensor<?xf32>) (%a: f32, %o: f32) {
    %v = arith.divf %a, %count : f32
    %u = arith.addf %v, %eps : f32
    %t = math.rsqrt %u : f32
    linalg.yield %t : f32
  }
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %i, %w, %b : tensor<?x96xf32>, tensor<?xf32>, tensor<96xf32>, tensor<96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %v: f32, %g: f32, %h: f32, %o: f32):
    %p = arith.mulf %a, %v : f32
    %t = arith.mulf %p, %g : f32
    %u = arith.addf %t, %h : f32
    linalg.yield %u : f32
  } -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
//--- layer_norm.graph.mlir
!t = tensor<?x96xf32, #sym.shape<[s0, 96]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
!c = tensor<96xf32>
!s = tensor<f32>
func.func @main(%x: !t, %w: !c, %b: !c) -> !t attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %count = graph.full 96.0 : f32 -> !s
  %eps = graph.full 1.0e-05 : f32 -> !s
  %s = graph.reduce sum, %x dims [1] keepdims : (!t) -> !r
  %mean = graph.div %s, %count : (!r, !s) -> !r
  %d = graph.sub %x, %mean : (!t, !r) -> !t
  %p = graph.mul %d, %d : (!t, !t) -> !t
  %q = graph.reduce sum, %p dims [1] keepdims : (!t) -> !r
  %v = graph.div %q, %count : (!r, !s) -> !r
  %u = graph.add %v, %eps : (!r, !s) -> !r
  %i = graph.rsqrt %u : (!r) -> !r
  %0 = graph.mul %d, %i : (!t, !r) -> !t
  %1 = graph.mul %0, %w : (!t, !c) -> !t
  %2 = graph.add %1, %b : (!t, !c) -> !t
  return %2 : !t
}
//--- gelu_mlp.linalg.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x64xf32>, %w0: tensor<64x256xf32>, %b0: tensor<256xf32>, %w1: tensor<256x64xf32>, %b1: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.707106769 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty(%n) : tensor<?x256xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %h = linalg.matmul ins(%x, %w0 : tensor<?x64xf32>, tensor<64x256xf32>) outs(%f0 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %g = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h, %b0 : tensor<?x256xf32>, tensor<256xf32>) outs(%e0 : tensor<?x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x256xf32>
  %k = linalg.map ins(%g : tensor<?x256xf32>) outs(%e0 : tensor<?x256xf32>) (%a: f32, %o: f32) {
    %s = arith.mulf %a, %root : f32
    %t = math.erf %s : f32
    %u = arith.addf %t, %one : f32
    %v = arith.mulf %a, %half : f32
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  }
  %e1 = tensor.empty(%n) : tensor<?x64xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %m = linalg.matmul ins(%k, %w1 : tensor<?x256xf32>, tensor<256x64xf32>) outs(%f1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b1 : tensor<?x64xf32>, tensor<64xf32>) outs(%e1 : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
//--- gelu_mlp.graph.mlir
!x = tensor<?x64xf32, #sym.shape<[s0, 64]>>
!h = tensor<?x256xf32, #sym.shape<[s0, 256]>>
!s = tensor<f32>
func.func @main(%x: !x, %w0: tensor<64x256xf32>, %b0: tensor<256xf32>, %w1: tensor<256x64xf32>, %b1: tensor<64xf32>) -> !x attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %half = graph.full 0.5 : f32 -> !s
  %one = graph.full 1.0 : f32 -> !s
  %root = graph.full 0.707106769 : f32 -> !s
  %0 = graph.matmul %x, %w0 : (!x, tensor<64x256xf32>) -> !h
  %1 = graph.add %0, %b0 : (!h, tensor<256xf32>) -> !h
  %2 = graph.mul %1, %root : (!h, !s) -> !h
  %3 = graph.erf %2 : (!h) -> !h
  %4 = graph.add %3, %one : (!h, !s) -> !h
  %5 = graph.mul %1, %half : (!h, !s) -> !h
  %6 = graph.mul %5, %4 : (!h, !h) -> !h
  %7 = graph.matmul %6, %w1 : (!h, tensor<256x64xf32>) -> !x
  %8 = graph.add %7, %b1 : (!x, tensor<64xf32>) -> !x
  return %8 : !x
}
//--- attention.linalg.mlir
#q = affine_map<(h, l, s, e) -> (h, l, e)>
#k = affine_map<(h, l, s, e) -> (h, s, e)>
#p = affine_map<(h, l, s, e) -> (h, l, s)>
func.func @main(%q: tensor<8x32x64xf32>, %k: tensor<8x32x64xf32>, %v: tensor<8x32x64xf32>) -> tensor<8x32x64xf32> {
  %z = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<8x32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x32x64xf32>, tensor<8x32x64xf32>) outs(%f : tensor<8x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x32x32xf32>
  %t = linalg.map ins(%s : tensor<8x32x32xf32>) outs(%e : tensor<8x32x32xf32>) (%a: f32, %o: f32) {
    %m = arith.mulf %a, %scale : f32
    linalg.yield %m : f32
  }
  %w = linalg.softmax dimension(2) ins(%t : tensor<8x32x32xf32>) outs(%e : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
  %o = tensor.empty() : tensor<8x32x64xf32>
  %of = linalg.fill ins(%z : f32) outs(%o : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x32x32xf32>, tensor<8x32x64xf32>) outs(%of : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  return %y : tensor<8x32x64xf32>
}
//--- attention.graph.mlir
!x = tensor<8x32x64xf32>
!s = tensor<8x32x32xf32>
!r = tensor<8x32x1xf32>
func.func @main(%q: !x, %k: !x, %v: !x) -> !x {
  %scale = graph.full 0.125 : f32 -> tensor<f32>
  %t = graph.permute %k [0, 2, 1] : (!x) -> tensor<8x64x32xf32>
  %0 = graph.matmul %q, %t : (!x, tensor<8x64x32xf32>) -> !s
  %1 = graph.mul %0, %scale : (!s, tensor<f32>) -> !s
  %m = graph.reduce max, %1 dims [2] keepdims : (!s) -> !r
  %d = graph.sub %1, %m : (!s, !r) -> !s
  %e = graph.exp %d : (!s) -> !s
  %n = graph.reduce sum, %e dims [2] keepdims : (!s) -> !r
  %w = graph.div %e, %n : (!s, !r) -> !s
  %y = graph.matmul %w, %v : (!s, !x) -> !x
  return %y : !x
}
//--- conv.linalg.mlir
func.func @main(%x: tensor<1x3x16x16xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<1x8x16x16xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x3x16x16xf32> to tensor<1x3x18x18xf32>
  %e = tensor.empty() : tensor<1x8x16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x3x18x18xf32>, tensor<8x3x3x3xf32>) outs(%f : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  return %0 : tensor<1x8x16x16xf32>
}
//--- conv.graph.mlir
func.func @main(%x: tensor<1x3x16x16xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<1x8x16x16xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x16x16xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x16x16xf32>
  return %0 : tensor<1x8x16x16xf32>
}
