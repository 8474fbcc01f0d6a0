//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where buffers lie in a pool: offsets over the symbols of a program that keep
// buffers apart for all values of the symbols.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_ANALYSIS_POOLLAYOUT_H
#define COIL_DIALECT_WRAPPER_ANALYSIS_POOLLAYOUT_H

#include "coil/Dialect/Sym/IR/Expr.h"

#include <optional>

namespace coil::wrapper {

/// Whether `e` is a multiple of `divisor` for all values of its symbols, as far
/// as its terms say.
bool isMultipleOf(sym::ExprAttr e, int64_t divisor);

/// Rounds up to a multiple of `alignment`.
sym::ExprAttr alignTo(sym::ExprAttr bytes, int64_t alignment);

/// Whether `a <= b` can be shown for all values of the symbols. Sees through
/// maxima, which offsets in pools are made of.
bool isAtMost(sym::ExprAttr a, sym::ExprAttr b, const sym::Context &facts);

/// Whether what has `bytes` bytes from `begin` on can be shown to end at
/// `limit`, or before it. `limit` need not be a multiple of the alignment.
bool endsBefore(sym::ExprAttr begin, sym::ExprAttr bytes, sym::ExprAttr limit,
                int64_t alignment, const sym::Context &facts);

/// What has to be in a pool during the steps [begin, end).
struct PoolLeaf {
  size_t begin = 0, end = 0;
  /// Not negative.
  sym::ExprAttr bytes;
  /// The same at the hints of the symbols, rounded up to the alignment.
  int64_t hint = 0;
};

struct PoolLayout {
  /// By leaf; null for one that was left out: because it did not fit,
  /// because its offset would be a very long expression, or because it could
  /// not be shown to stay apart from others.
  llvm::SmallVector<sym::ExprAttr> offsets;
  /// Size of the pool, a multiple of the alignment.
  sym::ExprAttr bytes;
};

/// A pool that can hold only some of the leaves, at the hints.
struct PoolRoom {
  int64_t bytes = 0;
  /// Given the leaves that are left out, a step at which this needs too much
  /// memory; nothing if there is none.
  llvm::function_ref<std::optional<size_t>(llvm::ArrayRef<unsigned>)>
      findExcess;
};

/// Lays leaves out by descending size, each into the gap that fits it best,
/// also in other orders; the lowest layout at the hints is taken. What that
/// says about which of two leaves lies lower is then made expressions: a leaf
/// begins where the highest of those below it ends. All begin at multiples of
/// `alignment`.
PoolLayout layOutPool(mlir::MLIRContext *context,
                      llvm::ArrayRef<PoolLeaf> leaves, int64_t alignment,
                      const sym::Context &facts);

/// The same in less space than all need. Nothing if no choice of what to leave
/// out was found that needs little enough.
std::optional<PoolLayout>
layOutPool(mlir::MLIRContext *context, llvm::ArrayRef<PoolLeaf> leaves,
           int64_t alignment, const sym::Context &facts, const PoolRoom &room);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_ANALYSIS_POOLLAYOUT_H
