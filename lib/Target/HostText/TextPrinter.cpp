//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, expressions and literals of emitted text.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/HostText/TextPrinter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;
using sym::ExprKind;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool NameTable::take(StringRef name) {
  return !outer.contains(name) && taken.insert(name).second;
}

std::string NameTable::unique(StringRef wanted) {
  std::string name;
  for (char c : wanted)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  // C++ reserves names with two underscores, and Python changes some of them.
  for (size_t at = name.find("__"); at != std::string::npos;
       at = name.find("__"))
    name.erase(at, 1);
  if (take(name))
    return name;
  return numbered(name + "_");
}

std::string NameTable::numbered(StringRef prefix) {
  while (true) {
    std::string name = (prefix + llvm::Twine(next[prefix]++)).str();
    if (take(name))
      return name;
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

class ExprPrinter {
public:
  ExprPrinter(const ExprSyntax &syntax,
              llvm::function_ref<std::string(ExprAttr)> leaf,
              const sym::Context &facts)
      : syntax(syntax), leaf(leaf), facts(facts) {}

  std::string print(ExprAttr e) const;

private:
  /// As an operand of a product or a division.
  std::string operand(ExprAttr e) const;
  std::string divisor(ExprAttr e, bool inParens) const;
  static std::string number(int64_t value) {
    // The one number whose negation is none.
    if (value == INT64_MIN)
      return "(-9223372036854775807 - 1)";
    return std::to_string(value);
  }

  const ExprSyntax &syntax;
  llvm::function_ref<std::string(ExprAttr)> leaf;
  const sym::Context &facts;
};

} // namespace

std::string ExprPrinter::operand(ExprAttr e) const {
  bool isCall = !syntax.areOperators && (e.getKind() == ExprKind::FloorDiv ||
                                         e.getKind() == ExprKind::Mod);
  bool isSum =
      e.getKind() >= ExprKind::Mul || e.getKind() == ExprKind::FloorDiv ||
      e.getKind() == ExprKind::Mod || (e.isConstant() && e.getValue() < 0);
  return isSum && !isCall ? "(" + print(e) + ")" : print(e);
}

std::string ExprPrinter::divisor(ExprAttr e, bool inParens) const {
  if (facts.bounds(e).lo > 0)
    return inParens ? operand(e) : print(e);
  return (syntax.nonZeroBegin + print(e) + syntax.nonZeroEnd).str();
}

std::string ExprPrinter::print(ExprAttr e) const {
  ArrayRef<ExprAttr> ops = e.getOperands();
  switch (e.getKind()) {
  case ExprKind::Constant:
    return number(e.getValue());
  case ExprKind::Dim:
  case ExprKind::Arg:
  case ExprKind::Symbol:
    return leaf(e);
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    StringRef name =
        e.getKind() == ExprKind::Mod ? syntax.mod : syntax.floorDiv;
    if (syntax.areOperators)
      return (operand(ops[0]) + " " + name + " " + divisor(ops[1], true)).str();
    return (name + "(" + print(ops[0]) + ", " + divisor(ops[1], false) + ")")
        .str();
  }
  case ExprKind::Min:
  case ExprKind::Max:
    return ((e.getKind() == ExprKind::Min ? syntax.min : syntax.max) + "(" +
            print(ops[0]) + ", " + print(ops[1]) + ")")
        .str();
  case ExprKind::Mul: {
    std::string text = e.getValue() == -1 ? "-" : "";
    text += llvm::join(
        llvm::map_range(ops, [&](ExprAttr o) { return operand(o); }), " * ");
    if (e.getValue() != 1 && e.getValue() != -1)
      text += " * " + number(e.getValue());
    return text;
  }
  case ExprKind::Add: {
    std::string text;
    for (ExprAttr o : ops) {
      if (!text.empty()) {
        bool isMinus = o.getKind() == ExprKind::Mul && o.getValue() == -1;
        text += isMinus ? " - " : " + ";
        if (isMinus)
          o = sym::neg(o);
      }
      text += print(o);
    }
    if (int64_t c = e.getValue(); c != 0)
      text += c < 0 && c != INT64_MIN ? " - " + number(-c) : " + " + number(c);
    return text;
  }
  }
  llvm_unreachable("unknown kind of expression");
}

std::string
coil::wrapper::printExpr(ExprAttr expr, const ExprSyntax &syntax,
                         llvm::function_ref<std::string(ExprAttr)> leaf,
                         const sym::Context &facts) {
  return ExprPrinter(syntax, leaf, facts).print(expr);
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

std::string coil::wrapper::quote(StringRef text) {
  std::string valid;
  if (!llvm::json::isUTF8(text)) {
    valid = llvm::json::fixUTF8(text);
    text = valid;
  }
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '?') // No trigraphs.
      out += out.back() == '?' ? "\\077" : "?";
    else if (byte < 0x20 || byte == 0x7f) // Three digits end an escape.
      out += {'\\', char('0' + byte / 64), char('0' + byte / 8 % 8),
              char('0' + byte % 8)};
    else
      out += c;
  }
  return out + '"';
}

std::string coil::wrapper::cleanComment(StringRef text) {
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f || c == '\\' ? '?' : c;
  }
  return out;
}

std::string coil::wrapper::printFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  std::string text;
  llvm::raw_string_ostream os(text);
  // The shortest that reads back as the same number.
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    char buffer[64];
    snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    os << buffer;
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//
