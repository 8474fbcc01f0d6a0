//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Building, bounding, solving, evaluating and lowering symbolic expressions.
// Every builder returns the normal form described at `#sym.expr`.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_EXPR_H
#define COIL_DIALECT_SYM_IR_EXPR_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace mlir {
class RankedTensorType;
class Type;
} // namespace mlir

namespace coil::sym {

/// \name Leaves
/// @{
ExprAttr constant(mlir::MLIRContext *ctx, int64_t value);
ExprAttr dim(mlir::MLIRContext *ctx, unsigned position);
ExprAttr arg(mlir::MLIRContext *ctx, unsigned position);
ExprAttr symbol(mlir::MLIRContext *ctx, llvm::StringRef name);
/// @}

/// \name Operators
/// Division and remainder round toward minus infinity; divisors are assumed
/// positive.
/// @{
ExprAttr add(ExprAttr a, ExprAttr b);
ExprAttr sub(ExprAttr a, ExprAttr b);
ExprAttr mul(ExprAttr a, ExprAttr b);
ExprAttr neg(ExprAttr a);
ExprAttr floorDiv(ExprAttr a, ExprAttr b);
ExprAttr ceilDiv(ExprAttr a, ExprAttr b);
ExprAttr mod(ExprAttr a, ExprAttr b);
ExprAttr min(ExprAttr a, ExprAttr b);
ExprAttr max(ExprAttr a, ExprAttr b);
ExprAttr add(ExprAttr a, int64_t b);
ExprAttr mul(ExprAttr a, int64_t b);
ExprAttr product(mlir::MLIRContext *ctx, llvm::ArrayRef<ExprAttr> factors);
/// @}

/// The terms of a sum: pairs of a coefficient-free product and its constant
/// coefficient; the constant term has the product `1`.
struct Term {
  ExprAttr product;
  int64_t coefficient;
};
llvm::SmallVector<Term> getTerms(ExprAttr e);

/// Splits `e` into `coefficient * d + rest`, where neither part mentions `d`.
/// Returns nothing when `e` is not linear in the leaf `d`.
std::optional<std::pair<ExprAttr, ExprAttr>> splitLinear(ExprAttr e,
                                                         ExprAttr d);

/// True when `leaf` (a dimension, indirect index or symbol) occurs in `e`.
bool mentions(ExprAttr e, ExprAttr leaf);
/// True when an indirect index occurs in `e`.
bool isIndirect(ExprAttr e);
/// Calls `fn` for every leaf that is not a constant.
void walkLeaves(ExprAttr e, llvm::function_ref<void(ExprAttr)> fn);

/// Replaces leaves; `fn` returns null to keep a leaf.
ExprAttr substitute(ExprAttr e, llvm::function_ref<ExprAttr(ExprAttr)> fn);
/// Replaces dimension `i` by `dims[i]` and indirect index `i` by `args[i]`.
ExprAttr substituteDims(ExprAttr e, llvm::ArrayRef<ExprAttr> dims,
                        llvm::ArrayRef<ExprAttr> args = {});

/// The same for every expression of a list.
ShapeAttr substituteDims(ShapeAttr exprs, llvm::ArrayRef<ExprAttr> dims);

/// Position of an element: the sum of indices times strides.
ExprAttr getAddress(mlir::MLIRContext *ctx, llvm::ArrayRef<ExprAttr> indices,
                    llvm::ArrayRef<ExprAttr> strides);

/// Evaluates `e`; `leaf` gives the value of each leaf. Returns nothing when a
/// leaf has no value, on overflow and on a divisor that is not positive.
std::optional<int64_t>
evaluate(ExprAttr e, llvm::function_ref<std::optional<int64_t>(ExprAttr)> leaf);

/// Solves `e == rhs` for the only symbol `unknown` in `e`. The result mentions
/// the leaves of `rhs`; division is `floordiv`, and the caller has to check
/// the solution by evaluating `e`. Returns nothing when `e` is not linear in
/// `unknown`.
ExprAttr solve(ExprAttr e, ExprAttr rhs, ExprAttr unknown);

/// Inclusive bounds; INT64_MIN and INT64_MAX stand for unbounded.
struct Bounds {
  int64_t lo = INT64_MIN;
  int64_t hi = INT64_MAX;
};

class Proofs;

/// What is known about leaves: ranges of symbols and extents of dimensions.
///
/// Kernels of one program mostly have the same facts and the same index
/// expressions. So contexts of equal facts, from equal `sym.symbols`, share
/// what they derive, for the life of the MLIR context. Both are uniqued
/// attributes that never change, which is why a shared result stays true.
class Context {
public:
  Context() = default;
  /// Reads the `sym.symbols` attribute of `op` or its closest parent with one.
  static Context forOp(mlir::Operation *op);

  /// Adds to or replaces the facts; what was derived before is forgotten, and
  /// from now on not shared.
  void setSymbol(llvm::StringRef name, Bounds bounds);
  void setDimExtents(llvm::ArrayRef<ExprAttr> extents);
  llvm::ArrayRef<ExprAttr> getDimExtents() const { return dims; }

  /// Interval of values of `e`.
  Bounds bounds(ExprAttr e) const;
  /// True only when `e >= 0` holds for all values of the leaves.
  bool isNonNegative(ExprAttr e) const;
  /// True only when `a < b` (`a <= b`) holds for all values of the leaves.
  bool isLess(ExprAttr a, ExprAttr b) const {
    return isNonNegative(add(sub(b, a), -1));
  }
  bool isLessOrEqual(ExprAttr a, ExprAttr b) const {
    return isNonNegative(sub(b, a));
  }

  /// Drops floor divisions, remainders, minima and maxima that the ranges
  /// make trivial, and joins `x mod m + m * (x floordiv m)` to `x`.
  ExprAttr simplify(ExprAttr e) const;

private:
  bool isNonNegative(ExprAttr e, unsigned depth) const;
  ExprAttr deriveSimplified(ExprAttr e) const;
  Proofs &getProofs(mlir::MLIRContext *context) const;

  llvm::StringMap<Bounds> symbols;
  llvm::SmallVector<ExprAttr> dims;
  /// Where the symbols' ranges come from, unless they were set one by one.
  mlir::DictionaryAttr source;
  bool isShared = true;
  /// Found at the first question.
  mutable std::shared_ptr<Proofs> proofs;
};

/// Name of the function attribute that maps symbol names to `#sym.range`.
inline constexpr llvm::StringLiteral kSymbolsAttrName = "sym.symbols";

/// Builds a tensor type of the given sizes: a static type when all are
/// constant, else one with a `#sym.shape` encoding.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<ExprAttr> sizes,
                                     mlir::Type elementType);
/// The sizes of a tensor type. A dynamic dimension without an encoding gives
/// a null expression.
llvm::SmallVector<ExprAttr> getSizes(mlir::RankedTensorType type);
/// Number of elements.
ExprAttr getNumElements(mlir::RankedTensorType type);
/// Row-major contiguous strides for the given sizes.
llvm::SmallVector<ExprAttr>
getContiguousStrides(mlir::MLIRContext *ctx, llvm::ArrayRef<ExprAttr> sizes);

/// Parses one expression in the attribute's syntax, nested at most 128 deep.
mlir::ParseResult parseExpr(mlir::AsmParser &parser, ExprAttr &result);
/// Parses and prints `[e0, e1, ...]`.
mlir::ParseResult parseExprList(mlir::AsmParser &parser,
                                llvm::SmallVectorImpl<ExprAttr> &result);
void printExprList(llvm::raw_ostream &os, llvm::ArrayRef<ExprAttr> exprs);
/// The same as a custom directive of an op's assembly format.
mlir::ParseResult parseExprList(mlir::OpAsmParser &parser, ShapeAttr &result);
void printExprList(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   ShapeAttr exprs);

} // namespace coil::sym

#endif // COIL_DIALECT_SYM_IR_EXPR_H
