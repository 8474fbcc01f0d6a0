//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Guards: what export assumed of the inputs' sizes when it chose a side of a
// branch or made a constant of a number, as conditions of Python.
//
//   (L['x'].size()[0] % 2) == 0
//   math.trunc(0.5*torch.sym_float(L['x'].size()[0])) == 6
//
// With the expressions of sizes in place of what is read of the inputs they are
// conditions like others.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

/// Functions of guards, and what they are called in expressions of sizes.
static constexpr std::pair<StringRef, StringRef> functions[] = {
    {"math.trunc(", "TruncToInt("},   {"math.floor(", "FloorToInt("},
    {"math.ceil(", "CeilToInt("},     {"round(", "RoundToInt("},
    {"torch.sym_float(", "ToFloat("}, {"torch.sym_max(", "Max("},
    {"torch.sym_min(", "Min("},       {"math.inf", "math.inf"},
    {"math.", "OpaqueUnaryFn_"}};

namespace {
/// What a guard reads: `L['x']['a'][0].size()[1]`.
struct Source {
  /// The name that export gives the input: "x_a_0". Of keyword arguments the
  /// name without the first part may be the one.
  std::string name, shortName;
  /// "size", "stride", "storage_offset", or nothing for a number.
  StringRef method;
  uint64_t dim = 0;
  /// Whether it is of the tensor that the input is a view of.
  bool isOfBase = false;
};
} // namespace

/// Reads a source from the beginning of \p rest.
static std::optional<Source> takeSource(StringRef &rest) {
  if (!rest.consume_front("L"))
    return std::nullopt;
  SmallVector<std::string> parts;
  Source source;
  while (true) {
    bool isQuoted = rest.starts_with("['") || rest.starts_with("[\"");
    if (isQuoted) {
      // Python takes the other quotes for a name with quotes.
      std::string end = {rest[1], ']'};
      auto [key, after] = rest.drop_front(2).split(end);
      parts.push_back(key.str());
      rest = after;
    } else if (rest.consume_front("[")) {
      auto [key, after] = rest.split("]");
      parts.push_back(key.str());
      rest = after;
    } else if (rest.consume_front(".")) {
      StringRef word =
          rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
      rest = rest.drop_front(word.size());
      if (!rest.consume_front("()")) {
        if (word == "_base")
          source.isOfBase = true;
        else
          parts.push_back(word.str());
        continue;
      }
      source.method = word;
      if (word != "storage_offset" &&
          (!rest.consume_front("[") || rest.consumeInteger(10, source.dim) ||
           !rest.consume_front("]")))
        return std::nullopt;
      break;
    } else {
      break;
    }
  }
  for (std::string &part : parts)
    for (char &c : part)
      c = isAlnum(c) ? toLower(c) : '_';
  source.name = join(parts, "_");
  source.shortName = join(drop_begin(parts), "_");
  return source;
}

Expected<std::optional<std::string>>
ModuleBuilder::substituteSources(StringRef guard) {
  StringMap<const Argument *> inputs;
  size_t position = 0;
  for (const InputSpec &spec : program.inputs) {
    bool isConstant = spec.kind == InputSpec::Kind::ConstantInput;
    if (spec.kind != InputSpec::Kind::UserInput && !isConstant)
      continue;
    // Export in strict mode counts the leaves of all arguments.
    std::string place = "flat_args_" + std::to_string(position++);
    if (isConstant)
      continue;
    inputs[place] = &spec.arg;
    if (spec.arg.kind == Kind::Tensor)
      inputs[spec.arg.strings[0]] = &spec.arg;
    else if (spec.arg.kind == Kind::SymInt)
      inputs[spec.arg.symInts[0].name] = &spec.arg;
  }
  std::string text;
  for (StringRef rest = guard; !rest.empty();) {
    bool isWord = !text.empty() && (isAlnum(text.back()) || text.back() == '.');
    if (!isWord && rest.starts_with("L[")) {
      auto source = takeSource(rest);
      if (!source)
        return makeError("what it reads is not a size of an input");
      // Inputs are read by whatever strides they have, in whatever tensor they
      // lie.
      if (source->method == "stride" || source->method == "storage_offset" ||
          source->isOfBase)
        return std::nullopt;
      auto it = inputs.find(source->name);
      if (it == inputs.end())
        it = inputs.find(source->shortName);
      if (it == inputs.end())
        return makeError("the program has no input " + quoted(source->name));
      SymInt size;
      if (it->second->kind != Kind::Tensor && it->second->kind != Kind::SymInt)
        return makeError("what it reads is not a number");
      if (it->second->kind == Kind::Tensor) {
        Expected<const TensorMeta *> meta = getMeta(it->second->strings[0]);
        if (!meta)
          return meta.takeError();
        if (source->method != "size" || source->dim >= (*meta)->sizes.size())
          return makeError("what it reads is not a size of an input");
        size = (*meta)->sizes[source->dim];
      } else {
        auto number = graph->symInts.find(it->second->symInts[0].name);
        if (!source->method.empty() || number == graph->symInts.end())
          return makeError("what it reads is not a number");
        size = number->second;
      }
      text += size.isSymbolic() ? ("(" + size.expr + ")").str()
                                : std::to_string(size.value);
      continue;
    }
    const auto *function = find_if(functions, [&](const auto &entry) {
      return !isWord && rest.starts_with(entry.first);
    });
    if (function != std::end(functions)) {
      text += function->second;
      rest = rest.drop_front(function->first.size());
      continue;
    }
    text += rest.front();
    rest = rest.drop_front();
  }
  return text;
}

Error ModuleBuilder::addGuard(StringRef guard) {
  Expected<std::optional<std::string>> text = substituteSources(guard);
  if (!text)
    return text.takeError();
  if (!*text)
    return Error::success();
  SmallVector<SymRelation> relations;
  if (Error error = converter.convertRelations(**text, relations)) {
    consumeError(std::move(error));
    // The host reads whether it holds.
    Expected<const SymExprNode *> node = converter.parse(**text);
    if (!node)
      return node.takeError();
    Expected<Value> holds = computeBool(**node);
    if (!holds)
      return holds.takeError();
    relations.assign({requireOnHost(*holds)});
  }
  std::string message =
      ("the inputs are not what the program was exported for: " + guard).str();
  for (const SymRelation &relation : relations) {
    sym::AssertOp::create(builder, builder.getUnknownLoc(), relation.lhs,
                          relation.predicate, relation.rhs,
                          builder.getStringAttr(message));
    if (relation.predicate != sym::Predicate::Eq)
      continue;
    // Symbols are sizes of inputs, which have types already.
    for (auto [expr, value] : {std::pair(relation.lhs, relation.rhs),
                               std::pair(relation.rhs, relation.lhs)})
      if (value.isConstant() && !expr.isConstant() && !expr.isSymbol())
        guarded.try_emplace(expr, value);
  }
  return Error::success();
}

Error ModuleBuilder::addSizeGuards() {
  llvm::StringSet<> known = getSizeSymbols();
  llvm::SetVector<ExprAttr> sizeGuards;
  for (const auto &entry : program.tensors) {
    for (const SymInt &size : entry.second.sizes) {
      if (!size.isSymbolic())
        continue;
      // What is computed with floats becomes a symbol where it is used.
      Expected<const SymExprNode *> node = converter.parse(size.expr);
      if (!node)
        return node.takeError();
      if (SymConverter::hasFloats(**node))
        continue;
      Expected<ExprAttr> expr = getExpr(size);
      if (!expr)
        return expr.takeError();
      if (!exported.isNonNegative(*expr) || ranges.isNonNegative(*expr))
        continue;
      bool isOfInputs = true;
      sym::walkLeaves(*expr, [&](ExprAttr leaf) {
        isOfInputs &= leaf.isSymbol() && known.contains(leaf.getName());
      });
      if (isOfInputs)
        sizeGuards.insert(*expr);
    }
  }
  // In an order that does not depend on that of the table.
  SmallVector<ExprAttr> sorted = sizeGuards.takeVector();
  llvm::sort(sorted, [](ExprAttr a, ExprAttr b) { return a.str() < b.str(); });
  for (ExprAttr expr : sorted)
    sym::AssertOp::create(
        builder, builder.getUnknownLoc(), sym::constant(context, 0),
        sym::Predicate::Le, expr,
        builder.getStringAttr("the program was exported for larger inputs: the "
                              "size '" +
                              expr.str() + "' of a tensor is not negative"));
  return Error::success();
}

Error ModuleBuilder::addGuards() {
  for (StringRef guard : program.guards) {
    Error error = addGuard(guard);
    if (!error)
      continue;
    std::string reason = toString(std::move(error));
    if (!allowUncheckedGuards)
      return makeError("what export assumed of the inputs, " + quoted(guard) +
                       ", cannot be checked: " + reason +
                       " (coil-import --allow-unchecked-guards imports the "
                       "program without)");
    emitWarning(builder.getUnknownLoc())
        << "the guard '" << guard
        << "' of the exported program is not checked: " << reason;
  }
  return Error::success();
}
