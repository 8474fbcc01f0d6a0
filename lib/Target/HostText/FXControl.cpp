//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, loops and calls as graphs inside of graphs. A region becomes a
// graph with a signature of its own: what it uses of the values outside are
// inputs.
//
//===----------------------------------------------------------------------===//

#include "FXEmitter.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

FXEmitter::Captures FXEmitter::findCaptures(Operation *op) {
  Captures captures;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    if (e.isSymbol() && bound.contains(e.getName()))
      captures.symbols.insert(e.getName());
  });
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        // Of tokens, those of collectives have no value in a program, and those
        // of events stay in their graph. Objects are no inputs: each graph
        // finds its own.
        if (!op->isAncestor(v.getParentBlock()->getParentOp()) &&
            !isa<TokenType, ObjectType>(v.getType()))
          captures.values.insert(v);
      walker.walk(inner->getAttrDictionary());
      for (Type type : inner->getResultTypes())
        walker.walk(type);
    });
  return captures;
}

std::string FXEmitter::listCaptures(const Captures &captures) {
  SmallVector<std::string> names;
  for (Value v : captures.values)
    names.push_back(name(v));
  for (StringRef each : captures.symbols)
    names.push_back(symbol(each));
  return tuple(names);
}

FXEmitter::Subgraph FXEmitter::enter(StringRef role, const Captures &captures) {
  Subgraph subgraph;
  subgraph.outer = graph;
  subgraph.numDefinitions = definitions.size();
  subgraph.exprs = std::move(exprs);
  subgraph.offsets = std::move(offsets);
  for (Value v : captures.values)
    subgraph.values.emplace_back(v, name(v));
  for (StringRef each : captures.symbols)
    subgraph.symbols.emplace_back(each.str(), symbol(each));
  exprs.clear();
  offsets.clear();
  std::string inner = getLocals().unique(role);
  subgraph.name = inner;
  out.line(inner + " = program.graph()");
  graph = inner;
  return subgraph;
}

void FXEmitter::addCaptured(const Captures &captures) {
  // An input is like the node outside.
  auto add = [&](const std::string &outside) {
    std::string inside = getLocals().unique(outside);
    out.line(inside + " = " + graph + ".placeholder(" + quote(inside) + ", " +
             outside + ".meta[\"val\"])");
    return inside;
  };
  for (Value v : captures.values)
    setName(v, add(name(v)));
  for (StringRef each : captures.symbols)
    setSymbol(each, add(symbol(each)));
}

void FXEmitter::leave(Subgraph &&subgraph) {
  graph = subgraph.outer;
  while (definitions.size() > subgraph.numDefinitions) {
    Definition definition = definitions.pop_back_val();
    fakeSymbols[definition.symbol] = std::move(definition.outer);
  }
  exprs = std::move(subgraph.exprs);
  offsets = std::move(subgraph.offsets);
  for (auto &[value, text] : subgraph.values)
    setName(value, text);
  for (auto &[each, text] : subgraph.symbols)
    setSymbol(each, text);
}

std::string FXEmitter::outputs(ValueRange values,
                               std::optional<sym::ShapeAttr> symbols) {
  SmallVector<std::string> names;
  for (Value v : values)
    names.push_back(name(v));
  if (symbols)
    for (ExprAttr e : symbols->getDims())
      names.push_back(print(e));
  return tuple(names);
}

std::optional<std::string>
FXEmitter::fakeResults(Operation *op, ValueRange values,
                       std::optional<ArrayAttr> symbols) {
  SmallVector<std::string> parts;
  for (Value v : values) {
    auto value = fake(op, v.getType());
    if (!value)
      return std::nullopt;
    parts.push_back(*value);
  }
  if (symbols)
    for (auto each : symbols->getAsRange<StringAttr>())
      parts.push_back(fakeExpr(sym::symbol(op->getContext(), each.getValue())));
  return tuple(parts);
}

LogicalResult FXEmitter::emitResults(StringRef node, ValueRange values,
                                     std::optional<ArrayAttr> symbols) {
  unsigned number = 0;
  auto get = [&] {
    return (graph + ".get(" + node + ", " + Twine(number++) + ")").str();
  };
  for (Value v : values)
    out.line(define(v) + " = " + get());
  if (symbols)
    for (auto each : symbols->getAsRange<StringAttr>()) {
      std::string variable = bindSymbol(each.getValue());
      out.line(variable + " = " + get());
      bind(each.getValue());
      emitRange(each.getValue(), "");
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(IfOp op) {
  auto values = fakeResults(op, op.getResults(), op.getDefines());
  if (!values)
    return failure();
  Captures captures = findCaptures(op);
  std::string names[2];
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    bool isThen = region == &op.getThenRegion();
    Subgraph subgraph = enter(isThen ? "true_graph" : "false_graph", captures);
    names[isThen ? 0 : 1] = subgraph.name;
    addCaptured(captures);
    if (failed(emitBody(*region)))
      return failure();
    auto yield = cast<YieldOp>(region->front().getTerminator());
    std::string list = outputs(yield.getValues(), yield.getSymbols());
    out.line(graph + ".output(" + list + ")");
    leave(std::move(subgraph));
  }
  std::string node = getLocals().numbered("cond");
  out.line(node + " = " + graph + ".cond(" + name(op.getPredicate()) + ", " +
           names[0] + ", " + names[1] + ", " + listCaptures(captures) + ", " +
           *values + ")");
  return emitResults(node, op.getResults(), op.getDefines());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::addCarried(WhileOp op, Region &region) {
  for (BlockArgument arg : region.getArguments()) {
    auto value = fake(op, arg.getType());
    if (!value)
      return failure();
    std::string variable = define(arg);
    out.line(variable + " = " + graph + ".placeholder(" + quote(variable) +
             ", " + *value + ")");
  }
  if (op.getSymbols())
    for (auto each : op.getSymbols()->getAsRange<StringAttr>()) {
      std::string value =
          fakeExpr(sym::symbol(op.getContext(), each.getValue()));
      std::string variable = bindSymbol(each.getValue());
      out.line(variable + " = " + graph + ".placeholder(" + quote(variable) +
               ", " + value + ")");
      bind(each.getValue());
    }
  return success();
}

LogicalResult FXEmitter::emit(WhileOp op) {
  auto condition = cast<ConditionOp>(op.getCondition().front().getTerminator());
  if (!llvm::equal(condition.getValues(), op.getCondition().getArguments()))
    return condition.emitOpError()
           << "passes on other values than it is given, which the emitter '"
           << getEmitterName() << "' cannot express";
  auto values = fakeResults(op, op.getResults(), op.getSymbols());
  if (!values)
    return failure();
  // The first numbers that are carried are checked like all others.
  SmallVector<std::string> inits;
  for (Value init : op.getInits())
    inits.push_back(name(init));
  if (op.getSymbols())
    for (auto [each, from] :
         llvm::zip(op.getSymbols()->getAsRange<StringAttr>(),
                   op.getFrom()->getDims())) {
      inits.push_back(print(from));
      setSymbol(each.getValue(), inits.back());
      emitRange(each.getValue(), "");
    }
  Captures captures = findCaptures(op);
  std::string names[2];
  for (Region *region : {&op.getCondition(), &op.getBody()}) {
    bool isBody = region == &op.getBody();
    Subgraph subgraph = enter(isBody ? "body_graph" : "cond_graph", captures);
    names[isBody] = subgraph.name;
    if (failed(addCarried(op, *region)))
      return failure();
    addCaptured(captures);
    if (failed(emitBody(*region)))
      return failure();
    if (isBody) {
      auto yield = cast<YieldOp>(region->front().getTerminator());
      std::string list = outputs(yield.getValues(), yield.getSymbols());
      if (op.getSymbols())
        for (auto [each, next] :
             llvm::zip(op.getSymbols()->getAsRange<StringAttr>(),
                       yield.getSymbols()->getDims())) {
          std::string now = symbol(each.getValue());
          setSymbol(each.getValue(), print(next));
          emitRange(each.getValue(), "");
          setSymbol(each.getValue(), now);
        }
      out.line(graph + ".output(" + list + ")");
    } else {
      out.line(graph + ".output(" + name(condition.getPredicate()) + ")");
    }
    leave(std::move(subgraph));
  }
  std::string node = getLocals().numbered("loop");
  out.line(node + " = " + graph + ".while_loop(" + names[0] + ", " + names[1] +
           ", " + tuple(inits) + ", " + listCaptures(captures) + ", " +
           *values + ")");
  return emitResults(node, op.getResults(), op.getSymbols());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(InvokeOp op) {
  auto values = fakeResults(op, op.getResults(), std::nullopt);
  if (!values)
    return failure();
  SmallVector<std::string> arguments;
  for (Value v : op.getOperands())
    arguments.push_back(name(v));
  StringRef callee = global(op.getCallee());
  std::string node = getLocals().numbered("result");
  out.line(node + " = " + graph + ".invoke(" + quote(callee) + ", build_" +
           callee + ", " + tuple(arguments) + ", " + *values + ")");
  return emitResults(node, op.getResults(), std::nullopt);
}
