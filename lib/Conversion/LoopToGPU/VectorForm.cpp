//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values of a kernel have lanes, and how accesses lie.
//
//===----------------------------------------------------------------------===//

#include "VectorForm.h"

#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

VectorForm::VectorForm(KernelOp kernel, const GPUKernelLayout &layout,
                       int64_t vectorDim, int64_t width, int64_t alignTo)
    : kernel(kernel), layout(&layout), vectorDim(width > 1 ? vectorDim : -1),
      width(this->vectorDim < 0 ? 1 : width),
      lane(sym::dim(kernel.getContext(), kernel.getNumDims())),
      context(sym::Context::forOp(kernel)) {
  SmallVector<ExprAttr> extents(kernel.getDims().getDims());
  ExprAttr w = sym::constant(kernel.getContext(), this->width);
  if (this->vectorDim >= 0) {
    ExprAttr &extent = extents[static_cast<size_t>(vectorDim)];
    if (alignTo >= 0) {
      context.setDimExtents(extents);
      shift = computeShift(alignTo);
    }
    exact = !shift && isDivisible(extent, this->width);
    if (shift)
      extent = sym::add(extent, this->width - 1);
    extent = sym::ceilDiv(extent, w);
  }
  extents.push_back(w);
  context.setDimExtents(extents);
  if (this->vectorDim < 0)
    return;

  for (Operation &op : *kernel.getBlock()) {
    bool any = llvm::any_of(op.getOperands(),
                            [&](Value v) { return vectors.contains(v); });
    if (auto index = dyn_cast<IndexOp>(op)) {
      any = sym::mentions(atPoint(index.getExpr()), lane);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      any |= !getAddress(load).isUniform();
    } else if (auto sum = dyn_cast<SegmentSumOp>(op)) {
      any |= !getAddress(sum).isUniform();
    } else if (isReduction(&op)) {
      any &= !llvm::is_contained(cast<OverDimsOpInterface>(op).getDims(),
                                 vectorDim);
    } else if (isa<ScanOp, ArgScanOp>(op)) {
      // Varies over what it scans even where its operand does not.
      any |= llvm::is_contained(cast<OverDimsOpInterface>(op).getDims(),
                                vectorDim);
    } else if (any && compareIsUniform(&op)) {
      uniform.insert(&op);
      any = false;
    }
    if (any)
      vectors.insert(op.getResults().begin(), op.getResults().end());
  }
}

ExprAttr VectorForm::dropUnitDims(ExprAttr e) const {
  return sym::substitute(e, [&](ExprAttr leaf) -> ExprAttr {
    if (!leaf.isDim() || leaf.getValue() == vectorDim ||
        leaf.getValue() >= static_cast<int64_t>(kernel.getNumDims()) ||
        !kernel.getExtent(static_cast<unsigned>(leaf.getValue())).isConstant(1))
      return {};
    return sym::constant(kernel.getContext(), 0);
  });
}

ExprAttr VectorForm::atPoint(ExprAttr e) const {
  e = dropUnitDims(e);
  if (vectorDim >= 0)
    e = sym::substitute(e, [&](ExprAttr leaf) -> ExprAttr {
      if (!leaf.isDim() || leaf.getValue() != vectorDim)
        return {};
      ExprAttr position = sym::add(sym::mul(leaf, width), lane);
      return shift ? sym::sub(position, shift) : position;
    });
  return context.simplify(e);
}

ExprAttr VectorForm::atPointInside(ExprAttr e, int64_t number) const {
  MLIRContext *ctx = kernel.getContext();
  auto d = static_cast<unsigned>(vectorDim);
  ExprAttr position = sym::add(sym::mul(sym::dim(ctx, d), width), number);
  if (shift)
    position = sym::sub(position, shift);
  position = sym::min(position, sym::add(kernel.getExtent(d), -1));
  if (shift)
    position = sym::max(position, sym::constant(ctx, 0));
  return context.simplify(
      sym::substitute(dropUnitDims(e), [&](ExprAttr leaf) -> ExprAttr {
        return leaf == sym::dim(ctx, d) ? position : ExprAttr();
      }));
}

ExprAttr VectorForm::computeShift(int64_t buffer) const {
  MLIRContext *ctx = kernel.getContext();
  for (Operation &op : *kernel.getBlock()) {
    ArrayRef<ExprAttr> indices;
    int64_t number = -1;
    if (auto load = dyn_cast<LoadOp>(op)) {
      number = cast<BlockArgument>(load.getSource()).getArgNumber();
      indices = load.getIndices().getDims();
      if (!load.getArgs().empty())
        continue;
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      number = static_cast<int64_t>(kernel.getInputs().size()) +
               static_cast<int64_t>(store.getOutput());
      indices = store.getIndices().getDims();
    }
    if (number != buffer)
      continue;
    ExprAttr address = context.simplify(dropUnitDims(sym::getAddress(
        ctx, indices, layout->strides[static_cast<size_t>(buffer)])));
    auto split = sym::splitLinear(
        address, sym::dim(ctx, static_cast<unsigned>(vectorDim)));
    if (!split || !split->first.isConstant(1))
      continue;
    // The remainder, in a form in which it cancels the start of the row.
    ExprAttr start = split->second;
    return sym::sub(
        start,
        sym::mul(sym::floorDiv(start, sym::constant(ctx, width)), width));
  }
  return {};
}

int64_t VectorForm::getAlignment(ExprAttr e) const {
  int64_t result = width;
  for (const sym::Term &t : sym::getTerms(e))
    result = std::gcd(result, t.coefficient);
  return result;
}

ExprAttr VectorForm::atLane(ExprAttr e, int64_t number) const {
  return context.simplify(sym::substitute(e, [&](ExprAttr leaf) {
    return leaf == lane ? sym::constant(kernel.getContext(), number)
                        : ExprAttr();
  }));
}

ExprAttr VectorForm::withinPiece(
    ExprAttr e, SmallVectorImpl<std::pair<ExprAttr, int64_t>> &divided) const {
  if (e == lane || !sym::mentions(e, lane))
    return e;
  SmallVector<ExprAttr> operands;
  for (ExprAttr operand : e.getOperands()) {
    operands.push_back(withinPiece(operand, divided));
    if (!operands.back())
      return {};
  }
  // Sums and products have a constant part of their own.
  ExprAttr all = sym::constant(e.getContext(), e.getValue());
  switch (e.getKind()) {
  case sym::ExprKind::Add:
    for (ExprAttr operand : operands)
      all = sym::add(all, operand);
    return all;
  case sym::ExprKind::Mul:
    for (ExprAttr operand : operands)
      all = sym::mul(all, operand);
    return all;
  case sym::ExprKind::FloorDiv:
  case sym::ExprKind::Mod:
    break;
  default:
    return {};
  }
  bool isDivision = e.getKind() == sym::ExprKind::FloorDiv;
  ExprAttr (*divide)(ExprAttr, ExprAttr) =
      isDivision ? sym::floorDiv : sym::mod;
  if (!sym::mentions(operands[0], lane))
    return sym::mentions(operands[1], lane) ? ExprAttr()
                                            : divide(operands[0], operands[1]);
  auto split = sym::splitLinear(operands[0], lane);
  if (!split || !split->first.isConstant(1) || !operands[1].isConstant() ||
      operands[1].getValue() < 1)
    return {};
  divided.push_back({split->second, operands[1].getValue()});
  ExprAttr first = divide(split->second, operands[1]);
  return isDivision ? first : sym::add(first, lane);
}

std::optional<Pieces> VectorForm::getPieces(ExprAttr e) const {
  SmallVector<std::pair<ExprAttr, int64_t>> divided;
  ExprAttr within = withinPiece(e, divided);
  if (!within || divided.empty())
    return std::nullopt;
  auto split = sym::splitLinear(within, lane);
  if (!split || !split->first.isConstant())
    return std::nullopt;
  auto [position, length] = *llvm::min_element(
      divided, [](auto &a, auto &b) { return a.second < b.second; });
  if (length < width)
    return std::nullopt;
  for (auto [other, divisor] : divided) {
    // Where others go on elsewhere, this one does, too.
    ExprAttr apart = context.simplify(sym::mod(
        sym::sub(other, position), sym::constant(kernel.getContext(), length)));
    if (divisor % length != 0 || !apart.isConstant(0))
      return std::nullopt;
  }
  return Pieces{length, position, split->first.getValue()};
}

LaneAddress VectorForm::getAddress(ArrayRef<ExprAttr> indices, size_t buffer,
                                   Type element) const {
  LaneAddress result;
  ExprAttr address =
      sym::getAddress(kernel.getContext(), indices, layout->strides[buffer]);
  result.full = atPoint(address);
  if (auto split = sym::splitLinear(result.full, lane)) {
    result.step = split->first;
    result.base = split->second;
  } else {
    result.base = atLane(result.full, 0);
    result.pieces = getPieces(result.full);
    if (result.pieces && result.pieces->step == 0) {
      result.first = atPointInside(address, 0);
      result.last = atPointInside(address, width - 1);
    }
  }
  int64_t bytes = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  result.alignment =
      std::min(getAlignment(result.base),
               std::max<int64_t>(1, layout->alignment[buffer] / bytes));
  return result;
}

LaneAddress VectorForm::getAddress(LoadOp load) const {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  return getAddress(load.getIndices().getDims(), number, load.getType());
}

LaneAddress VectorForm::getAddress(StoreOp store) const {
  size_t number =
      kernel.getInputs().size() + static_cast<size_t>(store.getOutput());
  return getAddress(store.getIndices().getDims(), number,
                    store.getValue().getType());
}

LaneAddress VectorForm::getAddress(ScatterOp scatter) const {
  size_t number =
      kernel.getInputs().size() + static_cast<size_t>(scatter.getOutput());
  return getAddress(scatter.getIndices().getDims(), number,
                    scatter.getValue().getType());
}

LaneAddress VectorForm::getAddress(AccumulateOp accumulate) const {
  size_t number =
      kernel.getInputs().size() + static_cast<size_t>(accumulate.getOutput());
  return getAddress(accumulate.getResultIndices(), number,
                    accumulate.getValue().getType());
}

LaneAddress VectorForm::getAddress(SegmentSumOp sum) const {
  unsigned number = cast<BlockArgument>(sum.getSource()).getArgNumber();
  return getAddress(
      sum.getIndices().getDims(), number,
      cast<RankedTensorType>(sum.getSource().getType()).getElementType());
}

LaneAddress VectorForm::getAddress(Operation *access) const {
  if (auto load = dyn_cast<LoadOp>(access))
    return getAddress(load);
  if (auto sum = dyn_cast<SegmentSumOp>(access))
    return getAddress(sum);
  if (auto scatter = dyn_cast<ScatterOp>(access))
    return getAddress(scatter);
  return getAddress(cast<StoreOp>(access));
}

/// Whether lanes load at indices of their own.
static bool isIndirect(const VectorForm &form, Operation *access) {
  auto isVector = [&](Value v) { return form.isVector(v); };
  if (auto scatter = dyn_cast<ScatterOp>(access))
    return llvm::any_of(scatter.getArgs(), isVector);
  if (auto sum = dyn_cast<SegmentSumOp>(access))
    return isVector(sum.getLo()) || isVector(sum.getHi());
  auto load = dyn_cast<LoadOp>(access);
  return load && llvm::any_of(load.getArgs(), isVector);
}

bool VectorForm::isContiguous(Operation *access) const {
  return getAddress(access).isContiguous() && !isIndirect(*this, access);
}

bool VectorForm::isStrided(Operation *access) const {
  LaneAddress address = getAddress(access);
  return isIndirect(*this, access) ||
         !(address.isContiguous() || address.isUniform());
}

bool VectorForm::compareIsUniform(Operation *op) const {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return false;
  // One side is a multiple of the width plus the lane, the other one has no
  // lanes: the sides can only change places where a vector begins.
  Value index = compare.getLhs(), other = compare.getRhs();
  bool swapped = !isVector(index);
  if (swapped)
    std::swap(index, other);
  auto position = index.getDefiningOp<IndexOp>();
  if (!position || isVector(other))
    return false;
  auto split = sym::splitLinear(atPoint(position.getExpr()), lane);
  if (!split || !split->first.isConstant(1) ||
      getAlignment(split->second) != width)
    return false;
  ExprAttr limit = getPosition(other);
  if (!limit)
    return false;
  limit = atPoint(limit);
  using Predicate = arith::CmpIPredicate;
  bool including;
  switch (compare.getPredicate()) {
  case Predicate::slt:
  case Predicate::sge:
  case Predicate::ult:
  case Predicate::uge:
    including = false;
    break;
  case Predicate::sle:
  case Predicate::sgt:
  case Predicate::ule:
  case Predicate::ugt:
    including = true;
    break;
  default:
    return false;
  }
  // `limit < x` splits where `x <= limit` does.
  if (including != swapped)
    limit = sym::add(limit, 1);
  return getAlignment(limit) == width;
}

SmallVector<unsigned> coil::loop::getGPUReducedDims(KernelOp kernel,
                                                    bool ordered) {
  if (SmallVector<unsigned> columns = kernel.getColumnDims(); !columns.empty())
    return columns;
  if (!ordered && llvm::none_of(*kernel.getBlock(), [](Operation &op) {
        return isa<OverDimsOpInterface>(op) && !isa<ScatterOp>(op);
      }))
    return {};
  return kernel.getReducedDims();
}

ExprAttr coil::loop::getPosition(Value v) {
  APInt value;
  if (matchPattern(v, m_ConstantInt(&value)))
    return sym::constant(v.getContext(), value.getSExtValue());
  auto index = v.getDefiningOp<IndexOp>();
  return index ? index.getExpr() : ExprAttr();
}

bool coil::loop::isDivisible(ExprAttr e, int64_t by) {
  return llvm::all_of(sym::getTerms(e), [&](const sym::Term &t) {
    return t.coefficient % by == 0;
  });
}

bool coil::loop::fits32(const sym::Context &context, ExprAttr e) {
  sym::Bounds bounds = context.bounds(e);
  if (bounds.lo < std::numeric_limits<int32_t>::min() ||
      bounds.hi > std::numeric_limits<int32_t>::max())
    return false;
  return llvm::all_of(e.getOperands(),
                      [&](ExprAttr o) { return fits32(context, o); });
}
