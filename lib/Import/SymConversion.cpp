//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Expressions of exported programs as `#sym.expr` attributes.
//
//===----------------------------------------------------------------------===//

#include "SymConversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;
using namespace coil;
using namespace coil::import;
using sym::ExprAttr;

/// The normal form distributes products over sums, and `ceildiv` repeats its
/// divisor, so a short text can stand for a huge expression. No model comes
/// near these bounds.
static constexpr uint64_t maxTerms = 512;
static constexpr uint64_t maxTreeSize = 1024;

/// Whether \p name can be written as a symbol in `#sym.expr`.
static bool isSymbolName(StringRef name) {
  if (name.empty() || name.size() > 128 ||
      !(isAlpha(name.front()) || name.front() == '_') ||
      !all_of(name, [](char c) { return isAlnum(c) || c == '_'; }))
    return false;
  // Words of the expression syntax.
  if (is_contained({"floordiv", "ceildiv", "mod", "min", "max", "hint"}, name))
    return false;
  return !((name.front() == 'd' || name.front() == 't') && name.size() > 1 &&
           all_of(name.drop_front(), isDigit));
}

/// Size of the expression written out, without sharing.
uint64_t SymConverter::getTreeSize(ExprAttr expr) {
  auto it = treeSizes.find(expr);
  if (it != treeSizes.end())
    return it->second;
  uint64_t size = 1;
  for (ExprAttr operand : expr.getOperands())
    size = std::min(size + getTreeSize(operand), maxTreeSize + 1);
  treeSizes.try_emplace(expr, size);
  return size;
}

std::optional<SymConverter::Fraction> SymConverter::integer(ExprAttr value) {
  if (getTreeSize(value) > maxTreeSize)
    return fail("it is too large");
  return Fraction{value, constant(1)};
}

ExprAttr SymConverter::toInteger(const std::optional<Fraction> &value) {
  if (!value)
    return {};
  if (value->denominator.isConstant(1))
    return value->numerator;
  std::optional<Fraction> quotient = divide(*value, /*roundUp=*/false);
  if (!quotient)
    return {};
  std::optional<ExprAttr> back =
      multiply(quotient->numerator, value->denominator);
  if (!back)
    return {};
  if (*back != value->numerator) {
    (void)fail("it is not an integer");
    return {};
  }
  return quotient->numerator;
}

std::optional<ExprAttr> SymConverter::multiply(ExprAttr a, ExprAttr b) {
  uint64_t terms = uint64_t(sym::getTerms(a).size()) * sym::getTerms(b).size();
  if (terms > maxTerms || !integer(a) || !integer(b)) {
    (void)fail("it is too large");
    return std::nullopt;
  }
  return sym::mul(a, b);
}

std::optional<SymConverter::Fraction> SymConverter::multiply(Fraction a,
                                                             Fraction b) {
  std::optional<ExprAttr> numerator = multiply(a.numerator, b.numerator);
  std::optional<ExprAttr> denominator = multiply(a.denominator, b.denominator);
  if (!numerator || !denominator)
    return std::nullopt;
  return Fraction{*numerator, *denominator};
}

/// Adds in a balanced way, so that long sums are not sorted over and over.
std::optional<SymConverter::Fraction>
SymConverter::sum(ArrayRef<Fraction> operands) {
  if (operands.size() == 1)
    return operands.front();
  std::optional<Fraction> a = sum(operands.take_front(operands.size() / 2));
  std::optional<Fraction> b = sum(operands.drop_front(operands.size() / 2));
  if (!a || !b)
    return std::nullopt;
  Fraction result{{}, a->denominator};
  if (a->denominator == b->denominator) {
    result.numerator = sym::add(a->numerator, b->numerator);
  } else {
    std::optional<ExprAttr> left = multiply(a->numerator, b->denominator);
    std::optional<ExprAttr> right = multiply(b->numerator, a->denominator);
    std::optional<ExprAttr> denominator =
        multiply(a->denominator, b->denominator);
    if (!left || !right || !denominator)
      return std::nullopt;
    result = {sym::add(*left, *right), *denominator};
  }
  if (!integer(result.numerator))
    return std::nullopt;
  return result;
}

/// The quotient of \p a as an integer.
std::optional<SymConverter::Fraction> SymConverter::divide(Fraction a,
                                                           bool roundUp) {
  if (std::optional<int64_t> divisor = a.denominator.getConstant();
      divisor && *divisor <= 0)
    return fail("it divides by " + Twine(*divisor));
  // A divisor of an expression is positive, and never zero where it is used.
  if (!a.denominator.isConstant() &&
      ranges.isLessOrEqual(a.denominator, constant(0)))
    a = {sym::neg(a.numerator), sym::neg(a.denominator)};
  if (!integer(a.numerator) || !integer(a.denominator))
    return std::nullopt;
  return integer(roundUp ? sym::ceilDiv(a.numerator, a.denominator)
                         : sym::floorDiv(a.numerator, a.denominator));
}

/// The short fraction that a float stands for, such as the 17/10 of a scale
/// factor of 1.7. The framework multiplies sizes with the float and cuts off;
/// that gives the same as with the fraction if products that are integers are
/// rounded to them: the float has to be nearer to the fraction than half of its
/// last digit, by the part that the product's digits may be finer.
static std::optional<std::pair<int64_t, int64_t>> findFraction(double number) {
  constexpr int64_t kMostDenominator = 1024;
  constexpr double kMostNumber = 1 << 20;
  if (!(std::abs(number) <= kMostNumber))
    return std::nullopt;
  for (int64_t q = 1; q <= kMostDenominator; ++q) {
    double p = std::round(number * static_cast<double>(q));
    if (p / static_cast<double>(q) != number)
      continue;
    double error = std::abs(std::fma(number, static_cast<double>(q), -p)) /
                   static_cast<double>(q);
    if (error != 0 && error >= std::abs(number) * 0x1p-54)
      return std::nullopt;
    return std::pair(static_cast<int64_t>(p), q);
  }
  return std::nullopt;
}

std::optional<SymConverter::Fraction>
SymConverter::visit(const SymExprNode &node) {
  switch (node.kind) {
  case SymExprNode::Kind::Integer:
    return integer(constant(node.integer));
  case SymExprNode::Kind::Symbol:
    if (ExprAttr expr = definitions.lookup(node.name))
      return integer(expr);
    if (isFloat(node.name))
      return fail("it is not an integer");
    if (!isSymbolName(node.name))
      return fail("the symbol name " + quoted(node.name) + " is not usable");
    return integer(sym::symbol(context, node.name));
  case SymExprNode::Kind::Call:
    return visitCall(node);
  case SymExprNode::Kind::Float:
    return fraction(node.number);
  case SymExprNode::Kind::Boolean:
    return fail("it is not an integer");
  }
  llvm_unreachable("unknown kind");
}

std::optional<SymConverter::Fraction> SymConverter::fraction(double number) {
  if (auto found = findFraction(number))
    return Fraction{constant(found->first), constant(found->second)};
  return fail("the number " + formatv("{0:f6}", number).str() +
              " is no short fraction");
}

/// Functions of integers for which `#sym.expr` has no operation: choices by a
/// condition, and arithmetic of bits.
static bool isTensorFunction(StringRef name) {
  return name == "Where" || name.starts_with("BitwiseFn_");
}

bool SymConverter::hasFloats(const SymExprNode &node) {
  // Roots, and functions such as OpaqueUnaryFn_sqrt.
  bool isRoot = node.name == "FloatPow" ||
                (node.name == "Pow" && node.operands.size() == 2 &&
                 node.operands[1]->kind == SymExprNode::Kind::Float);
  if (node.kind == SymExprNode::Kind::Call &&
      (isRoot || isTensorFunction(node.name) ||
       node.name.starts_with("OpaqueUnaryFn_")))
    return true;
  return (node.kind == SymExprNode::Kind::Float &&
          !findFraction(node.number)) ||
         (node.kind == SymExprNode::Kind::Symbol && isFloat(node.name)) ||
         any_of(node.operands,
                [](const SymExprNode *operand) { return hasFloats(*operand); });
}

std::optional<SymConverter::Fraction>
SymConverter::visitCall(const SymExprNode &node) {
  // An integer that is made of floats is a number that data gives.
  bool isRounded = is_contained(
      {"TruncToInt", "FloorToInt", "CeilToInt", "RoundToInt"}, node.name);
  if (bindInteger &&
      (isTensorFunction(node.name) || (isRounded && hasFloats(node)))) {
    isLocal = true;
    Expected<ExprAttr> expr = bindInteger(node);
    if (!expr)
      return fail(toString(expr.takeError()));
    return integer(*expr);
  }
  enum class Op {
    Add,
    Mul,
    Pow,
    Rational,
    FloorDiv,
    CeilDiv,
    TrueDiv,
    Mod,
    Floor,
    Ceil,
    Trunc,
    Min,
    Max,
    Abs,
    Same,
    Unknown
  };
  Op op = StringSwitch<Op>(node.name)
              .Case("Add", Op::Add)
              .Case("Mul", Op::Mul)
              .Cases({"Pow", "PowByNatural"}, Op::Pow)
              .Case("Rational", Op::Rational)
              .Cases({"FloorDiv", "CleanDiv"}, Op::FloorDiv)
              .Case("CeilDiv", Op::CeilDiv)
              .Cases({"IntTrueDiv", "FloatTrueDiv"}, Op::TrueDiv)
              .Cases({"Mod", "PythonMod"}, Op::Mod)
              .Cases({"floor", "FloorToInt"}, Op::Floor)
              .Cases({"ceiling", "CeilToInt"}, Op::Ceil)
              .Case("TruncToInt", Op::Trunc)
              .Cases({"Min", "min"}, Op::Min)
              .Cases({"Max", "max"}, Op::Max)
              .Cases({"Abs", "abs"}, Op::Abs)
              .Cases({"Identity", "ToFloat"}, Op::Same)
              .Default(Op::Unknown);
  if (op == Op::Unknown)
    return fail("the function " + quoted(node.name) + " is not supported");

  SmallVector<Fraction> operands;
  for (const SymExprNode *operand : node.operands) {
    std::optional<Fraction> value = visit(*operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  bool isVariadic =
      op == Op::Add || op == Op::Mul || op == Op::Min || op == Op::Max;
  bool isUnary = op == Op::Floor || op == Op::Ceil || op == Op::Trunc ||
                 op == Op::Abs || op == Op::Same;
  size_t expected = isUnary ? 1 : 2;
  if (isVariadic ? operands.empty() : operands.size() != expected)
    return fail(quoted(node.name) + " has " + Twine(operands.size()) +
                " operands");

  Fraction result = operands[0];
  switch (op) {
  case Op::Add:
    return sum(operands);
  case Op::Mul:
    for (Fraction next : drop_begin(operands)) {
      std::optional<Fraction> product = multiply(result, next);
      if (!product)
        return std::nullopt;
      result = *product;
    }
    return result;
  case Op::Pow: {
    ExprAttr exponent = toInteger(operands[1]);
    if (!exponent)
      return std::nullopt;
    std::optional<int64_t> power = exponent.getConstant();
    if (!power || *power < -8 || *power > 8)
      return fail("its exponent is not a small number");
    Fraction base = result;
    if (*power < 0)
      base = {base.denominator, base.numerator};
    result = {constant(1), constant(1)};
    for (int64_t i = 0, e = std::abs(*power); i < e; ++i) {
      std::optional<Fraction> product = multiply(result, base);
      if (!product)
        return std::nullopt;
      result = *product;
    }
    return result;
  }
  case Op::Rational:
  case Op::TrueDiv:
  case Op::FloorDiv:
  case Op::CeilDiv: {
    std::optional<Fraction> quotient =
        multiply(operands[0], {operands[1].denominator, operands[1].numerator});
    if (!quotient || op == Op::Rational || op == Op::TrueDiv)
      return quotient;
    return divide(*quotient, op == Op::CeilDiv);
  }
  case Op::Mod: {
    ExprAttr left = toInteger(operands[0]), right = toInteger(operands[1]);
    if (!left || !right)
      return std::nullopt;
    if (std::optional<int64_t> divisor = right.getConstant();
        divisor && *divisor <= 0)
      return fail("it divides by " + Twine(*divisor));
    return integer(sym::mod(left, right));
  }
  case Op::Trunc:
    if (!ranges.isNonNegative(result.numerator))
      return fail("it truncates what may be negative");
    return divide(result, /*roundUp=*/false);
  case Op::Floor:
  case Op::Ceil:
    return divide(result, op == Op::Ceil);
  case Op::Min:
  case Op::Max: {
    ExprAttr best = toInteger(result);
    for (Fraction next : drop_begin(operands)) {
      ExprAttr value = toInteger(next);
      if (!best || !value)
        return std::nullopt;
      best = op == Op::Min ? sym::min(best, value) : sym::max(best, value);
      if (!integer(best))
        return std::nullopt;
    }
    if (!best)
      return std::nullopt;
    return integer(best);
  }
  case Op::Abs: {
    ExprAttr value = toInteger(result);
    if (!value)
      return std::nullopt;
    return integer(sym::max(value, sym::neg(value)));
  }
  case Op::Same:
    return result;
  case Op::Unknown:
    break;
  }
  llvm_unreachable("handled above");
}

Expected<ExprAttr> SymConverter::convert(StringRef text) {
  if (ExprAttr known = cache.lookup(text))
    return known;
  Expected<const SymExprNode *> node = parse(text);
  if (!node)
    return node.takeError();
  isLocal = false;
  Expected<ExprAttr> result = convert(**node);
  if (!result)
    return makeError("the expression " + quoted(text) +
                     " cannot be represented: " + toString(result.takeError()));
  if (!isLocal)
    cache[text] = *result;
  return result;
}

Expected<ExprAttr> SymConverter::convert(const SymExprNode &node) {
  message.clear();
  ExprAttr result = toInteger(visit(node));
  if (!result)
    return makeError(message);
  return result;
}

bool SymConverter::visitRelation(const SymExprNode &node,
                                 SmallVectorImpl<SymRelation> &relations,
                                 bool isNegated) {
  if (node.kind == SymExprNode::Kind::Boolean &&
      (node.integer != 0) != isNegated)
    return true;
  if (node.kind != SymExprNode::Kind::Call) {
    (void)fail("it is not a relation");
    return false;
  }
  if (node.name == "Not" && node.operands.size() == 1)
    return visitRelation(*node.operands[0], relations, !isNegated);
  // That not both hold is that one of them does not.
  if (node.name == (isNegated ? "Or" : "And"))
    return all_of(node.operands, [&](const SymExprNode *operand) {
      return visitRelation(*operand, relations, isNegated);
    });
  using sym::Predicate;
  // One of several holds if the largest of what is left of them is not
  // negative; of conditions that hold together the smallest counts.
  if (node.name == (isNegated ? "And" : "Or")) {
    ExprAttr most;
    for (const SymExprNode *operand : node.operands) {
      SmallVector<SymRelation> together;
      if (!visitRelation(*operand, together, isNegated))
        return false;
      if (together.empty()) // It always holds.
        return true;
      ExprAttr least;
      for (const SymRelation &each : together) {
        ExprAttr left = sym::sub(each.rhs, each.lhs), back = sym::neg(left);
        ExprAttr rest = each.predicate == Predicate::Eq   ? sym::min(left, back)
                        : each.predicate == Predicate::Ne ? sym::max(left, back)
                                                          : left;
        if (each.predicate == Predicate::Ne || each.predicate == Predicate::Lt)
          rest = sym::add(rest, -1);
        least = least ? sym::min(least, rest) : rest;
      }
      most = most ? sym::max(most, least) : least;
      if (!integer(most))
        return false;
    }
    relations.push_back({constant(0), most, Predicate::Le});
    return true;
  }
  struct Form {
    Predicate predicate;
    bool isSwapped;
  };
  auto form = StringSwitch<std::optional<Form>>(node.name)
                  .Cases({"Eq", "Equality"}, Form{Predicate::Eq, false})
                  .Cases({"Ne", "Unequality"}, Form{Predicate::Ne, false})
                  .Cases({"Le", "LessThan"}, Form{Predicate::Le, false})
                  .Cases({"Lt", "StrictLessThan"}, Form{Predicate::Lt, false})
                  .Cases({"Ge", "GreaterThan"}, Form{Predicate::Le, true})
                  .Cases({"Gt", "StrictGreaterThan"}, Form{Predicate::Lt, true})
                  .Default(std::nullopt);
  if (!form || node.operands.size() != 2) {
    (void)fail(quoted(node.name) + " is not a supported relation");
    return false;
  }
  if (isNegated) {
    bool isOrder =
        form->predicate == Predicate::Le || form->predicate == Predicate::Lt;
    form->isSwapped ^= isOrder;
    form->predicate = form->predicate == Predicate::Eq   ? Predicate::Ne
                      : form->predicate == Predicate::Ne ? Predicate::Eq
                      : form->predicate == Predicate::Le ? Predicate::Lt
                                                         : Predicate::Le;
  }
  // What is as large as no integer says nothing.
  auto isBeyond = [&](unsigned side, bool above) {
    const SymExprNode &bound =
        *node.operands[form->isSwapped ? 1 - side : side];
    return bound.kind == SymExprNode::Kind::Float &&
           (above ? bound.number >= 0x1p63 : bound.number < -0x1p63);
  };
  bool isOrder =
      form->predicate == Predicate::Le || form->predicate == Predicate::Lt;
  if (isOrder && (isBeyond(1, /*above=*/true) || isBeyond(0, /*above=*/false)))
    return true;
  std::optional<Fraction> left = visit(*node.operands[0]);
  std::optional<Fraction> right =
      left ? visit(*node.operands[1]) : std::nullopt;
  if (!right)
    return false;
  auto isPositive = [&](ExprAttr e) { return ranges.isLess(constant(0), e); };
  bool isWhole =
      left->denominator.isConstant(1) && right->denominator.isConstant(1);
  ExprAttr lhs, rhs;
  if (!isWhole && isPositive(left->denominator) &&
      isPositive(right->denominator)) {
    // Quotients are compared by the products with what divides the other.
    auto product = multiply(left->numerator, right->denominator);
    auto other = multiply(right->numerator, left->denominator);
    lhs = product.value_or(ExprAttr());
    rhs = other.value_or(ExprAttr());
  } else {
    lhs = toInteger(left);
    rhs = toInteger(right);
  }
  if (!lhs || !rhs)
    return false;
  if (form->isSwapped)
    std::swap(lhs, rhs);
  relations.push_back({lhs, rhs, form->predicate});
  return true;
}

Error SymConverter::convertRelations(StringRef text,
                                     SmallVectorImpl<SymRelation> &relations) {
  Expected<const SymExprNode *> node = parse(text);
  if (!node)
    return node.takeError();
  message.clear();
  if (!visitRelation(**node, relations))
    return makeError("the condition " + quoted(text) +
                     " cannot be represented: " + message);
  return Error::success();
}
