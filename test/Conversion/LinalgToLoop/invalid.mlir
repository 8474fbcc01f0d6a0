// RUN: coil-opt %s --convert-linalg-to-loop --split-input-file --verify-diagnostics

func.func @convert_linalg_to_loop_c1(%x: memref<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'linalg.copy' op has no form as a loop kernel: it works on buffers, not on tensors}}
  linalg.copy ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  %0 = math.exp %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @convert_linalg_to_loop_c2(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'math.exp' op has no form as a loop kernel: a tensor has a size without an expression; run 'sym-name-dynamic-sizes' before}}
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @convert_linalg_to_loop_c3_different_loops(%x: tensor<4x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'linalg.generic' op has no form as a loop kernel: its results reduce over different loops}}
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #col], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%y, %y : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %p = arith.addf %s, %a : f32
    %q = arith.addf %t, %a : f32
    linalg.yield %p, %q : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @convert_linalg_to_loop_c3_parallel(%x: tensor<4x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'linalg.generic' op has no form as a loop kernel: result 0 does not walk the parallel loop 1}}
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %p = arith.addf %s, %a : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0 + d1)>
func.func @convert_linalg_to_loop_c3_indexed(%x: tensor<4x4xf32>, %y: tensor<7xf32>) -> tensor<7xf32> {
  // expected-error@+1 {{'linalg.generic' op has no form as a loop kernel: result 0 is indexed by more than loops}}
  %0 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%y : tensor<7xf32>) {
  ^bb0(%a: f32, %s: f32):
    %p = arith.addf %s, %a : f32
    linalg.yield %p : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// Nothing of the function is converted where one operation has no form.
#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @convert_linalg_to_loop_c4(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %e = math.exp %x : tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op has no form as a loop kernel: result 0 is combined by none of sum, product, maximum, minimum, and, or, xor}}
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%e : tensor<4xf32>) outs(%y : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %p = arith.divf %s, %a : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @convert_linalg_to_loop_c5(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.map' op has no form as a loop kernel: it computes with 'scf.if'}}
  %0 = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    %z = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %z : f32
    %v = scf.if %p -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %z : f32
    }
    linalg.yield %v : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @convert_linalg_to_loop_c5_ipowi(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'math.ipowi' op has no form as a loop kernel: it computes with 'math.ipowi'}}
  %0 = math.ipowi %x, %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @convert_linalg_to_loop_c5_argument(%x: tensor<4xf32>, %y: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.fill' op has no form as a loop kernel: it uses an argument that is no tensor}}
  %0 = linalg.fill ins(%y : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @convert_linalg_to_loop_c6(%x: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error@+1 {{'arith.addi' op has no form as a loop kernel: it has elements of the type 'i4'}}
  %0 = arith.addi %x, %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

func.func @convert_linalg_to_loop_c6_body(%x: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  // expected-error@+1 {{'linalg.map' op has no form as a loop kernel: it computes with the type 'i9'}}
  %0 = linalg.map ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) (%a: i8, %o: i8) {
    %w = arith.extsi %a : i8 to i9
    %s = arith.addi %w, %w : i9
    %r = arith.trunci %s : i9 to i8
    linalg.yield %r : i8
  }
  return %0 : tensor<4xi8>
}

// -----

func.func @convert_linalg_to_loop_c7(%x: tensor<2xf32>, %y: tensor<8xf32>, %i: tensor<i64>) -> tensor<8xf32> {
  %0 = tensor.extract %i[] : tensor<i64>
  %1 = arith.index_cast %0 : i64 to index
  // expected-error@+1 {{'tensor.insert_slice' op has no form as a loop kernel: offset 0 does not come from sizes}}
  %2 = tensor.insert_slice %x into %y[%1] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

func.func @convert_linalg_to_loop_c7_stride(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<2xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32, #sym.shape<[s0]>>
  // expected-error@+1 {{'tensor.extract_slice' op has no form as a loop kernel: stride 0 is no constant}}
  %0 = tensor.extract_slice %x[0] [2] [%n] : tensor<?xf32, #sym.shape<[s0]>> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @branches(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %c = tensor.extract %p[] : tensor<i1>
  // expected-error@+1 {{'scf.if' op has no form as a loop kernel: no conversion of it is known}}
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = math.exp %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
