//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The text of symbolic expressions in exported programs: sympy's `srepr` form
// (`Mul(Integer(160), Symbol('s48', positive=True, integer=True))`) and the
// plain form of older files (`160*s48`). One grammar covers both.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_SYMEXPRPARSER_H
#define COIL_IMPORT_SYMEXPRPARSER_H

#include "coil/Import/Limits.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

namespace coil::import {

/// A node of a parsed expression, owned by an allocator. Subtraction, division
/// and unary minus are written with Add, Mul and Pow as sympy does.
struct SymExprNode {
  enum class Kind { Integer, Float, Boolean, Symbol, Call };
  Kind kind = Kind::Integer;
  int64_t integer = 0;  ///< Of an Integer or Boolean.
  double number = 0;    ///< Of a Float.
  llvm::StringRef name; ///< Of a Symbol, or the function of a Call.
  llvm::ArrayRef<const SymExprNode *> operands; ///< Of a Call.

  /// Writes the node as nested calls: `Mul(160, s48)`.
  void print(llvm::raw_ostream &os) const;
};

/// Parses \p text; nodes and strings live in \p storage and \p text.
llvm::Expected<const SymExprNode *>
parseSymExpr(llvm::StringRef text, llvm::BumpPtrAllocator &storage,
             const Limits &limits = {});

} // namespace coil::import

#endif // COIL_IMPORT_SYMEXPRPARSER_H
