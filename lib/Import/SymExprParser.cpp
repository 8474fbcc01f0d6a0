//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser with a depth limit for symbolic expressions.
//
//   expr    := either ('if' either 'else' expr)?
//   either  := both ('or' both)*
//   both    := not ('and' not)*
//   not     := 'not' not | compare
//   compare := bits (('==' | '!=' | '<' | '<=' | '>' | '>=') bits)?
//   bits    := xor ('|' xor)*
//   xor     := mask ('^' mask)*
//   mask    := sum ('&' sum)*
//   sum     := term (('+' | '-') term)*
//   term    := unary (('*' | '/' | '//' | '%') unary)*
//   unary   := '-' unary | power
//   power   := primary ('**' unary)?
//   primary := number | 'string' | name | name '(' args ')' | '(' expr ')'
//   args    := (expr | name '=' expr) (',' ...)*
//
//===----------------------------------------------------------------------===//

#include "coil/Import/SymExprParser.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace llvm;
using namespace coil::import;

/// Longer expressions do not occur; those that would make later stages slow do.
static constexpr size_t maxTextLength = 1 << 16;

namespace {

class Parser {
public:
  Parser(StringRef text, BumpPtrAllocator &storage, const Limits &limits)
      : text(text), rest(text), storage(storage), limits(limits) {}

  Expected<const SymExprNode *> run() {
    const SymExprNode *result = parseExpr();
    skipSpace();
    if (result && !rest.empty())
      result = fail("unexpected text");
    if (!result)
      return makeError("malformed expression " + quoted(text) + ": " + message);
    return result;
  }

private:
  using Kind = SymExprNode::Kind;

  /// One level of nesting for as long as it lives.
  struct Nesting {
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }
    Parser &parser;
  };

  std::nullptr_t fail(const Twine &what) {
    if (message.empty())
      message = (what + " at offset " + Twine(text.size() - rest.size())).str();
    return nullptr;
  }
  std::nullptr_t tooDeep() {
    return fail("nested deeper than the limit of " +
                Twine(limits.maxExprDepth) + " (see --max-expr-depth)");
  }
  void skipSpace() { rest = rest.ltrim(" \t\n"); }
  bool consume(StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }
  /// Consumes \p word unless a longer word begins with it.
  bool consumeWord(StringRef word) {
    skipSpace();
    StringRef after = rest;
    if (!after.consume_front(word) ||
        (!after.empty() && (isAlnum(after.front()) || after.front() == '_')))
      return false;
    rest = after;
    return true;
  }
  /// Consumes \p token unless it is the beginning of \p longer.
  bool consumeUnless(StringRef token, StringRef longer) {
    skipSpace();
    return !rest.starts_with(longer) && rest.consume_front(token);
  }

  SymExprNode *make(Kind kind) {
    SymExprNode *node = new (storage.Allocate<SymExprNode>()) SymExprNode();
    node->kind = kind;
    return node;
  }
  const SymExprNode *makeInteger(int64_t value) {
    SymExprNode *node = make(Kind::Integer);
    node->integer = value;
    return node;
  }
  const SymExprNode *makeCall(StringRef name,
                              ArrayRef<const SymExprNode *> operands) {
    SymExprNode *node = make(Kind::Call);
    node->name = name;
    node->operands = operands.copy(storage);
    return node;
  }
  const SymExprNode *makeFloat(double value) {
    SymExprNode *node = make(Kind::Float);
    node->number = value;
    return node;
  }
  const SymExprNode *makeNeg(const SymExprNode *operand) {
    if (operand->kind == Kind::Float)
      return makeFloat(-operand->number);
    return makeCall("Mul", {makeInteger(-1), operand});
  }

  const SymExprNode *parseExpr();
  const SymExprNode *parseEither();
  const SymExprNode *parseNot();
  const SymExprNode *parseBits();
  const SymExprNode *parseSum();
  const SymExprNode *parseTerm();
  const SymExprNode *parseUnary();
  const SymExprNode *parsePower();
  /// Operands with a word or a sign between them.
  const SymExprNode *
  parseList(StringRef token, StringRef name,
            llvm::function_ref<const SymExprNode *()> parseOperand);
  const SymExprNode *parseComparison();
  const SymExprNode *parsePrimary();
  const SymExprNode *parseNumber(bool negative);
  const SymExprNode *parseCall(StringRef name);

  StringRef text, rest;
  BumpPtrAllocator &storage;
  const Limits &limits;
  unsigned depth = 0;
  unsigned divisions = 0; ///< Each nests once more, without recursion here.
  std::string message;
};

} // namespace

const SymExprNode *Parser::parseExpr() {
  Nesting nesting(*this);
  if (depth > limits.maxExprDepth)
    return tooDeep();
  const SymExprNode *value = parseEither();
  if (!value || !consumeWord("if"))
    return value;
  const SymExprNode *condition = parseEither();
  if (!condition)
    return nullptr;
  if (!consumeWord("else"))
    return fail("expected 'else'");
  const SymExprNode *otherwise = parseExpr();
  return otherwise ? makeCall("Where", {condition, value, otherwise}) : nullptr;
}

const SymExprNode *Parser::parseEither() {
  return parseList("or", "Or", [&] {
    return parseList("and", "And", [&] { return parseNot(); });
  });
}

const SymExprNode *Parser::parseNot() {
  if (!consumeWord("not"))
    return parseComparison();
  Nesting nesting(*this);
  if (depth > limits.maxExprDepth)
    return tooDeep();
  const SymExprNode *operand = parseNot();
  return operand ? makeCall("Not", {operand}) : nullptr;
}

const SymExprNode *Parser::parseBits() {
  return parseList("|", "BitwiseFn_bitwise_or", [&] {
    return parseList("^", "BitwiseFn_bitwise_xor", [&] {
      return parseList("&", "BitwiseFn_bitwise_and",
                       [&] { return parseSum(); });
    });
  });
}

const SymExprNode *
Parser::parseList(StringRef token, StringRef name,
                  llvm::function_ref<const SymExprNode *()> parseOperand) {
  SmallVector<const SymExprNode *> operands;
  do {
    const SymExprNode *operand = parseOperand();
    if (!operand)
      return nullptr;
    operands.push_back(operand);
  } while (isAlpha(token.front()) ? consumeWord(token) : consume(token));
  return operands.size() == 1 ? operands[0] : makeCall(name, operands);
}

const SymExprNode *Parser::parseComparison() {
  const SymExprNode *left = parseBits();
  if (!left)
    return nullptr;
  static constexpr std::pair<StringRef, StringRef> relations[] = {
      {"==", "Eq"}, {"!=", "Ne"}, {"<=", "Le"},
      {">=", "Ge"}, {"<", "Lt"},  {">", "Gt"}};
  for (auto [token, name] : relations) {
    if (!consume(token))
      continue;
    const SymExprNode *right = parseBits();
    return right ? makeCall(name, {left, right}) : nullptr;
  }
  return left;
}

const SymExprNode *Parser::parseSum() {
  SmallVector<const SymExprNode *> terms;
  const SymExprNode *term = parseTerm();
  while (term) {
    terms.push_back(term);
    if (consume("+")) {
      term = parseTerm();
    } else if (consume("-")) {
      term = parseTerm();
      if (term)
        term = makeNeg(term);
    } else {
      return terms.size() == 1 ? term : makeCall("Add", terms);
    }
  }
  return nullptr;
}

const SymExprNode *Parser::parseTerm() {
  // Factors of one product stay flat; a division closes what came before.
  SmallVector<const SymExprNode *> factors;
  auto product = [&]() {
    return factors.size() == 1 ? factors[0] : makeCall("Mul", factors);
  };
  const SymExprNode *factor = parseUnary();
  if (!factor)
    return nullptr;
  factors.push_back(factor);
  while (true) {
    StringRef call;
    if (consume("//"))
      call = "FloorDiv";
    else if (consume("/"))
      call = "FloatTrueDiv";
    else if (consume("%"))
      call = "Mod";
    else if (!consumeUnless("*", "**"))
      return product();
    factor = parseUnary();
    if (!factor)
      return nullptr;
    if (!call.empty()) {
      if (++divisions > limits.maxExprDepth)
        return tooDeep();
      factors = {makeCall(call, {product(), factor})};
    } else {
      factors.push_back(factor);
    }
  }
}

const SymExprNode *Parser::parseUnary() {
  if (!consume("-"))
    return parsePower();
  skipSpace();
  if (!rest.empty() && isDigit(rest.front()))
    return parseNumber(/*negative=*/true);
  Nesting nesting(*this);
  if (depth > limits.maxExprDepth)
    return tooDeep();
  const SymExprNode *operand = parseUnary();
  return operand ? makeNeg(operand) : nullptr;
}

const SymExprNode *Parser::parsePower() {
  const SymExprNode *base = parsePrimary();
  if (!base || !consume("**"))
    return base;
  Nesting nesting(*this);
  if (depth > limits.maxExprDepth)
    return tooDeep();
  const SymExprNode *exponent = parseUnary();
  return exponent ? makeCall("Pow", {base, exponent}) : nullptr;
}

const SymExprNode *Parser::parseNumber(bool negative) {
  StringRef token = rest.take_while([](char c) { return isDigit(c); });
  bool isFloat = false;
  StringRef after = rest.drop_front(token.size());
  if (after.consume_front(".")) {
    isFloat = true;
    after = after.drop_while([](char c) { return isDigit(c); });
  }
  if (after.starts_with_insensitive("e")) {
    StringRef exponent = after.drop_front();
    if (!exponent.consume_front("+"))
      exponent.consume_front("-");
    if (!exponent.empty() && isDigit(exponent.front())) {
      isFloat = true;
      after = exponent.drop_while([](char c) { return isDigit(c); });
    }
  }
  token = rest.drop_back(after.size());
  if (isFloat) {
    SymExprNode *node = make(Kind::Float);
    if (token.size() > 64 || token.getAsDouble(node->number))
      return fail("malformed number");
    if (negative)
      node->number = -node->number;
    rest = after;
    return node;
  }
  uint64_t magnitude = 0;
  if (token.getAsInteger(10, magnitude) ||
      magnitude > uint64_t(INT64_MAX) + negative) {
    // A bound that is larger than any size, as products of bounds are.
    SymExprNode *node = make(Kind::Float);
    if (token.empty() || token.size() > 64 || token.getAsDouble(node->number))
      return fail("expected a 64-bit integer");
    if (negative)
      node->number = -node->number;
    rest = after;
    return node;
  }
  rest = after;
  return makeInteger(negative ? int64_t(0 - magnitude) : int64_t(magnitude));
}

const SymExprNode *Parser::parsePrimary() {
  skipSpace();
  if (rest.empty())
    return fail("unexpected end");
  char c = rest.front();
  if (isDigit(c))
    return parseNumber(/*negative=*/false);
  if (c == '(') {
    rest = rest.drop_front();
    const SymExprNode *inner = parseExpr();
    if (inner && !consume(")"))
      return fail("expected ')'");
    return inner;
  }
  if (c == '\'' || c == '"') {
    size_t end = rest.find(c, 1);
    if (end == StringRef::npos)
      return fail("unterminated string");
    SymExprNode *node = make(Kind::Symbol);
    node->name = rest.substr(1, end - 1);
    rest = rest.drop_front(end + 1);
    return node;
  }
  if (!isAlpha(c) && c != '_')
    return fail("unexpected character " + quoted(rest.take_front(1)));
  StringRef name = rest.take_while(
      [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
  rest = rest.drop_front(name.size());
  if (consume("("))
    return parseCall(name);
  if (name == "True" || name == "true" || name == "False" || name == "false") {
    SymExprNode *node = make(Kind::Boolean);
    node->integer = name.equals_insensitive("true");
    return node;
  }
  if (name == "math.inf")
    return makeFloat(std::numeric_limits<double>::infinity());
  SymExprNode *node = make(Kind::Symbol);
  node->name = name;
  return node;
}

const SymExprNode *Parser::parseCall(StringRef name) {
  SmallVector<const SymExprNode *> operands;
  if (!consume(")")) {
    do {
      // Keyword arguments are sympy's assumptions; the ranges say as much.
      skipSpace();
      StringRef keyword =
          rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
      StringRef after = rest.drop_front(keyword.size()).ltrim(' ');
      bool isKeyword = !keyword.empty() && !isDigit(keyword.front()) &&
                       after.starts_with("=") && !after.starts_with("==");
      if (isKeyword)
        rest = after.drop_front();
      const SymExprNode *operand = parseExpr();
      if (!operand)
        return nullptr;
      if (!isKeyword)
        operands.push_back(operand);
    } while (consume(","));
    if (!consume(")"))
      return fail("expected ',' or ')'");
  }

  // srepr writes leaves as calls.
  bool hasOne = operands.size() == 1;
  if (name == "Symbol" || name == "Dummy") {
    if (!hasOne || operands[0]->kind != Kind::Symbol)
      return fail("expected the name of a symbol");
    return operands[0];
  }
  if (name == "Integer") {
    bool isHuge = hasOne && operands[0]->kind == Kind::Float &&
                  std::fabs(operands[0]->number) >= 0x1p63;
    if (!hasOne || (operands[0]->kind != Kind::Integer && !isHuge))
      return fail("expected an integer");
    return operands[0];
  }
  if (name == "Float") {
    SymExprNode *node = make(Kind::Float);
    if (!hasOne)
      return fail("expected a number");
    if (operands[0]->kind == Kind::Float)
      return operands[0];
    if (operands[0]->kind == Kind::Symbol && operands[0]->name.size() <= 64 &&
        !operands[0]->name.getAsDouble(node->number) &&
        std::isfinite(node->number))
      return node;
    return fail("expected a number");
  }
  return makeCall(name, operands);
}

void SymExprNode::print(raw_ostream &os) const {
  switch (kind) {
  case Kind::Integer:
    os << integer;
    return;
  case Kind::Float:
    os << number;
    return;
  case Kind::Boolean:
    os << (integer ? "True" : "False");
    return;
  case Kind::Symbol:
    os << name;
    return;
  case Kind::Call:
    os << name << '(';
    ListSeparator comma;
    for (const SymExprNode *operand : operands) {
      os << comma;
      operand->print(os);
    }
    os << ')';
    return;
  }
}

Expected<const SymExprNode *>
coil::import::parseSymExpr(StringRef text, BumpPtrAllocator &storage,
                           const Limits &limits) {
  if (text.size() > maxTextLength)
    return makeError("an expression of " + Twine(text.size()) +
                     " bytes is too long");
  return Parser(text, storage, limits).run();
}
