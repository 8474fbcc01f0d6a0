//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that users supply: their attributes, grids and launches.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/UserKernel.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool ParamAttr::isTensorMap() const {
  return isBuffer() && isa<TMADescriptorType>(getType());
}

LogicalResult ParamAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, ParamKind kind, Type type) {
  if (name.empty()) // (C1)
    return emitError() << "expected a name of the parameter";
  bool fits = false; // (C2)
  switch (kind) {
  case ParamKind::Read:
  case ParamKind::Write:
  case ParamKind::Update:
    fits = isa_and_present<TMADescriptorType>(type) ||
           (type && type.isIntOrFloat() &&
            (type.getIntOrFloatBitWidth() % 8 == 0 || type.isInteger(1)));
    break;
  case ParamKind::Value:
    fits = type && (type.isSignlessInteger(32) || type.isSignlessInteger(64) ||
                    type.isF32() || type.isF64());
    break;
  case ParamKind::One:
    fits = type && type.isSignlessInteger();
    break;
  case ParamKind::ConstExpr:
    fits = !type;
    break;
  }
  if (fits)
    return success();
  InFlightDiagnostic diag = emitError()
                            << "parameter '" << name << "' of kind '"
                            << stringifyParamKind(kind) << "' cannot have ";
  if (type)
    return diag << "the type " << type;
  return diag << "no type";
}

LogicalResult GridCaseAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr keywords,
                                   sym::ShapeAttr sizes) {
  bool onlySymbols = true;
  for (ExprAttr e : sizes.getDims())
    sym::walkLeaves(e, [&](ExprAttr l) { onlySymbols &= l.isSymbol(); });
  if (sizes.size() != 3 || !onlySymbols) // (C1)
    return emitError() << "expected three sizes over symbols but got " << sizes;
  for (NamedAttribute each : keywords) // (C2)
    if (!isa<IntegerAttr, StringAttr>(each.getValue()))
      return emitError() << "keyword '" << each.getName().getValue()
                         << "' has a value that is no integer, bool or string";
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verifyUserKernel() {
  Block *block = getBlock();
  for (Operation &op : *block) // (C8)
    if (!isa<SymbolOpInterface>(op))
      return op.emitOpError("expected a symbol in the body of a user's kernel");
  if (block->getNumArguments() != 0 || !getInputStrides().empty() ||
      !getOutputStrides().empty() || !getSymbols().empty() || getInPlace() ||
      getAlignment() || getBatch())
    return emitOpError("a user's kernel has no arguments, strides, symbols, "
                       "pairs, alignment or batch");
  llvm::StringSet<> names;
  for (auto parameter : getParameters()->getAsRange<ParamAttr>())
    if (!names.insert(parameter.getName()).second)
      return emitOpError() << "has two parameters '" << parameter.getName()
                           << "'";

  // (C9)
  unsigned sources = getPtx() ? 1 : 0;
  // The text is in a file as long as nobody has read it.
  if (Attribute file = (*this)->getAttr(kPtxFileAttrName)) {
    if (!isa<StringAttr>(file))
      return emitOpError() << "'" << kPtxFileAttrName << "' names no file";
    ++sources;
  }
  for (Operation &op : *block)
    if (op.getName().getStringRef() == "gpu.module" ||
        cast<SymbolOpInterface>(op).getName() == getEntryName())
      ++sources;
  if (sources != 1)
    return emitOpError() << "expected one text 'ptx', 'gpu.module' or function "
                            "'"
                         << getEntryName() << "' but there are " << sources;

  // (C10)
  if (std::optional<ArrayRef<int64_t>> threads = getThreads()) {
    int64_t count = threads->size() == 3 ? 1 : 1025;
    for (int64_t n : *threads)
      count = n > 0 && n <= 1024 ? count * n : 1025;
    if (count > 1024)
      return emitOpError() << "a block of [" << *threads
                           << "] threads is impossible";
  }
  if (std::optional<uint64_t> bytes = getShared();
      bytes && static_cast<int64_t>(*bytes) < 0)
    return emitOpError() << "cannot have " << static_cast<int64_t>(*bytes)
                         << " bytes of shared memory";

  // (C11)
  if (FlatSymbolRefAttr reference = getReferenceAttr())
    if (!isa_and_present<FunctionOpInterface>(
            ::mlir::SymbolTable::lookupSymbolIn(*this, reference.getAttr())))
      return emitOpError() << "reference '" << reference.getValue()
                           << "' is no function in the body";
  return success();
}

//===----------------------------------------------------------------------===//
// GridOp
//===----------------------------------------------------------------------===//

LogicalResult GridOp::verify() {
  if (getCases().empty()) // (C1)
    return emitOpError("expected a case");
  llvm::DenseMap<Attribute, sym::ShapeAttr> seen;
  llvm::StringSet<> known;
  for (auto name : getSymbols().getAsRange<StringAttr>())
    known.insert(name.getValue());
  for (auto each : getCases().getAsRange<GridCaseAttr>()) {
    auto [entry, isNew] = seen.try_emplace(each.getKeywords(), each.getSizes());
    if (!isNew && entry->second != each.getSizes()) // (C2)
      return emitOpError() << "has two grids for " << each.getKeywords();
    std::string missing;
    for (ExprAttr e : each.getSizes().getDims())
      sym::walkLeaves(e, [&](ExprAttr leaf) {
        if (!known.contains(leaf.getName()))
          missing = leaf.getName().str();
      });
    if (!missing.empty()) // (C3)
      return emitOpError() << "mentions symbol '" << missing
                           << "', which it does not list";
  }
  return success();
}

sym::ShapeAttr GridOp::resolve(DictionaryAttr config) {
  GridCaseAttr best;
  for (auto each : getCases().getAsRange<GridCaseAttr>()) {
    bool holds = llvm::all_of(each.getKeywords(), [&](NamedAttribute keyword) {
      return config.get(keyword.getName()) == keyword.getValue();
    });
    if (holds &&
        (!best || each.getKeywords().size() > best.getKeywords().size()))
      best = each;
  }
  return best ? best.getSizes() : sym::ShapeAttr();
}

/// Keywords of configurations that are no arguments of kernels: they choose how
/// code is made, not how much of it runs.
static bool isForCompiler(StringAttr keyword) {
  return llvm::is_contained({"num_warps", "num_stages", "num_ctas", "maxnreg",
                             "waves_per_eu", "matrix_instr_nonkdim", "kpack"},
                            keyword.getValue());
}

LogicalResult GridOp::canonicalize(GridOp op, PatternRewriter &rewriter) {
  MLIRContext *context = op.getContext();
  SmallVector<GridCaseAttr> cases(op.getCases().getAsRange<GridCaseAttr>());
  auto strip = [&](GridCaseAttr each) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute keyword : each.getKeywords())
      if (!isForCompiler(keyword.getName()))
        kept.push_back(keyword);
    return DictionaryAttr::get(context, kept);
  };
  // What differs in such keywords alone must have one grid.
  llvm::DenseMap<Attribute, sym::ShapeAttr> sizes;
  llvm::DenseSet<Attribute> differing;
  for (GridCaseAttr each : cases) {
    auto [entry, isNew] = sizes.try_emplace(strip(each), each.getSizes());
    if (!isNew && entry->second != each.getSizes())
      differing.insert(entry->first);
  }
  // In the order in which they are tried: those with most keywords first.
  SmallVector<GridCaseAttr> result;
  for (GridCaseAttr each : cases) {
    DictionaryAttr keywords = strip(each);
    if (differing.contains(keywords))
      keywords = each.getKeywords();
    auto stripped = GridCaseAttr::get(context, keywords, each.getSizes());
    if (llvm::is_contained(result, stripped))
      continue;
    auto *place = llvm::find_if(result, [&](GridCaseAttr other) {
      return other.getKeywords().size() < keywords.size();
    });
    result.insert(place, stripped);
  }
  if (result == cases)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.setCasesAttr(rewriter.getArrayAttr(
        SmallVector<Attribute>(result.begin(), result.end())));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchUserOp
//===----------------------------------------------------------------------===//

std::string LaunchUserOp::getComputeName() { return getCallee().str(); }

bool LaunchUserOp::Passed::isNull() const { return isa<NullAttr>(argument); }

sym::ShapeAttr LaunchUserOp::resolveGrid(GridOp grid) {
  llvm::StringMap<ExprAttr> values;
  for (auto [name, value] :
       llvm::zip(grid.getSymbols(), getGridSymbols().getDims()))
    values[cast<StringAttr>(name).getValue()] = value;
  SmallVector<ExprAttr> sizes;
  for (ExprAttr e : grid.resolve(getConfig()).getDims())
    sizes.push_back(sym::substitute(
        e, [&](ExprAttr leaf) { return values.lookup(leaf.getName()); }));
  return sym::ShapeAttr::get(getContext(), sizes);
}

SmallVector<LaunchUserOp::Passed> LaunchUserOp::getPassed(KernelOp kernel) {
  SmallVector<Passed> passed;
  size_t input = 0, output = 0, update = 0, scalar = 0, map = 0;
  for (auto [parameter, argument] : llvm::zip(
           kernel.getParameters()->getAsRange<ParamAttr>(), getArguments())) {
    if (!parameter.isPassed())
      continue;
    Value operand;
    if (isa<UnitAttr>(argument)) {
      switch (parameter.getKind()) {
      case ParamKind::Read:
        operand = getInputs()[input++];
        break;
      case ParamKind::Write:
        operand = getOutputs()[output++];
        break;
      case ParamKind::Update:
        operand = getUpdates()[update++];
        break;
      default:
        operand = getScalars()[scalar++];
        break;
      }
    }
    passed.push_back({parameter, operand, argument,
                      parameter.isTensorMap() ? getMaps()[map++] : Value()});
  }
  return passed;
}

/// Whether an argument is one that a parameter takes.
static bool fits(ParamAttr parameter, Attribute argument) {
  auto expr = dyn_cast<ExprAttr>(argument);
  switch (parameter.getKind()) {
  case ParamKind::Read:
  case ParamKind::Write:
  case ParamKind::Update:
    return isa<UnitAttr>(argument) ||
           (isa<NullAttr>(argument) && !parameter.isTensorMap());
  case ParamKind::Value:
    if (isa<IntegerType>(parameter.getType()))
      return expr || isa<UnitAttr>(argument);
    return isa<UnitAttr, FloatAttr>(argument);
  case ParamKind::One:
    return expr && expr.isConstant(1);
  case ParamKind::ConstExpr:
    return true;
  }
  llvm_unreachable("all kinds are handled");
}

LogicalResult LaunchUserOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel =
      tables.lookupNearestSymbolFrom<KernelOp>(*this, getCalleeAttr());
  if (!kernel || !kernel.isUserKernel()) // (C1)
    return emitOpError() << "'" << getCallee()
                         << "' is not a kernel with parameters";
  auto note = [&](InFlightDiagnostic diag) -> LogicalResult {
    diag.attachNote(kernel.getLoc()) << "kernel defined here";
    return diag;
  };
  if (getArguments().size() != kernel.getParameters()->size())
    return note(emitOpError()
                << "has " << getArguments().size()
                << " arguments but the kernel has "
                << kernel.getParameters()->size() << " parameters");

  size_t counts[5] = {}; // Inputs, outputs, updates, scalars, maps.
  for (auto [parameter, argument] : llvm::zip(
           kernel.getParameters()->getAsRange<ParamAttr>(), getArguments())) {
    if (!fits(parameter, argument)) // (C2)
      return note(emitOpError()
                  << "parameter '" << parameter.getName() << "' of kind '"
                  << stringifyParamKind(parameter.getKind())
                  << "' does not take the argument " << argument);
    if (auto expr = dyn_cast<ExprAttr>(argument)) // (C6)
      if (failed(verifyOnlySymbols(*this, expr)))
        return failure();
    if (parameter.isPassed() && isa<UnitAttr>(argument))
      ++counts[std::min<uint32_t>(static_cast<uint32_t>(parameter.getKind()),
                                  3)];
    counts[4] += parameter.isTensorMap();
    // (C4)
    if (parameter.getKind() == ParamKind::ConstExpr)
      if (Attribute keyword = getConfig().get(parameter.getName());
          keyword && keyword != argument)
        return emitOpError()
               << "passes " << argument << " for '" << parameter.getName()
               << "', which is " << keyword << " in its configuration";
  }
  struct {
    size_t given;
    StringRef what;
  } lists[] = {{getInputs().size(), "inputs"},
               {getOutputs().size(), "outputs"},
               {getUpdates().size(), "updates"},
               {getScalars().size(), "scalars"},
               {getMaps().size(), "maps"}};
  for (auto [list, expected] : llvm::zip(lists, counts))
    if (list.given != expected) // (C3), (C7)
      return note(emitOpError() << "has " << list.given << ' ' << list.what
                                << " but arguments for " << expected);
  for (const Passed &each : getPassed(kernel)) {
    if (!each.operand)
      continue;
    if (each.map) { // (C7)
      auto made = each.map.getDefiningOp<TMADescriptorOp>();
      if (made && made.getSource() == each.operand)
        continue;
      return note(emitOpError()
                  << "the map for parameter '" << each.parameter.getName()
                  << "' is not made of the buffer that is passed");
    }
    auto buffer = dyn_cast<BufferType>(each.operand.getType());
    Type type = each.parameter.getType();
    bool isRight = buffer
                       ? buffer.getElementType() == type
                       : isa<FloatType>(type) == each.operand.getType().isF64();
    if (!isRight) // (C3)
      return note(emitOpError()
                  << "parameter '" << each.parameter.getName()
                  << "' is of type " << type << " but its operand of type "
                  << each.operand.getType());
  }

  for (ExprAttr e : getGridSymbols().getDims()) // (C6)
    if (failed(verifyOnlySymbols(*this, e)))
      return failure();
  auto grid = tables.lookupNearestSymbolFrom<GridOp>(*this, getGridAttr());
  if (!grid) // (C5)
    return emitOpError() << "'" << getGrid() << "' is not a grid";
  if (grid.getSymbols().size() != getGridSymbols().size())
    return emitOpError() << "gives " << getGridSymbols().size()
                         << " symbols to the grid '" << getGrid()
                         << "', which has " << grid.getSymbols().size();
  if (!grid.resolve(getConfig()))
    return emitOpError() << "the grid '" << getGrid()
                         << "' has no case for the configuration "
                         << getConfig();
  return success();
}
