//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers of distributions that take more than one word or a function of
// it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHRANDOMOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHRANDOMOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"
include "coil/Dialect/Graph/IR/GraphRandomEnums.td"

def Graph_RandomOp : Graph_Op<"random", [Pure]> {
  let summary = "random numbers of a distribution";
  let description = [{
    What the framework's CUDA kernels draw with the seed and the offset in
    `state`, `skip` groups of four words later. `graph.random_bits` gives single
    words; this op gives numbers of 64 bits, which take two, and functions of
    words that such a kernel computes with approximate instructions.

    For n elements, T = 256 min(`blocks`, ceil(n / 256)) threads draw one element
    at a time, a grid apart: element e is of thread t = e mod T, which has drawn
    k = e div T before. A group of four words,
    Philox(key = seed, counter = offset div 4 + `skip` + k div u, stream = t),
    is for u elements: 4 of `f32`, 2 of 64 bits. The element is number p = k mod u
    of its group w[0..3].

    | distribution | element of `f32` | element of 64 bits |
    |---|---|---|
    | `bits` | | `ui64`: w[2p] is the high word, w[2p+1] the low one |
    | `uniform` | U = 2^-32 w[p] + 2^-33 | U = 2^-53 (w[2p] ^ w[2p+1] << 21) + 2^-54 |
    | `normal` | Box and Muller's pair of U and an angle in (0, 2 pi] from the words 2 (p div 2) and 2 (p div 2) + 1 | the pair of U and an angle from all four words |
    | `log` | log U | log U |
    | `exponential` | -log U, and epsilon / 2 where U is 1 or its neighbour | likewise |
    | `cauchy` | tan(pi (U - 1/2)), U at least epsilon from 0 and from 1 | tan(pi (U - 1/2)) |

    U is in (0, 1]. An even element of a pair is the one with the sine. Where a
    GPU has instructions for them, `log`, sine and cosine of `f32` are approximate,
    as the framework's are; elsewhere they are as exact as `graph.log` is.

    (C1) `skip` mentions symbols only and is not a negative constant.
    (C2) `blocks` is positive.
    (C3) `state` has two elements.
    (C4) `bits` are `ui64`, all others `f32` or `f64`.

    Example:
    ```mlir
    %0 = graph.random normal, %state skip <0> blocks 1056 : tensor<2xi64> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Graph_Distribution:$distribution,
                       1DTensorOf<[I64]>:$state, Sym_ExprAttr:$skip,
                       I64Attr:$blocks);
  let results = (outs Graph_TensorOf<[UI64, F32, F64]>:$result);
  let assemblyFormat = [{
    $distribution `,` $state `skip` $skip `blocks` $blocks attr-dict `:`
    type($state) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Elements of this type that a group of four words makes.
    static int64_t getGroupSize(::mlir::Type elementType);
    int64_t getGroupSize() {
      return getGroupSize(getResult().getType().getElementType());
    }
    /// Groups that drawing `n` elements takes of each stream.
    static ::coil::sym::ExprAttr getNumGroups(::coil::sym::ExprAttr n,
                                              ::mlir::Type elementType,
                                              int64_t blocks);
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHRANDOMOPS_TD
