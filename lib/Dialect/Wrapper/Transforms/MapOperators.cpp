//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts user-defined kernels in the place of calls of a framework's operators. A
// file has, beside the kernels, a function for each operator: what to do in
// terms of its own symbols, which the sizes of a call's tensors say.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Sym/IR/CallArguments.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/UserKernel.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERMAPOPERATORSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-map-operators"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

/// What a call means for a function of the file.
struct Match {
  llvm::StringMap<ExprAttr> symbols;
  /// Numbers of launches: the argument's name and its value.
  llvm::StringMap<FloatAttr> floats;
  /// Bounds of symbols that only a run can check.
  SmallVector<std::pair<ExprAttr, sym::Bounds>> checks;

  ExprAttr substitute(ExprAttr e) const {
    return sym::substitute(
        e, [&](ExprAttr leaf) { return symbols.lookup(leaf.getName()); });
  }
};

struct WrapperMapOperators
    : coil::wrapper::impl::WrapperMapOperatorsPassBase<WrapperMapOperators> {
  using WrapperMapOperatorsPassBase::WrapperMapOperatorsPassBase;
  WrapperMapOperators() = default;
  // What a run holds is not copied.
  WrapperMapOperators(const WrapperMapOperators &other)
      : WrapperMapOperatorsPassBase(other) {}
  void runOnOperation() override;

private:
  LogicalResult checkTemplate(FuncOp fn);
  LogicalResult map(ExternCallOutOp call, ArrayRef<FuncOp> candidates);
  std::optional<Match> match(ExternCallOutOp call, FuncOp fn, std::string &why);
  void apply(ExternCallOutOp call, FuncOp fn, const Match &match);
  /// The name of a kernel or grid of the file in the program.
  FlatSymbolRefAttr take(StringAttr name);

  OwningOpRef<ModuleOp> file;
  std::unique_ptr<SymbolTable> program, library;
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> taken;
};

} // namespace

/// The argument's number that a launch has for the number `name` of the call.
static std::optional<int64_t> getPlace(LaunchUserOp launch, StringRef name) {
  auto numbers = launch->getAttrOfType<DictionaryAttr>(kNumbersAttrName);
  auto place = numbers ? numbers.getAs<IntegerAttr>(name) : IntegerAttr();
  return place ? std::optional(place.getInt()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

LogicalResult WrapperMapOperators::checkTemplate(FuncOp fn) {
  if (!fn.isPrivate()) // (C1)
    return fn.emitOpError("is for an operator but not private");
  if (fn.getArguments().empty() && fn.getResultTypes().empty())
    return fn.emitOpError("is for an operator but has no buffer");
  auto *end = fn.getBody().front().getTerminator();
  llvm::SmallDenseSet<Value> returned;
  for (Value v : end->getOperands())
    if (!v.getDefiningOp<AllocOp>() || !returned.insert(v).second) // (C2)
      return end->emitOpError("of an operator returns something that is not an "
                              "allocation of its own");
  for (Operation &op : fn.getBody().front().without_terminator()) {
    if (op.getNumRegions() != 0 || isa<CallOpInterface, FreeOp>(op)) // (C3)
      return op.emitOpError("is not allowed in the function of an operator");
    auto launch = dyn_cast<LaunchUserOp>(op);
    auto numbers = op.getAttrOfType<DictionaryAttr>(kNumbersAttrName);
    if (!numbers)
      continue;
    for (NamedAttribute each : numbers) { // (C4)
      auto place = launch ? getPlace(launch, each.getName()) : std::nullopt;
      if (!place || *place < 0 ||
          *place >= static_cast<int64_t>(launch.getArguments().size()) ||
          !isa<FloatAttr>(launch.getArguments()[static_cast<size_t>(*place)]))
        return op.emitOpError()
               << "argument " << each.getValue() << " for '"
               << each.getName().getValue() << "' is not a float of the launch";
    }
  }
  return success();
}

FlatSymbolRefAttr WrapperMapOperators::take(StringAttr name) {
  FlatSymbolRefAttr &result = taken[name];
  if (result)
    return result;
  Operation *copy = library->lookup(name)->clone();
  if (auto kernel = dyn_cast<KernelOp>(copy); kernel && !kernel.getEntry())
    kernel.setEntry(name.getValue()); // The function keeps its name.
  auto module = cast<ModuleOp>(program->getOp());
  return result = FlatSymbolRefAttr::get(
             program->insert(copy, module.getBody()->begin()));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether an expression of a function says the same as one of a call: a symbol
/// that has no value yet gets it.
static bool unify(Match &match, ExprAttr wanted, ExprAttr given) {
  if (wanted.isSymbol() && !match.symbols.contains(wanted.getName())) {
    match.symbols[wanted.getName()] = given;
    return true;
  }
  return match.substitute(wanted) == given;
}

/// Compares a buffer of a function with one of a call.
static bool unify(Match &match, BufferType wanted, BufferType given) {
  if (wanted.getElementType() != given.getElementType() ||
      wanted.getRank() != given.getRank() ||
      wanted.getDevice() != given.getDevice())
    return false;
  for (auto [w, g] :
       llvm::zip(wanted.getSizes().getDims(), given.getSizes().getDims()))
    if (!unify(match, w, g))
      return false;
  for (auto [size, w, g] :
       llvm::zip(given.getSizes().getDims(), wanted.getStrides().getDims(),
                 given.getStrides().getDims()))
    if (!size.isConstant(1) && !unify(match, w, g))
      return false;
  return true;
}

std::optional<Match> WrapperMapOperators::match(ExternCallOutOp call, FuncOp fn,
                                                std::string &why) {
  Match match;
  auto no = [&](const Twine &reason) -> std::optional<Match> {
    why = reason.str();
    return std::nullopt;
  };
  auto show = [](Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return text;
  };
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  // Tensors, in order; names agree where both sides have them.
  ArrayAttr names = call.getNamesAttr();
  SmallVector<StringRef> tensorNames;
  llvm::StringMap<Attribute> others;
  for (auto [i, argument] : llvm::enumerate(call.getArguments())) {
    StringRef name =
        names ? cast<StringAttr>(names[i]).getValue() : StringRef();
    if (isa<UnitAttr>(argument))
      tensorNames.push_back(name);
    else if (auto list = dyn_cast<ArrayAttr>(argument);
             list && llvm::any_of(list, [](Attribute each) {
               return isa<UnitAttr>(each);
             }))
      return no("argument '" + name + "' is a list of tensors");
    else if (!isNoneArgument(argument))
      others[name] = argument;
  }
  if (tensorNames.size() != fn.getNumArguments())
    return no("it takes " + Twine(fn.getNumArguments()) +
              " tensors, the call has " + Twine(tensorNames.size()));
  for (auto [i, operand] : llvm::enumerate(call.getInputs())) {
    auto number = static_cast<unsigned>(i);
    auto name = fn.getArgAttrOfType<StringAttr>(number, "coil.name");
    if (name && !tensorNames[i].empty() && name.getValue() != tensorNames[i])
      return no("argument " + Twine(number) + " is '" + name.getValue() +
                "', the call passes '" + tensorNames[i] + "'");
    if (!isa<BufferType>(operand.getType()) ||
        !unify(match, cast<BufferType>(fn.getArgumentTypes()[i]),
               type(operand))) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "argument " << number << " is a " << fn.getArgumentTypes()[i]
          << ", the call passes a " << operand.getType();
      return no(text);
    }
  }
  // Numbers, by name.
  llvm::StringSet<> used;
  auto when = fn->getAttrOfType<DictionaryAttr>(kWhenAttrName);
  for (NamedAttribute each :
       when ? when.getValue() : ArrayRef<NamedAttribute>()) {
    Attribute given = others.lookup(each.getName());
    used.insert(each.getName());
    if (auto number = dyn_cast_or_null<ExprAttr>(given);
        number && number.isConstant() && isa<IntegerAttr>(each.getValue()))
      given = IntegerAttr::get(IntegerType::get(&getContext(), 64),
                               number.getValue());
    if (given && given != each.getValue())
      return no("it is for '" + each.getName().getValue() + "' " +
                show(each.getValue()) + ", the call passes " + show(given));
  }
  for (Operation &op : fn.getBody().front()) {
    if (auto number = dyn_cast<SymExprOp>(op)) {
      Attribute given = others.lookup(number.getSymbol());
      used.insert(number.getSymbol());
      if (given && !isa<ExprAttr>(given))
        return no("'" + number.getSymbol() +
                  "' is an integer, the call passes " + show(given));
      match.symbols[number.getSymbol()] =
          given ? cast<ExprAttr>(given) : match.substitute(number.getExpr());
    }
    auto numbers = op.getAttrOfType<DictionaryAttr>(kNumbersAttrName);
    for (NamedAttribute each :
         numbers ? numbers.getValue() : ArrayRef<NamedAttribute>()) {
      Attribute given = others.lookup(each.getName());
      used.insert(each.getName());
      if (auto integer = dyn_cast_or_null<ExprAttr>(given);
          integer && integer.isConstant())
        given = FloatAttr::get(Float64Type::get(&getContext()),
                               static_cast<double>(integer.getValue()));
      if (given && !isa<FloatAttr>(given))
        return no("'" + each.getName().getValue() +
                  "' is a float, the call passes " + show(given));
      if (given)
        match.floats[each.getName()] = cast<FloatAttr>(given);
    }
  }
  for (auto &[name, value] : others)
    if (!used.contains(name))
      return no("it does not take '" + name + "', which the call passes as " +
                show(value));
  // Results.
  SmallVector<Value> returned(
      fn.getBody().front().getTerminator()->getOperands());
  if (returned.size() != call.getOutputs().size())
    return no("it gives " + Twine(returned.size()) +
              " tensors, the operator gives " +
              Twine(call.getOutputs().size()));
  for (auto [i, wanted, given] : llvm::enumerate(returned, call.getOutputs()))
    if (!unify(match, type(wanted), type(given))) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "result " << i << " is a " << wanted.getType()
          << ", the operator gives a " << given.getType();
      return no(text);
    }
  // What is written.
  ArrayRef<int64_t> mutates = call.getMutates().value_or(ArrayRef<int64_t>());
  for (BlockArgument arg : fn.getBody().getArguments()) {
    bool isWritten = false;
    for (Operation &op : fn.getBody().front())
      for (OpOperand &operand : op.getOpOperands())
        if (isa<BufferType>(operand.get().getType()) &&
            getStorage(operand.get()) == arg)
          if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
            isWritten |=
                effects.getEffectOnValue<MemoryEffects::Write>(operand.get())
                    .has_value();
    bool mayWrite =
        llvm::is_contained(mutates, static_cast<int64_t>(arg.getArgNumber()));
    if (isWritten != mayWrite)
      return no("argument " + Twine(arg.getArgNumber()) +
                (isWritten ? " is written, which the operator does not do"
                           : " is not written, which the operator does"));
  }
  // Ranges.
  sym::Context theirs = sym::Context::forOp(fn),
               ours = sym::Context::forOp(call);
  for (auto &[name, value] : match.symbols) {
    sym::Bounds allowed = theirs.bounds(sym::symbol(&getContext(), name)),
                actual = ours.bounds(value);
    if (actual.lo > allowed.hi || actual.hi < allowed.lo)
      return no("'" + name + "' is " + value.str() +
                ", which is out of its range");
    if (actual.lo < allowed.lo || actual.hi > allowed.hi)
      match.checks.push_back({value, allowed});
  }
  llvm::sort(match.checks, [](const auto &a, const auto &b) {
    return a.first.str() < b.first.str();
  });
  return match;
}

void WrapperMapOperators::apply(ExternCallOutOp call, FuncOp fn,
                                const Match &match) {
  OpBuilder b(call);
  IRMapping mapping;
  mapping.map(fn.getBody().getArguments(), call.getInputs());
  mapping.map(fn.getBody().front().getTerminator()->getOperands(),
              call.getOutputs());
  for (const auto &[value, bounds] : match.checks) {
    std::string message =
        ("the kernel for '" + call.getCallee() + "' takes " + value.str())
            .str();
    ExprAttr low = sym::constant(&getContext(), bounds.lo),
             high = sym::constant(&getContext(), bounds.hi);
    if (bounds.lo != INT64_MIN)
      wrapper::AssertOp::create(b, call.getLoc(), low, sym::Predicate::Le,
                                value, message + " from " + low.str() + " on");
    if (bounds.hi != INT64_MAX)
      wrapper::AssertOp::create(b, call.getLoc(), value, sym::Predicate::Le,
                                high, message + " up to " + high.str());
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ExprAttr e) {
    return std::pair<Attribute, WalkResult>(match.substitute(e),
                                            WalkResult::skip());
  });
  for (Operation &op : fn.getBody().front().without_terminator()) {
    if (isa<InputSymbolOp, AssertLayoutOp, SymExprOp>(op) ||
        (isa<AllocOp>(op) && mapping.contains(op.getResult(0))))
      continue;
    Operation *copy = b.clone(op, mapping);
    copy->setLoc(call.getLoc());
    replacer.replaceElementsIn(copy, /*replaceAttrs=*/true,
                               /*replaceLocs=*/false, /*replaceTypes=*/true);
    if (auto launch = dyn_cast<LaunchUserOp>(copy)) {
      launch.setCalleeAttr(take(launch.getCalleeAttr().getAttr()));
      launch.setGridAttr(take(launch.getGridAttr().getAttr()));
      SmallVector<Attribute> arguments(launch.getArguments().getValue());
      for (const auto &entry : match.floats)
        if (auto place = getPlace(launch, entry.getKey())) {
          Attribute &argument = arguments[static_cast<size_t>(*place)];
          argument = FloatAttr::get(cast<FloatAttr>(argument).getType(),
                                    entry.getValue().getValueAsDouble());
        }
      launch.setArgumentsAttr(b.getArrayAttr(arguments));
      launch->removeAttr(kNumbersAttrName);
    }
  }
  remark::passed(
      call.getLoc(),
      remark::RemarkOpts::name("OperatorMapped").category(DEBUG_TYPE))
      << remark::add("'{0}' is computed by the user's kernels of '{1}'",
                     call.getCallee(), fn.getName());
  call.erase();
}

LogicalResult WrapperMapOperators::map(ExternCallOutOp call,
                                       ArrayRef<FuncOp> candidates) {
  SmallVector<std::pair<FuncOp, std::string>> reasons;
  for (FuncOp fn : candidates) {
    std::string why;
    if (std::optional<Match> found = match(call, fn, why)) {
      apply(call, fn, *found);
      return success();
    }
    reasons.emplace_back(fn, std::move(why));
  }
  InFlightDiagnostic diag = call.emitError() << "no function of '" << fileName
                                             << "' is for this call of '"
                                             << call.getCallee() << "'";
  for (auto &[fn, why] : reasons)
    diag.attachNote(fn.getLoc()) << "'" << fn.getName() << "': " << why;
  return diag;
}

void WrapperMapOperators::runOnOperation() {
  if (fileName.empty())
    return;
  file = parseSourceFile<ModuleOp>(fileName, &getContext());
  if (!file) {
    emitError(UnknownLoc::get(&getContext()))
        << "'" << fileName << "' is no file with kernels for operators";
    return signalPassFailure();
  }
  if (failed(loadKernels(*file, llvm::sys::path::parent_path(fileName))))
    return signalPassFailure();
  library = std::make_unique<SymbolTable>(*file);
  program = std::make_unique<SymbolTable>(getOperation());
  taken.clear();
  // By operator and kind of device.
  llvm::StringMap<SmallVector<FuncOp>> functions;
  auto key = [](StringRef name, DeviceAttr device) {
    return (name + " " + device.getKind()).str();
  };
  for (FuncOp fn : file->getOps<FuncOp>()) {
    auto name = fn->getAttrOfType<StringAttr>(kOperatorAttrName);
    if (!name)
      continue;
    if (failed(checkTemplate(fn)))
      return signalPassFailure();
    Type first = fn.getArguments().empty() ? fn.getResultTypes().front()
                                           : fn.getArgumentTypes().front();
    functions[key(name, wrapper::getDevice(first))].push_back(fn);
  }
  SmallVector<HostCallOpInterface> calls;
  getOperation()->walk(
      [&](HostCallOpInterface call) { calls.push_back(call); });
  for (HostCallOpInterface call : calls) {
    auto found =
        functions.find(key(call.getFunctionName(), call.getCallDevice()));
    if (found == functions.end())
      continue;
    auto out = dyn_cast<ExternCallOutOp>(*call);
    if (!out) {
      call->emitError() << "'" << call.getFunctionName()
                        << "' gives tensors with data-dependent sizes, so "
                           "no kernel of '"
                        << fileName << "' can be substituted";
      return signalPassFailure();
    }
    if (failed(map(out, found->second)))
      return signalPassFailure();
  }
  library.reset();
  program.reset();
  file = {};
}
