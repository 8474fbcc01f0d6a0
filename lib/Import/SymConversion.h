//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Turns the expressions of an exported program into `#sym.expr` attributes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_IMPORT_SYMCONVERSION_H
#define COIL_LIB_IMPORT_SYMCONVERSION_H

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Import/SymExprParser.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace coil::import {

/// A relation that must hold at run time.
struct SymRelation {
  sym::ExprAttr lhs, rhs;
  sym::Predicate predicate;
};

/// Converts expressions; equal texts are converted once.
class SymConverter {
public:
  /// \p ranges has the bounds of the symbols.
  SymConverter(mlir::MLIRContext *context, const sym::Context &ranges,
               const Limits &limits)
      : context(context), ranges(ranges), limits(limits) {}

  /// Whether a symbol is a float (`zf0`; `zuf0` where data gives it).
  static bool isFloat(llvm::StringRef symbol) {
    return symbol.starts_with("zf") || symbol.starts_with("zuf");
  }
  /// Whether a float is computed in an expression, or what only tensors are
  /// computed with.
  static bool hasFloats(const SymExprNode &node);

  /// What makes a symbol of an integer that is computed with floats. Without,
  /// there are none.
  std::function<llvm::Expected<sym::ExprAttr>(const SymExprNode &)> bindInteger;

  /// From now on a symbol stands for an expression.
  void define(llvm::StringRef symbol, sym::ExprAttr expr) {
    definitions[symbol] = expr;
    cache.clear();
  }
  bool isDefined(llvm::StringRef symbol) const {
    return definitions.contains(symbol);
  }

  /// The expression in \p text, which lives as long as the converter.
  llvm::Expected<const SymExprNode *> parse(llvm::StringRef text) {
    return parseSymExpr(text, storage, limits);
  }
  /// The integer expression in \p text.
  llvm::Expected<sym::ExprAttr> convert(llvm::StringRef text);
  llvm::Expected<sym::ExprAttr> convert(const SymExprNode &node);

  /// The relations that \p text, a boolean expression, is made of.
  llvm::Error convertRelations(llvm::StringRef text,
                               llvm::SmallVectorImpl<SymRelation> &relations);

private:
  /// A quotient; sympy writes x // 2 as floor(x * 1/2) in places.
  struct Fraction {
    sym::ExprAttr numerator, denominator;
  };

  std::optional<Fraction> fail(const llvm::Twine &text) {
    if (message.empty())
      message = text.str();
    return std::nullopt;
  }
  sym::ExprAttr constant(int64_t value) {
    return sym::constant(context, value);
  }
  std::optional<Fraction> integer(sym::ExprAttr value);
  std::optional<Fraction> fraction(double number);
  std::optional<Fraction> visit(const SymExprNode &node);
  std::optional<Fraction> visitCall(const SymExprNode &node);
  std::optional<Fraction> multiply(Fraction a, Fraction b);
  std::optional<sym::ExprAttr> multiply(sym::ExprAttr a, sym::ExprAttr b);
  std::optional<Fraction> sum(llvm::ArrayRef<Fraction> operands);
  std::optional<Fraction> divide(Fraction a, bool roundUp);
  sym::ExprAttr toInteger(const std::optional<Fraction> &value);
  bool visitRelation(const SymExprNode &node,
                     llvm::SmallVectorImpl<SymRelation> &relations,
                     bool isNegated = false);
  uint64_t getTreeSize(sym::ExprAttr expr);

  mlir::MLIRContext *context;
  const sym::Context &ranges;
  const Limits &limits;
  llvm::BumpPtrAllocator storage;
  llvm::StringMap<sym::ExprAttr> cache, definitions;
  llvm::DenseMap<sym::ExprAttr, uint64_t> treeSizes;
  std::string message;
  /// Whether the expression mentions what only the place where it is used has.
  bool isLocal = false;
};

} // namespace coil::import

#endif // COIL_LIB_IMPORT_SYMCONVERSION_H
