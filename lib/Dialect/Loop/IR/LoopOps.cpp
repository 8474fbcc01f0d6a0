//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax, builders and verifiers of `loop` ops.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/RowOps.h"

#include "Verification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// The type of samples and, where it is another, that of results.
static ParseResult parseSampleTypes(OpAsmParser &parser, Type &sample,
                                    Type &total) {
  if (parser.parseType(sample))
    return failure();
  total = sample;
  return succeeded(parser.parseOptionalArrow()) ? parser.parseType(total)
                                                : success();
}

static void printSampleTypes(OpAsmPrinter &p, Operation *, Type sample,
                             Type total) {
  p << sample;
  if (total != sample)
    p << " -> " << total;
}

#define GET_OP_CLASSES
#include "coil/Dialect/Loop/IR/LoopOps.cpp.inc"
#define GET_OP_CLASSES
#include "coil/Dialect/Loop/IR/LoopRowOps.cpp.inc"

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     ArrayRef<ExprAttr> dims, ValueRange inputs,
                     TypeRange outputs) {
  MLIRContext *ctx = builder.getContext();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.name = builder.getStringAttr(name);
  properties.dims = sym::ShapeAttr::get(ctx, dims);
  state.addOperands(inputs);
  state.addTypes(outputs);
  auto block = std::make_unique<Block>();
  for (Value v : inputs)
    block->addArgument(v.getType(), v.getLoc());
  state.addRegion()->push_back(block.release());
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (BlockArgument arg : region.getArguments())
    setName(arg, "in");
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<ExprAttr> dims;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> inputTypes, outputTypes;
  SMLoc loc;
  if (parser.parseAttribute(name) || sym::parseExprList(parser, dims))
    return failure();
  loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&] {
            return failure(parser.parseArgument(args.emplace_back()) ||
                           parser.parseEqual() ||
                           parser.parseOperand(operands.emplace_back()));
          }) ||
      parser.parseColon() || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()))
    if (parser.parseTypeList(inputTypes) || parser.parseRParen())
      return failure();
  if (parser.parseArrow())
    return failure();
  if (succeeded(parser.parseOptionalLParen())) {
    if (failed(parser.parseOptionalRParen()))
      if (parser.parseTypeList(outputTypes) || parser.parseRParen())
        return failure();
  } else if (parser.parseType(outputTypes.emplace_back())) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("conv"))) {
    ConvAttr conv;
    if (parser.parseCustomAttributeWithFallback(conv))
      return failure();
    result.addAttribute("conv", conv);
  }
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    // The CPU's schedule may be written without its name.
    SMLoc scheduleLoc = parser.getCurrentLocation();
    Attribute schedule;
    OptionalParseResult parsed = parser.parseOptionalAttribute(schedule);
    if (parsed.has_value() && failed(*parsed))
      return failure();
    if (!parsed.has_value()) {
      ScheduleAttr cpu;
      if (parser.parseCustomAttributeWithFallback(cpu))
        return failure();
      schedule = cpu;
    }
    if (!isa<ScheduleAttrInterface>(schedule))
      return parser.emitError(scheduleLoc, "expected a schedule");
    result.addAttribute("schedule", schedule);
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(operands, inputTypes, loc, result.operands))
    return failure();
  for (auto [arg, type] : llvm::zip(args, inputTypes))
    arg.type = type;
  result.addAttribute("name", name);
  result.addAttribute("dims", sym::ShapeAttr::get(parser.getContext(), dims));
  result.addTypes(outputTypes);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ' << getNameAttr() << ' ';
  sym::printExprList(p.getStream(), getDims().getDims());
  p << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), p,
                        [&](auto pair) {
                          p.printOperand(std::get<0>(pair));
                          p << " = ";
                          p.printOperand(std::get<1>(pair));
                        });
  p << ") : (";
  llvm::interleaveComma(getInputs().getTypes(), p);
  p << ") -> ";
  if (getNumResults() == 1) {
    p.printType(getOutputs().front().getType());
  } else {
    p << '(';
    llvm::interleaveComma(getOutputs().getTypes(), p);
    p << ')';
  }
  if (getConv()) {
    p << " conv";
    p.printStrippedAttrOrType(getConvAttr());
  }
  if (Attribute schedule = getScheduleAttr()) {
    p << " schedule";
    if (auto cpu = dyn_cast<ScheduleAttr>(schedule))
      p.printStrippedAttrOrType(cpu);
    else
      p << ' ' << schedule;
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {"name", "dims", "conv", "schedule"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/true, /*printEmptyBlock=*/true);
}

StoreOp KernelOp::getStore(unsigned i) {
  for (StoreOp store : getBlock()->getOps<StoreOp>())
    if (store.getOutput() == i)
      return store;
  return {};
}

SmallVector<unsigned> KernelOp::getReducedDims() {
  ArrayRef<int64_t> dims;
  for (Operation &op : *getBlock()) {
    if (auto over = dyn_cast<OverDimsOpInterface>(op)) {
      dims = over.getDims();
      break;
    }
  }
  return llvm::to_vector(llvm::map_range(
      dims, [](int64_t d) { return static_cast<unsigned>(d); }));
}

bool KernelOp::isSequential() {
  return llvm::any_of(*getBlock(), [](Operation &op) {
    return isa<ScanOp, ArgScanOp, ScatterOp>(op);
  });
}

LogicalResult coil::loop::verifyLeaves(Operation *op, ExprAttr expr,
                                       unsigned numDims, unsigned numArgs) {
  LogicalResult result = success();
  sym::walkLeaves(expr, [&](ExprAttr leaf) {
    uint64_t i = static_cast<uint64_t>(leaf.getValue());
    if ((leaf.isDim() && i >= numDims) ||
        (leaf.getKind() == sym::ExprKind::Arg && i >= numArgs))
      result = op->emitOpError() << "index '" << expr.str() << "' mentions '"
                                 << leaf.str() << "', which does not exist";
  });
  return result;
}

LogicalResult KernelOp::verify() {
  // (C1)
  if (getBody().getNumArguments() != getInputs().size())
    return emitOpError() << "has " << getInputs().size()
                         << " operands but its body has "
                         << getBody().getNumArguments() << " arguments";
  for (auto [i, arg, input] :
       llvm::enumerate(getBody().getArguments(), getInputs()))
    if (arg.getType() != input.getType())
      return emitOpError() << "operand " << i << " has type " << input.getType()
                           << " but its body argument has " << arg.getType();
  // (C2)
  for (ExprAttr extent : getDims().getDims())
    if (failed(verifyLeaves(*this, extent, 0, 0)))
      return failure();
  // (C6)
  if (auto schedule = dyn_cast_or_null<ScheduleAttr>(getScheduleAttr());
      schedule && schedule.getVectorDim() >= static_cast<int64_t>(getNumDims()))
    return emitOpError() << "has a schedule that vectorises dimension "
                         << schedule.getVectorDim() << " of " << getNumDims();
  return success();
}

/// The first and the last point of a kernel, and what a kernel that has points
/// says about its symbols: a size is not negative, an extent is at least one.
struct Points {
  explicit Points(KernelOp kernel);

  SmallVector<ExprAttr> first, last;
  sym::Context context;
};

Points::Points(KernelOp kernel) {
  MLIRContext *ctx = kernel.getContext();
  llvm::StringMap<int64_t> least;
  for (Type type : llvm::concat<const Type>(kernel->getOperandTypes(),
                                            kernel->getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (ExprAttr size : sym::getSizes(tensor))
        if (size && size.isSymbol())
          least.try_emplace(size.getName(), 0);
  for (ExprAttr extent : kernel.getDims().getDims()) {
    if (extent.isSymbol())
      least[extent.getName()] = 1;
    first.push_back(sym::constant(ctx, 0));
    last.push_back(sym::add(extent, -1));
  }
  for (const auto &[name, lo] : least)
    context.setSymbol(name, {lo, INT64_MAX});
}

/// Checks that what the first and the last point of a kernel access is inside
/// of the tensor; an access at an index that is not monotonic may still be
/// outside, and one that the symbols decide is when it is for all of their
/// values.
static LogicalResult verifyAccess(Operation *op, ArrayRef<ExprAttr> indices,
                                  RankedTensorType tensor, KernelOp kernel,
                                  std::optional<Points> &points) {
  ArrayRef<ExprAttr> extents = kernel.getDims().getDims();
  for (auto [d, index, size] :
       llvm::enumerate(indices, sym::getSizes(tensor))) {
    // The plain walk over a dimension, as most accesses are.
    if (!size || (index.isDim() &&
                  extents[static_cast<size_t>(index.getValue())] == size))
      continue;
    if (!points)
      points.emplace(kernel);
    for (bool isLast : {false, true}) {
      ExprAttr place =
          sym::substituteDims(index, isLast ? points->last : points->first);
      if (!points->context.isNonNegative(sym::sub(place, size)) &&
          !points->context.isNonNegative(sym::add(sym::neg(place), -1)))
        continue;
      return op->emitOpError()
             << "accesses element " << place.str() << " of dimension " << d
             << " of " << tensor << " at the " << (isLast ? "last" : "first")
             << " point of the kernel";
    }
  }
  return success();
}

/// (C7)
static LogicalResult verifyAccesses(KernelOp kernel) {
  if (llvm::any_of(kernel.getDims().getDims(), [](ExprAttr extent) {
        return extent.isConstant() && extent.getValue() < 1;
      }))
    return success();
  std::optional<Points> points;
  for (Operation &op : *kernel.getBlock()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (!load.getMask() && load.getArgs().empty() &&
          load.getBounds() == BoundsPolicy::Trusted &&
          failed(
              verifyAccess(load, load.getIndices().getDims(),
                           cast<RankedTensorType>(load.getSource().getType()),
                           kernel, points)))
        return failure();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (failed(
              verifyAccess(store, store.getIndices().getDims(),
                           cast<RankedTensorType>(
                               kernel.getResult(store.getOutput()).getType()),
                           kernel, points)))
        return failure();
    }
  }
  return success();
}

/// What relates several ops of the body, each of which is valid by now.
LogicalResult KernelOp::verifyRegions() {
  // (C3)
  SmallVector<unsigned> stores(getNumResults(), 0);
  std::optional<ArrayRef<int64_t>> reduced;
  for (Operation &op : *getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      ++stores[store.getOutput()];
      continue;
    }
    if (auto scatter = dyn_cast<ScatterOp>(op))
      ++stores[scatter.getOutput()];
    else if (auto accumulate = dyn_cast<AccumulateOp>(op))
      ++stores[accumulate.getOutput()];
    // (C4)
    if (auto over = dyn_cast<OverDimsOpInterface>(op)) {
      if (reduced && *reduced != over.getDims())
        return op.emitOpError("runs over other dimensions than the reductions "
                              "before it in the same kernel");
      reduced = over.getDims();
    }
    // (C5)
    if (op.getDialect() != (*this)->getDialect() &&
        !isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
      return op.emitOpError("is not allowed in the body of a loop kernel");
  }
  for (auto [i, n] : llvm::enumerate(stores))
    if (n != 1)
      return emitOpError() << "result " << i << " is stored " << n
                           << " times, expected once";
  // (C3) of the stores
  DimDependence dependence(*this);
  for (StoreOp store : getBlock()->getOps<StoreOp>()) {
    llvm::SmallBitVector extra = dependence[store.getValue()];
    extra.reset(dependence.of(store.getIndices().getDims()));
    if (extra.any())
      return store.emitOpError()
             << "writes a value that varies over 'd" << extra.find_first()
             << "', which its indices do not mention";
  }
  if (failed(verifyAccumulations(*this)))
    return failure();
  return verifyAccesses(*this);
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (static_cast<int64_t>(getIndices().size()) != input.getRank()) // (C1)
    return emitOpError() << "has " << getIndices().size()
                         << " indices for an operand of rank "
                         << input.getRank();
  for (ExprAttr e : getIndices().getDims()) // (C2)
    if (failed(
            verifyLeaves(*this, e, static_cast<unsigned>(result.getRank()), 0)))
      return failure();
  if (input.getElementType() != result.getElementType()) // (C3)
    return emitOpError() << "changes the element type from "
                         << input.getElementType() << " to "
                         << result.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  auto type = [](Value v) { return cast<RankedTensorType>(v.getType()); };
  Type element = type(getResult()).getElementType();
  SmallVector<Value> operands{getQuery(), getKey(), getValue(), getResult()};
  if (getMask())
    operands.push_back(getMask());
  for (Value v : operands)
    if (type(v).getRank() != 4 || type(v).getElementType() != element ||
        !(element.isF16() || element.isBF16())) // (C1)
      return emitOpError() << "expected operands and result of rank four with "
                              "elements of 'f16' or 'bf16' but got "
                           << v.getType();
  SmallVector<ExprAttr> q = sym::getSizes(type(getQuery())),
                        k = sym::getSizes(type(getKey())),
                        v = sym::getSizes(type(getValue())),
                        o = sym::getSizes(type(getResult()));
  if (q[0] != k[0] || q[0] != v[0] || q[0] != o[0] || k[1] != v[1] ||
      q[1] != o[2] || q[2] != o[1] || k[2] != v[2] || q[3] != k[3] ||
      v[3] != o[3]) // (C1)
    return emitOpError("the sizes of its operands and result do not fit");
  std::optional<int64_t> heads = q[1].getConstant(),
                         shared = k[1].getConstant();
  if (shared && (*shared == 0 || (heads && *heads % *shared != 0))) // (C2)
    return emitOpError() << "has " << q[1].str() << " heads that share "
                         << *shared;
  if (!getMask())
    return success();
  SmallVector<ExprAttr> scores{q[0], q[1], q[2], k[2]};
  if (sym::getSizes(type(getMask())) != scores) // (C3)
    return emitOpError("the mask does not have the sizes of the scores");
  if (getCausal()) // (C3)
    return emitOpError("cannot have a mask and be causal");
  return success();
}

//===----------------------------------------------------------------------===//
// SortOp
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  auto type = [](Value v) { return cast<RankedTensorType>(v.getType()); };
  SmallVector<ExprAttr> from = sym::getSizes(type(getInput())),
                        to = sym::getSizes(type(getValues()));
  size_t dim = getDim();
  if (dim >= from.size()) // (C1)
    return emitOpError() << "has dimension " << dim
                         << " but its operand has rank " << from.size();
  bool fits =
      to.size() == from.size() && to == sym::getSizes(type(getIndices()));
  for (size_t d = 0; fits && d < from.size(); ++d)
    fits = d == dim ? !(from[d].isConstant() && to[d].isConstant() &&
                        to[d].getValue() > from[d].getValue())
                    : to[d] == from[d];
  if (!fits) // (C2)
    return emitOpError("the sizes of its operand and results do not fit");
  if (type(getValues()).getElementType() !=
      type(getInput()).getElementType()) // (C3)
    return emitOpError() << "expected values with elements of type "
                         << type(getInput()).getElementType() << " but got "
                         << type(getValues()).getElementType();
  return success();
}

OpFoldResult ViewOp::fold(FoldAdaptor) {
  // A view that reads every element at its own place is its operand.
  if (getInput().getType() == getResult().getType()) {
    bool identity = true;
    for (auto [i, e] : llvm::enumerate(getIndices().getDims()))
      identity &= e.isDim() && e.getValue() == static_cast<int64_t>(i);
    if (identity)
      return getInput();
  }
  // A view of a view composes the indices.
  if (auto inner = getInput().getDefiningOp<ViewOp>()) {
    SmallVector<ExprAttr> indices;
    for (ExprAttr e : inner.getIndices().getDims())
      indices.push_back(sym::substituteDims(e, getIndices().getDims()));
    setIndicesAttr(sym::ShapeAttr::get(getContext(), indices));
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value source,
                   ArrayRef<ExprAttr> indices) {
  build(builder, state, source, indices, {}, {}, {}, BoundsPolicy::Trusted);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value source,
                   ArrayRef<ExprAttr> indices, ValueRange args, Value mask,
                   Value other, BoundsPolicy bounds) {
  build(
      builder, state,
      getScalarType(cast<RankedTensorType>(source.getType()).getElementType()),
      source, sym::ShapeAttr::get(builder.getContext(), indices), args, mask,
      other, bounds);
}

LogicalResult LoadOp::verify() {
  auto type = cast<RankedTensorType>(getSource().getType());
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("expected to be in the body of 'loop.kernel'");
  auto argument = dyn_cast<BlockArgument>(getSource());
  if (!argument || argument.getOwner() != kernel.getBlock()) // (C6)
    return emitOpError("reads a tensor that is not an operand of the kernel");
  if (static_cast<int64_t>(getIndices().size()) != type.getRank()) // (C1)
    return emitOpError() << "has " << getIndices().size()
                         << " indices for a tensor of rank " << type.getRank();
  for (ExprAttr e : getIndices().getDims()) { // (C2)
    if (failed(verifyLeaves(*this, e, kernel.getNumDims(),
                            static_cast<unsigned>(getArgs().size()))))
      return failure();
    if (sym::isIndirect(e) && getBounds() != BoundsPolicy::Trusted &&
        e.getKind() != sym::ExprKind::Arg) // (C5)
      return emitOpError() << "cannot check the index '" << e.str()
                           << "': expected an indirect index alone";
  }
  if (getType() != getScalarType(type.getElementType())) // (C3)
    return emitOpError() << "gives " << getType() << " from elements of type "
                         << type.getElementType();
  if (static_cast<bool>(getMask()) != static_cast<bool>(getOther())) // (C4)
    return emitOpError("needs a mask and a value for where it does not hold, "
                       "or neither");
  if (getOther() && getOther().getType() != getType()) // (C4)
    return emitOpError() << "takes " << getOther().getType()
                         << " where the mask does not hold, expected "
                         << getType();
  return success();
}

LogicalResult coil::loop::verifyOutput(Operation *op, KernelOp kernel,
                                       uint64_t number) {
  if (number < kernel.getNumResults())
    return success();
  return op->emitOpError() << "writes result " << static_cast<int64_t>(number)
                           << " of a kernel with " << kernel.getNumResults();
}

LogicalResult StoreOp::verify() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("expected to be in the body of 'loop.kernel'");
  if (failed(verifyOutput(*this, kernel, getOutput()))) // (C1)
    return failure();
  auto type = cast<RankedTensorType>(kernel.getResult(getOutput()).getType());
  if (getValue().getType() != getScalarType(type.getElementType())) // (C1)
    return emitOpError() << "writes " << getValue().getType()
                         << " to a result of element type "
                         << type.getElementType();
  if (static_cast<int64_t>(getIndices().size()) != type.getRank()) // (C2)
    return emitOpError() << "has " << getIndices().size()
                         << " indices for a result of rank " << type.getRank();
  for (ExprAttr e : getIndices().getDims())
    if (failed(verifyLeaves(*this, e, kernel.getNumDims(), 0))) // (C2)
      return failure();
  // (C3) is checked by the kernel, which knows what varies over what.
  return success();
}

LogicalResult IndexOp::verify() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("expected to be in the body of 'loop.kernel'");
  return verifyLeaves(*this, getExpr(), kernel.getNumDims(), 0); // (C1)
}
