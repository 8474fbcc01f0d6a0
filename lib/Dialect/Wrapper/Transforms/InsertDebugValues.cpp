//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes host programs show the values around steps.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <functional>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERINSERTDEBUGVALUESPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {
struct WrapperInsertDebugValues
    : coil::wrapper::impl::WrapperInsertDebugValuesPassBase<
          WrapperInsertDebugValues> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  bool isWanted(ComputeOpInterface step, StringRef handle);
  /// Whether values are not shown, but looked at.
  bool isCheck() const {
    return action == DebugAction::NaN || action == DebugAction::Finite;
  }
  void addNumbers(OpBuilder &b, ComputeOpInterface step, StringRef handle);
  void addMark(OpBuilder &b, Location loc, DebugMoment moment,
               StringRef handle);
  void addValue(OpBuilder &b, Location loc, DebugMoment moment,
                StringRef handle, const Twine &name, Value buffer);
  void addInputs(FuncOp fn);
  void addOutputs(FuncOp fn);
  void addStep(ComputeOpInterface step, StringRef handle);

  /// Nothing for names alone, and for hooks.
  std::optional<DebugAction> action;
  std::vector<llvm::GlobPattern> patterns;
};
} // namespace

LogicalResult WrapperInsertDebugValues::initialize(MLIRContext *context) {
  action = symbolizeDebugAction(values);
  Location loc = UnknownLoc::get(context);
  if (!action && values != "names" && values != "hook") // (C1)
    return emitError(loc) << "unknown way '" << values
                          << "' to show values, expected 'names', 'print', "
                             "'save', 'nan', 'finite' or 'hook'";
  if (!action && ends) // (C3)
    return emitError(loc) << "'" << values
                          << "' is about steps, not about what a program takes "
                             "and gives";
  patterns.clear();
  for (StringRef part : llvm::split(filter, '+')) {
    if (part.empty())
      continue;
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(part);
    if (!pattern)
      return emitError(loc)
             << "filter '" << part
             << "' is not a pattern: " << llvm::toString(pattern.takeError());
    patterns.push_back(std::move(*pattern));
  }
  return success();
}

bool WrapperInsertDebugValues::isWanted(ComputeOpInterface step,
                                        StringRef handle) {
  return patterns.empty() ||
         llvm::any_of(patterns, [&](const llvm::GlobPattern &pattern) {
           return pattern.match(step.getComputeName()) || pattern.match(handle);
         });
}

void WrapperInsertDebugValues::addMark(OpBuilder &b, Location loc,
                                       DebugMoment moment, StringRef handle) {
  if (values == "names")
    DebugMarkOp::create(b, loc, moment, handle);
}

void WrapperInsertDebugValues::addValue(OpBuilder &b, Location loc,
                                        DebugMoment moment, StringRef handle,
                                        const Twine &name, Value buffer) {
  if (values == "hook") {
    if (moment == DebugMoment::After)
      HookOp::create(b, loc, b.getStringAttr(handle), b.getStringAttr(name),
                     buffer);
    return;
  }
  if (isCheck()) {
    // What was checked where it was made is not checked again.
    Type element = cast<BufferType>(buffer.getType()).getElementType();
    if (moment == DebugMoment::Before || !isa<FloatType>(element))
      return;
    std::string place;
    if (moment == DebugMoment::After)
      place = findPlace(loc);
    DebugValueOp::create(b, loc, *action, moment,
                         place.empty() ? handle.str()
                                       : (handle + " (" + place + ")").str(),
                         b.getStringAttr(name).getValue(), buffer);
    return;
  }
  if (action)
    DebugValueOp::create(b, loc, *action, moment, handle,
                         b.getStringAttr(name).getValue(), buffer);
}

/// The numbers that a step is given: symbols of kernels, and arguments of calls
/// and of user-defined kernels.
void WrapperInsertDebugValues::addNumbers(OpBuilder &b, ComputeOpInterface step,
                                          StringRef handle) {
  if (values != "print")
    return;
  auto add = [&](const Twine &name, ExprAttr number, Value value) {
    // What is written in the program needs no run to be known.
    if (value || !number.isConstant())
      DebugNumberOp::create(b, step->getLoc(), DebugMoment::Before, handle,
                            b.getStringAttr(name).getValue(), number, value);
  };
  if (auto launch = dyn_cast<LaunchOp>(*step)) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
        launch, launch.getCalleeAttr());
    for (auto [name, number] :
         llvm::zip(kernel.getSymbols().getAsRange<StringAttr>(),
                   launch.getSymbols().getDims()))
      add(name.getValue(), number, {});
    return;
  }
  if (auto launch = dyn_cast<LaunchUserOp>(*step)) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
        launch, launch.getCalleeAttr());
    for (const LaunchUserOp::Passed &each : launch.getPassed(kernel)) {
      StringRef name = each.parameter.getName();
      if (auto number = dyn_cast_or_null<ExprAttr>(each.argument))
        add(name, number, {});
      else if (each.operand && each.operand.getType().isIntOrFloat())
        add(name, {}, each.operand);
    }
    return;
  }
  auto call = dyn_cast<HostCallOpInterface>(*step);
  if (!call)
    return;
  ArrayAttr names = call.getArgumentNames();
  auto operands = call.getCallOperands();
  unsigned taken = 0;
  std::function<void(Attribute, const Twine &)> visit = [&](Attribute argument,
                                                            const Twine &name) {
    if (auto list = dyn_cast<ArrayAttr>(argument)) {
      std::string prefix = name.str();
      for (auto [i, each] : llvm::enumerate(list))
        visit(each, prefix + "[" + Twine(i) + "]");
    } else if (auto number = dyn_cast<ExprAttr>(argument)) {
      add(name, number, {});
    } else if (isa<UnitAttr>(argument) && taken < operands.size()) {
      Value v = operands[taken++];
      if (v.getType().isIntOrFloat())
        add(name, {}, v);
    }
  };
  for (auto [i, argument] : llvm::enumerate(call.getCallArguments())) {
    bool isNamed = names && i < names.size();
    visit(argument, isNamed ? Twine(cast<StringAttr>(names[i]).getValue())
                            : "arg" + Twine(i));
  }
}

/// What the caller passes, once; weights are the same at every call.
void WrapperInsertDebugValues::addInputs(FuncOp fn) {
  // Behind the ops that bind the symbols of inputs, whose sizes are known then.
  Block &body = fn.getBody().front();
  Operation *first = &body.front();
  for (Operation &op : body)
    if (isa<InputSymbolOp>(op))
      first = op.getNextNode();
  OpBuilder b(first);
  if (values == "print")
    for (Operation &op : body)
      if (auto symbol = dyn_cast<InputSymbolOp>(op))
        DebugNumberOp::create(b, fn.getLoc(), DebugMoment::Inputs, fn.getName(),
                              symbol.getSymbol(),
                              sym::symbol(fn.getContext(), symbol.getSymbol()),
                              Value());
  for (auto [i, arg] : llvm::enumerate(fn.getArguments())) {
    auto number = static_cast<unsigned>(i);
    if (!isa<BufferType>(arg.getType()) ||
        fn.getArgAttr(number, "graph.weight"))
      continue;
    auto name = fn.getArgAttrOfType<StringAttr>(number, "coil.name");
    addValue(b, fn.getLoc(), DebugMoment::Inputs, fn.getName(),
             name ? Twine(name.getValue()) : "arg" + Twine(number), arg);
  }
}

/// What the caller gets, whatever made it.
void WrapperInsertDebugValues::addOutputs(FuncOp fn) {
  Operation *end = fn.getBody().front().getTerminator();
  OpBuilder b(end);
  for (auto [i, v] : llvm::enumerate(end->getOperands())) {
    auto number = static_cast<unsigned>(i);
    auto name = fn.getResultAttrOfType<StringAttr>(number, "coil.name");
    addValue(b, fn.getLoc(), DebugMoment::Outputs, fn.getName(),
             name ? Twine(name.getValue()) : "out" + Twine(number), v);
  }
}

void WrapperInsertDebugValues::addStep(ComputeOpInterface step,
                                       StringRef handle) {
  Location loc = step->getLoc();
  OpBuilder before(step), after(step->getContext());
  after.setInsertionPointAfter(step);
  addMark(before, loc, DebugMoment::Before, handle);
  addMark(after, loc, DebugMoment::After, handle);
  addNumbers(before, step, handle);
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(*step).getEffects(effects);
  unsigned numRead = 0, numWritten = 0;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    auto *operand = effect.getEffectValue<OpOperand *>();
    if (!operand || !isa<BufferType>(operand->get().getType()))
      continue;
    // What is only written holds nothing before.
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      addValue(before, loc, DebugMoment::Before, handle,
               "in" + Twine(numRead++), operand->get());
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      addValue(after, loc, DebugMoment::After, handle,
               "out" + Twine(numWritten++), operand->get());
  }
  // Sizes of results may be symbols that ops behind the step bind.
  Operation *last = step;
  while (isa<BindSymbolOp, AssertLayoutOp>(last->getNextNode()))
    last = last->getNextNode();
  if (last != step)
    after.setInsertionPointAfter(last);
  for (Value result : step->getResults())
    if (isa<BufferType>(result.getType()))
      addValue(after, loc, DebugMoment::After, handle,
               "out" + Twine(numWritten++), result);
}

void WrapperInsertDebugValues::runOnOperation() {
  ModuleOp module = getOperation();
  CallHandles handles(module);
  for (FuncOp fn : module.getOps<FuncOp>()) {
    if (fn.isExternal())
      continue;
    SmallVector<ComputeOpInterface> steps;
    fn.getBody().walk<WalkOrder::PreOrder>([&](ComputeOpInterface step) {
      if (!ends)
        steps.push_back(step);
    });
    for (ComputeOpInterface step : steps) {
      std::string handle = handles.get(step);
      if (isWanted(step, handle))
        addStep(step, handle);
    }
    if (fn.isPrivate())
      continue;
    addInputs(fn);
    if (ends)
      addOutputs(fn);
  }
}
