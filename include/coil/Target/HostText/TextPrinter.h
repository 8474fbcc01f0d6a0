//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What text emitters share: lines with indentation, names that are unique and
// can be read, expressions over symbols, literals.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_HOSTTEXT_TEXTPRINTER_H
#define COIL_TARGET_HOSTTEXT_TEXTPRINTER_H

#include "coil/Dialect/Sym/IR/Expr.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace coil::wrapper {

/// Writes lines, each after the indentation of the scopes that are open.
class TextPrinter {
public:
  explicit TextPrinter(llvm::raw_ostream &os) : os(os) {}

  void line(const llvm::Twine &text) {
    os.indent(4 * depth) << text << '\n';
    ++lines;
  }
  void blank() {
    os << '\n';
    ++lines;
  }
  /// Text of several lines, as it is.
  void raw(llvm::StringRef text) {
    os << text;
    lines += text.count('\n');
  }
  void indent() { ++depth; }
  void outdent() { --depth; }
  /// How many lines were written.
  size_t getNumLines() const { return lines; }

private:
  llvm::raw_ostream &os;
  unsigned depth = 0;
  size_t lines = 0;
};

/// Names of one scope of a language, each given once.
class NameTable {
public:
  /// Names that are taken already, keywords among them, are in `outer`.
  explicit NameTable(const llvm::StringSet<> &outer) : outer(outer) {}
  /// `wanted` as an identifier, with a number after it where it is taken.
  std::string unique(llvm::StringRef wanted);
  /// `prefix` with the next number.
  std::string numbered(llvm::StringRef prefix);

private:
  bool take(llvm::StringRef name);

  const llvm::StringSet<> &outer;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> next;
};

/// How a language writes what differs between languages in expressions.
struct ExprSyntax {
  /// Division and remainder that round toward minus infinity: an operator, or
  /// a function of two arguments.
  llvm::StringRef floorDiv, mod;
  bool areOperators;
  llvm::StringRef min, max;
  /// How a divisor that may be zero becomes one, around the divisor.
  llvm::StringRef nonZeroBegin, nonZeroEnd;
  llvm::StringRef andOp, orOp, notOp, trueName, falseName;
};

/// Text of an expression; `leaf` names what is not constant. `facts` say which
/// divisors cannot be zero.
std::string printExpr(sym::ExprAttr expr, const ExprSyntax &syntax,
                      llvm::function_ref<std::string(sym::ExprAttr)> leaf,
                      const sym::Context &facts);

/// A string literal in double quotes, for Python and C++.
std::string quote(llvm::StringRef text);

/// `text` without what could end a comment or continue it on the next line.
std::string cleanComment(llvm::StringRef text);

/// A float so that reading it gives the same number.
std::string printFloat(double value);

} // namespace coil::wrapper

#endif // COIL_TARGET_HOSTTEXT_TEXTPRINTER_H
