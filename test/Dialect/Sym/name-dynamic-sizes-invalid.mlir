// RUN: coil-opt %s --sym-name-dynamic-sizes --split-input-file --verify-diagnostics

// expected-error@+1 {{has dynamic sizes and branches between blocks; sizes are named in functions of one block}}
func.func @sym_name_dynamic_sizes_c1(%x: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  cf.cond_br %p, ^a, ^b
^a:
  return %x : tensor<?xf32>
^b:
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @sym_name_dynamic_sizes_c2(%n: tensor<index>) -> tensor<?xf32> {
  %k = tensor.extract %n[] : tensor<index>
  // expected-error@+1 {{'tensor.empty' op has a result whose size 0 cannot be computed from the sizes of the function's arguments}}
  %0 = tensor.empty(%k) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @sym_name_dynamic_sizes_c2_unknown_operation(%x: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  // expected-error@+1 {{'scf.if' op has results with dynamic sizes, which are not known for this operation}}
  %0 = scf.if %p -> tensor<?xf32> {
    %1 = math.exp %x : tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    %1 = math.sin %x : tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @sym_name_dynamic_sizes_c3(%x: tensor<?xf32>, %y: tensor<4xf32>, %z: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %z : tensor<8xf32> to tensor<?xf32>
  %2 = arith.addf %x, %0 : tensor<?xf32>
  // expected-error@+1 {{'arith.addf' op needs equal sizes, but they are 4 and 8}}
  %3 = arith.addf %x, %1 : tensor<?xf32>
  return %2, %3 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A name that the function has is not replaced by a constant.
func.func @static_by_name(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?x?xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'tensor.expand_shape' op has a tensor whose size 0 is always 2, but not static in its type}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%c2, %c2] : tensor<?xf32, #sym.shape<[s0]>> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
