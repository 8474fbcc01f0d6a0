//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that operators of the framework give, which a file declares
// with each result: handlers take those as the types to compute in.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

namespace {
enum class Rule {
  Promoted, ///< The common type of `self` and the other operand.
  Float,    ///< That, or a float where it is an integer.
  Bool,     ///< A bool.
  Like,     ///< The type of `self`.
  Real,     ///< That, or the type of its parts where it is complex.
  Index     ///< `i64`.
};
} // namespace

/// Operators by name without overload. Those that take an element type, or
/// whose type depends on values of arguments, are not here.
static const llvm::StringMap<Rule> &getRules() {
  static const llvm::StringMap<Rule> rules = [] {
    llvm::StringMap<Rule> map;
    auto add = [&](Rule rule, StringRef names) {
      SmallVector<StringRef> list;
      names.split(list, ' ', -1, /*KeepEmpty=*/false);
      for (StringRef name : list)
        map[name] = rule;
    };
    add(Rule::Promoted,
        "add sub subtract rsub mul multiply fmod remainder maximum minimum "
        "fmax fmin floor_divide pow bitwise_and bitwise_or bitwise_xor "
        "__and__ __or__ __xor__");
    add(Rule::Float,
        "true_divide atan2 arctan2 sqrt exp exp2 special_exp2 expm1 "
        "special_expm1 log log2 log10 log1p special_log1p sin cos tan asin "
        "arcsin acos arccos atan arctan sinh cosh tanh asinh arcsinh acosh "
        "arccosh atanh arctanh erf special_erf erfc special_erfc rsqrt "
        "reciprocal sigmoid special_expit lgamma digamma erfinv");
    add(Rule::Bool,
        "eq ne not_equal lt less le less_equal gt greater ge greater_equal "
        "logical_and logical_or logical_xor logical_not isnan isinf isfinite "
        "isposinf isneginf signbit");
    add(Rule::Like,
        "relu neg negative bitwise_not ceil floor trunc fix round positive "
        "view reshape _unsafe_view permute transpose t expand slice select "
        "unsqueeze squeeze flatten unflatten alias detach flip roll repeat "
        "gather index_select index constant_pad_nd as_strided narrow diagonal "
        "amax amin mm bmm matmul tril triu unfold pixel_shuffle");
    add(Rule::Real, "abs absolute");
    add(Rule::Index, "argmax argmin argsort");
    return map;
  }();
  return rules;
}

namespace {
struct ResultType {
  Type type;
  /// Any float would do: it is the framework's default type, which the program
  /// may have changed.
  bool isDefault = false;
};
} // namespace

static ResultType getResultType(AtenCall &call) {
  StringRef name = call.op.getName();
  if (!name.consume_front("aten.") || call.op.getOutputs().empty())
    return {};
  auto [base, overload] = name.split('.');
  auto rule = getRules().find(base);
  if (rule == getRules().end() || overload == "dtype")
    return {};
  MLIRContext *ctx = call.b.getContext();
  switch (rule->second) {
  case Rule::Promoted:
  case Rule::Float: {
    SmallVector<StringRef> operands = {"self", "other", "exponent"};
    Type type = getPromotedType(call, operands);
    // Without a tensor of floats the result has the default type.
    bool hasFloat = llvm::any_of(operands, [&](StringRef operand) {
      Value tensor = call.op.getTensor(operand);
      return tensor && !call.op.isNumber(operand) &&
             isa<FloatType, ComplexType>(getElementType(tensor));
    });
    if (type && !hasFloat && !isa<ComplexType>(type) &&
        (rule->second == Rule::Float || isa<FloatType>(type)))
      return {Float32Type::get(ctx), /*isDefault=*/true};
    return {type};
  }
  case Rule::Bool:
    return {IntegerType::get(ctx, 1)};
  case Rule::Like:
    if (Value self = call.op.getTensor("self"))
      return {getElementType(self)};
    return {};
  case Rule::Real:
    if (Value self = call.op.getTensor("self")) {
      auto complex = dyn_cast<ComplexType>(getElementType(self));
      return {complex ? complex.getElementType() : getElementType(self)};
    }
    return {};
  case Rule::Index:
    return {IntegerType::get(ctx, 64)};
  }
  llvm_unreachable("unknown rule");
}

Type graph::getResultElementType(AtenCall &call) {
  return getResultType(call).type;
}

LogicalResult graph::checkResultType(AtenCall &call) {
  ResultType expected = getResultType(call);
  if (!expected.type)
    return success();
  Type declared = call.resultElementType();
  if (expected.type == declared ||
      (expected.isDefault && isa<FloatType>(declared)))
    return success();
  std::string text;
  llvm::raw_string_ostream(text)
      << "result 0 is declared with elements of type " << declared
      << " but computed with " << expected.type;
  return call.fail(text);
}
