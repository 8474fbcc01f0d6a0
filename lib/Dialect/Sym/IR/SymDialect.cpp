//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `sym` dialect: registration, syntax of expressions, verifiers.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Sym.h"

#include "Proofs.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil::sym;

#include "coil/Dialect/Sym/IR/SymDialect.cpp.inc"
#include "coil/Dialect/Sym/IR/SymEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Sym/IR/SymAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "coil/Dialect/Sym/IR/SymOps.cpp.inc"

void SymDialect::initialize() {
  proofTable = std::make_shared<ProofTable>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coil/Dialect/Sym/IR/SymAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Sym/IR/SymOps.cpp.inc"
      >();
}

std::shared_ptr<Proofs> SymDialect::getProofs(DictionaryAttr symbols,
                                              ShapeAttr dims) {
  return proofTable->get(symbols, dims);
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Deeper nesting than this in the text is an error, not a stack overflow.
static constexpr unsigned kMaxParseDepth = 128;

static ParseResult parseSum(AsmParser &parser, ExprAttr &result,
                            unsigned depth);

static ParseResult parseLeaf(AsmParser &parser, ExprAttr &result,
                             unsigned depth) {
  MLIRContext *ctx = parser.getContext();
  SMLoc loc = parser.getCurrentLocation();
  if (depth > kMaxParseDepth)
    return parser.emitError(loc) << "symbolic expression is nested more than "
                                 << kMaxParseDepth << " deep";
  if (succeeded(parser.parseOptionalMinus())) {
    // A minus sign and a number are one literal, so that the least value fits.
    if (parseLeaf(parser, result, depth + 1))
      return failure();
    result = neg(result);
    return success();
  }
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseSum(parser, result, depth + 1) || parser.parseRParen());
  int64_t value;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    result = constant(ctx, value);
    return success();
  }
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(loc, "expected a symbolic expression");
  if (name == "min" || name == "max") {
    ExprAttr a, b;
    if (parser.parseLParen() || parseSum(parser, a, depth + 1) ||
        parser.parseComma() || parseSum(parser, b, depth + 1) ||
        parser.parseRParen())
      return failure();
    result = name == "min" ? min(a, b) : max(a, b);
    return success();
  }
  unsigned position;
  if (name.size() > 1 && (name[0] == 'd' || name[0] == 't') &&
      !name.drop_front().getAsInteger(10, position)) {
    result = name[0] == 'd' ? dim(ctx, position) : arg(ctx, position);
    return success();
  }
  result = symbol(ctx, name);
  return success();
}

static ParseResult parseFactors(AsmParser &parser, ExprAttr &result,
                                unsigned depth) {
  if (parseLeaf(parser, result, depth))
    return failure();
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    ExprAttr rhs;
    enum { Mul, Div, Ceil, Mod } op;
    if (succeeded(parser.parseOptionalStar()))
      op = Mul;
    else if (succeeded(parser.parseOptionalKeyword("floordiv")))
      op = Div;
    else if (succeeded(parser.parseOptionalKeyword("ceildiv")))
      op = Ceil;
    else if (succeeded(parser.parseOptionalKeyword("mod")))
      op = Mod;
    else
      return success();
    if (parseLeaf(parser, rhs, depth + 1))
      return failure();
    if (op != Mul && rhs.isConstant() && rhs.getValue() <= 0)
      return parser.emitError(loc, "expected a positive divisor");
    result = op == Mul    ? mul(result, rhs)
             : op == Div  ? floorDiv(result, rhs)
             : op == Ceil ? ceilDiv(result, rhs)
                          : mod(result, rhs);
  }
}

static ParseResult parseSum(AsmParser &parser, ExprAttr &result,
                            unsigned depth) {
  if (parseFactors(parser, result, depth))
    return failure();
  while (true) {
    ExprAttr rhs;
    if (succeeded(parser.parseOptionalPlus())) {
      if (parseFactors(parser, rhs, depth + 1))
        return failure();
      result = add(result, rhs);
    } else if (succeeded(parser.parseOptionalMinus())) {
      if (parseFactors(parser, rhs, depth + 1))
        return failure();
      result = sub(result, rhs);
    } else {
      return success();
    }
  }
}

ParseResult coil::sym::parseExpr(AsmParser &parser, ExprAttr &result) {
  return parseSum(parser, result, 0);
}

ParseResult coil::sym::parseExprList(AsmParser &parser,
                                     SmallVectorImpl<ExprAttr> &result) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        return parseExpr(parser, result.emplace_back());
      });
}

void coil::sym::printExprList(raw_ostream &os, ArrayRef<ExprAttr> exprs) {
  os << '[';
  llvm::interleave(exprs, os, [&](ExprAttr e) { e.printExpr(os); }, ", ");
  os << ']';
}

ParseResult coil::sym::parseExprList(OpAsmParser &parser, ShapeAttr &result) {
  SmallVector<ExprAttr> exprs;
  if (parseExprList(static_cast<AsmParser &>(parser), exprs))
    return failure();
  result = ShapeAttr::get(parser.getContext(), exprs);
  return success();
}

void coil::sym::printExprList(OpAsmPrinter &printer, Operation *,
                              ShapeAttr exprs) {
  printExprList(printer.getStream(), exprs.getDims());
}

/// Prints `e` so that it can be an operand of a product or division.
static void printOperand(ExprAttr e, raw_ostream &os) {
  bool parens =
      e.getKind() >= ExprKind::Mul || e.getKind() == ExprKind::FloorDiv ||
      e.getKind() == ExprKind::Mod || (e.isConstant() && e.getValue() < 0);
  if (parens)
    os << '(';
  e.printExpr(os);
  if (parens)
    os << ')';
}

void ExprAttr::printExpr(raw_ostream &os) const {
  ArrayRef<ExprAttr> ops = getOperands();
  switch (getKind()) {
  case ExprKind::Constant:
    os << getValue();
    return;
  case ExprKind::Dim:
    os << 'd' << getValue();
    return;
  case ExprKind::Arg:
    os << 't' << getValue();
    return;
  case ExprKind::Symbol:
    os << getName();
    return;
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    printOperand(ops[0], os);
    os << (getKind() == ExprKind::Mod ? " mod " : " floordiv ");
    printOperand(ops[1], os);
    return;
  case ExprKind::Min:
  case ExprKind::Max:
    os << (getKind() == ExprKind::Min ? "min(" : "max(");
    ops[0].printExpr(os);
    os << ", ";
    ops[1].printExpr(os);
    os << ')';
    return;
  case ExprKind::Mul:
    if (getValue() == -1)
      os << '-';
    llvm::interleave(ops, os, [&](ExprAttr e) { printOperand(e, os); }, " * ");
    if (getValue() != 1 && getValue() != -1)
      os << " * " << getValue();
    return;
  case ExprKind::Add: {
    bool first = true;
    for (ExprAttr e : ops) {
      if (!first) {
        if (e.getKind() == ExprKind::Mul && e.getValue() == -1) {
          os << " - ";
          e = neg(e);
        } else {
          os << " + ";
        }
      }
      first = false;
      e.printExpr(os);
    }
    if (getValue() != 0)
      os << (getValue() < 0 ? " - " : " + ")
         << (getValue() < 0 ? 0 - static_cast<uint64_t>(getValue())
                            : static_cast<uint64_t>(getValue()));
    return;
  }
  }
}

std::string ExprAttr::str() const {
  std::string s;
  llvm::raw_string_ostream os(s);
  printExpr(os);
  return s;
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  ExprAttr result;
  if (parser.parseLess() || parseExpr(parser, result) || parser.parseGreater())
    return {};
  return result;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExpr(printer.getStream());
  printer << '>';
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<ExprAttr> dims;
  if (parser.parseLess() || parseExprList(parser, dims) ||
      parser.parseGreater())
    return {};
  return ShapeAttr::get(parser.getContext(), dims);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExprList(printer.getStream(), getDims());
  printer << '>';
}

LogicalResult
ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  // (C1)
  if (shape.size() != getDims().size())
    return emitError() << "shape encoding has " << getDims().size()
                       << " sizes but the tensor has rank " << shape.size();
  // (C2)
  for (auto [i, extent, e] : llvm::enumerate(shape, getDims())) {
    std::optional<int64_t> c = e.getConstant();
    if (ShapedType::isDynamic(extent) ? c.has_value() : c != extent)
      return emitError() << "shape encoding gives dimension " << i
                         << " the size '" << e.str() << "' but the type says "
                         << (ShapedType::isDynamic(extent)
                                 ? std::string("'?'")
                                 : std::to_string(extent));
  }
  return success();
}

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t min, int64_t max,
                                std::optional<int64_t> hint) {
  if (min > max) // (C1)
    return emitError() << "range has a lower end " << min
                       << " above its upper end " << max;
  if (hint && (*hint < min || *hint > max)) // (C2)
    return emitError() << "hint " << *hint << " is outside the range";
  return success();
}

int64_t RangeAttr::getHintOrDefault() const {
  if (getHint())
    return *getHint();
  return std::min(std::max<int64_t>(64, getMin()), getMax());
}

Attribute RangeAttr::parse(AsmParser &parser, Type) {
  auto parseEnd = [&](int64_t &value, int64_t unbounded) -> ParseResult {
    if (succeeded(parser.parseOptionalStar())) {
      value = unbounded;
      return success();
    }
    return parser.parseInteger(value);
  };
  int64_t min, max;
  std::optional<int64_t> hint;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseEnd(min, INT64_MIN) || parser.parseComma() ||
      parseEnd(max, kInf))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    int64_t h;
    if (parser.parseKeyword("hint") || parser.parseEqual() ||
        parser.parseInteger(h))
      return {};
    hint = h;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RangeAttr>(loc, parser.getContext(), min, max, hint);
}

void RangeAttr::print(AsmPrinter &printer) const {
  auto printEnd = [&](int64_t v, int64_t unbounded) {
    if (v == unbounded)
      printer << '*';
    else
      printer << v;
  };
  printer << '<';
  printEnd(getMin(), INT64_MIN);
  printer << ", ";
  printEnd(getMax(), kInf);
  if (getHint())
    printer << ", hint = " << *getHint();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// AssertOp
//===----------------------------------------------------------------------===//

LogicalResult AssertOp::verify() {
  for (ExprAttr e : {getLhs(), getRhs()}) {
    bool bad = false;
    walkLeaves(e, [&](ExprAttr leaf) { bad |= !leaf.isSymbol(); });
    if (bad) // (C1)
      return emitOpError() << "expression '" << e.str()
                           << "' mentions a dimension or an indirect index";
  }
  if (getLhs().isConstant() && getRhs().isConstant()) { // (C2)
    int64_t l = getLhs().getValue(), r = getRhs().getValue();
    bool holds = getPredicate() == Predicate::Eq   ? l == r
                 : getPredicate() == Predicate::Ne ? l != r
                 : getPredicate() == Predicate::Le ? l <= r
                                                   : l < r;
    if (!holds)
      return emitOpError() << "never holds: " << l << ' '
                           << stringifyPredicate(getPredicate()) << ' ' << r;
  }
  return success();
}
