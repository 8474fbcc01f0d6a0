//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Texts of symbolic expressions.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/SymExprParser.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace coil::import;
using testing::HasSubstr;

namespace {

/// The expression as nested calls, or the error.
std::string parse(const std::string &text) {
  llvm::BumpPtrAllocator storage;
  auto node = parseSymExpr(text, storage);
  if (!node)
    return "error: " + llvm::toString(node.takeError());
  std::string result;
  llvm::raw_string_ostream os(result);
  (*node)->print(os);
  return result;
}

TEST(SymExpr, ReadsSrepr) {
  EXPECT_EQ(parse("Symbol('s48', positive=True, integer=True)"), "s48");
  EXPECT_EQ(parse("Symbol('s48', integer=True, positive=True)"), "s48");
  EXPECT_EQ(parse("Integer(4)"), "4");
  EXPECT_EQ(parse("Integer(-4)"), "-4");
  EXPECT_EQ(parse("Mul(Integer(160), Symbol('s48', positive=True, "
                  "integer=True))"),
            "Mul(160, s48)");
  EXPECT_EQ(parse("FloorDiv(Add(Symbol('s0'), Integer(-1)), Integer(2))"),
            "FloorDiv(Add(s0, -1), 2)");
  EXPECT_EQ(parse("Rational(1, 2)"), "Rational(1, 2)");
  EXPECT_EQ(parse("Float('0.5', precision=53)"), "5.000000e-01");
  EXPECT_EQ(parse("Pow(Symbol('s0'), Integer(2))"), "Pow(s0, 2)");
  EXPECT_EQ(parse("true"), "True");
}

TEST(SymExpr, ReadsPlainText) {
  EXPECT_EQ(parse("s0"), "s0");
  EXPECT_EQ(parse("s0 + s1"), "Add(s0, s1)");
  EXPECT_EQ(parse("2*s0 - 3"), "Add(Mul(2, s0), Mul(-1, 3))");
  EXPECT_EQ(parse("-s0**2"), "Mul(-1, Pow(s0, 2))");
  EXPECT_EQ(parse("(s0 + 1)//2 % 3"), "Mod(FloorDiv(Add(s0, 1), 2), 3)");
  EXPECT_EQ(parse("s0/2"), "FloatTrueDiv(s0, 2)");
  EXPECT_EQ(parse("not (s0 < 2) and s1 == 3"),
            "And(Not(Lt(s0, 2)), Eq(s1, 3))");
  EXPECT_EQ(parse("(1 if s0 > 2 else s1)"), "Where(Gt(s0, 2), 1, s1)");
  EXPECT_EQ(parse("s0 & s1 - 1 | s2 == 0"),
            "Eq(BitwiseFn_bitwise_or(BitwiseFn_bitwise_and(s0, Add(s1, "
            "Mul(-1, 1))), s2), 0)");
  EXPECT_EQ(parse("s0 < math.inf"), "Lt(s0, INF)");
  EXPECT_EQ(parse("Max(1, s0)"), "Max(1, s0)");
  EXPECT_EQ(parse("s0 >= 2"), "Ge(s0, 2)");
  EXPECT_EQ(parse("Eq(s0, s1)"), "Eq(s0, s1)");
  EXPECT_EQ(parse("-5"), "-5");
  EXPECT_EQ(parse("9223372036854775807"), "9223372036854775807");
  // What is larger than any size bounds none; it is no integer.
  EXPECT_EQ(parse("s0 <= 9223372036854775808"), "Le(s0, 9.223372e+18)");
  EXPECT_EQ(parse("LessThan(Symbol('u1'), Integer(18446744073709551613))"),
            "LessThan(u1, 1.844674e+19)");
}

TEST(SymExpr, RefusesMalformedText) {
  for (const char *text :
       {"", "(", ")", "Symbol(", "Symbol('s0'", "Symbol(4)", "Integer('x')",
        "1 +", "a b", "a,b", "Mul(1,)", "'open", "Float('x')", "Float('1e999')",
        "a = 1", "$", "1..2"})
    EXPECT_THAT(parse(text), HasSubstr("error: malformed expression")) << text;
}

TEST(SymExpr, LimitsDepth) {
  auto nested = [](const std::string &open, const std::string &close, int n) {
    std::string text = "s0";
    for (int i = 0; i < n; ++i)
      text = open + text + close;
    return text;
  };
  EXPECT_THAT(parse(nested("f(", ")", 100)), testing::Not(HasSubstr("error")));
  EXPECT_THAT(parse(nested("f(", ")", 200)), HasSubstr("see --max-expr-depth"));
  EXPECT_THAT(parse(nested("(", ")", 20000)),
              HasSubstr("see --max-expr-depth"));
  EXPECT_THAT(parse(nested("-", "", 20000)), HasSubstr("see --max-expr-depth"));
  EXPECT_THAT(parse(nested("2**", "", 20000)),
              HasSubstr("see --max-expr-depth"));
  EXPECT_THAT(parse(nested("", "//2", 20000)),
              HasSubstr("see --max-expr-depth"));
  EXPECT_THAT(parse(nested("", "+1", 40000)), HasSubstr("too long"));
  EXPECT_THAT(parse(nested("", "+1", 1000)), testing::Not(HasSubstr("error")));
}

} // namespace
