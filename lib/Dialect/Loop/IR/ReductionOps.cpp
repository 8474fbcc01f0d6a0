//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of what combines elements: reductions, scans, scatters and sums of
// rows.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/RowOps.h"

#include "Verification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Reductions, scans and scatters
//===----------------------------------------------------------------------===//

static LogicalResult verifyReducedDims(Operation *op, ArrayRef<int64_t> dims) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  if (!kernel)
    return op->emitOpError("expected to be in the body of 'loop.kernel'");
  int64_t last = -1;
  for (int64_t d : dims) {
    if (d <= last || d >= static_cast<int64_t>(kernel.getNumDims())) // (C1)
      return op->emitOpError()
             << "expected sorted distinct dimensions below "
             << kernel.getNumDims() << " but got " << d << " after " << last;
    last = d;
  }
  return success();
}

/// Checks that a combination of `kind` exists for `type`.
LogicalResult coil::loop::verifyKind(Operation *op, ReduceKind kind,
                                     Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return op->emitOpError() << "cannot combine elements of type " << type;
  switch (kind) {
  case ReduceKind::Or:
  case ReduceKind::And:
  case ReduceKind::Xor:
  case ReduceKind::UMax:
  case ReduceKind::UMin:
    if (!isa<IntegerType>(type))
      return op->emitOpError() << "kind '" << stringifyReduceKind(kind)
                               << "' takes integers but got " << type;
    return success();
  default:
    return success();
  }
}

static LogicalResult verifyExtremum(Operation *op, ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Max:
  case ReduceKind::Min:
  case ReduceKind::UMax:
  case ReduceKind::UMin:
    return success();
  default:
    return op->emitOpError()
           << "kind '" << stringifyReduceKind(kind) << "' has no position";
  }
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyReducedDims(*this, getDims()))) // (C1)
    return failure();
  if (getTf32() && (getKind() != ReduceKind::Sum || !getType().isF32())) // (C3)
    return emitOpError() << "'tf32' goes with a sum of f32 but got a '"
                         << stringifyReduceKind(getKind()) << "' of "
                         << getType();
  return verifyKind(*this, getKind(), getType()); // (C2)
}

LogicalResult ArgReduceOp::verify() {
  if (failed(verifyReducedDims(*this, getDims()))) // (C1)
    return failure();
  return verifyExtremum(*this, getKind()); // (C2)
}

LogicalResult WelfordOp::verify() {
  if (failed(verifyReducedDims(*this, getDims()))) // (C1)
    return failure();
  Type from = getMean().getType(), to = getTotalMean().getType();
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth()) // (C2)
    return emitOpError() << "gives " << to << " for samples of " << from;
  return success();
}

bool WelfordOp::isFlat() { return matchPattern(getM2(), m_AnyZeroFloat()); }

bool WelfordOp::isOfOne() { return matchPattern(getCount(), m_OneFloat()); }

bool coil::loop::isReduction(Operation *op) {
  return isa<ReduceOp, ArgReduceOp, WelfordOp>(op);
}

TypedAttr coil::loop::getNeutralOperand(Operation *reduction, unsigned i) {
  Type type = reduction->getOperand(i).getType();
  Builder b(reduction->getContext());
  if (auto reduce = dyn_cast<ReduceOp>(reduction))
    return getNeutralElement(reduce.getKind(), type);
  if (auto reduce = dyn_cast<ArgReduceOp>(reduction))
    return i == 0 ? getNeutralElement(reduce.getKind(), type)
                  : b.getI64IntegerAttr(std::numeric_limits<int64_t>::max());
  assert(isa<WelfordOp>(reduction) && "not a reduction");
  return b.getFloatAttr(type, 0);
}

/// (C1) of scans
static LogicalResult verifyScannedDims(Operation *op, ArrayRef<int64_t> dims) {
  if (failed(verifyReducedDims(op, dims)))
    return failure();
  if (dims.empty())
    return op->emitOpError("expected a dimension to go along");
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyScannedDims(*this, getDims()))) // (C1)
    return failure();
  bool isFloat = isa<FloatType>(getType());
  switch (getKind()) { // (C2)
  case ScanKind::UMax:
  case ScanKind::UMin:
    if (isFloat)
      return emitOpError() << "kind '" << stringifyScanKind(getKind())
                           << "' takes integers but got " << getType();
    return success();
  case ScanKind::LogAddExp:
    if (!isFloat)
      return emitOpError() << "kind '" << stringifyScanKind(getKind())
                           << "' takes floats but got " << getType();
    return success();
  default:
    return success();
  }
}

LogicalResult ArgScanOp::verify() {
  if (failed(verifyScannedDims(*this, getDims()))) // (C1)
    return failure();
  return verifyExtremum(*this, getKind()); // (C2)
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyReducedDims(*this, getDims()))) // (C4)
    return failure();
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (failed(verifyOutput(*this, kernel, getOutput()))) // (C1)
    return failure();
  auto type = cast<RankedTensorType>(getTarget().getType());
  Type result = kernel.getResult(getOutput()).getType();
  if (result != type) // (C1)
    return emitOpError() << "starts from " << type << " but the result is "
                         << result;
  Type scalar = getScalarType(type.getElementType());
  if (getValue().getType() != scalar) // (C1)
    return emitOpError() << "writes " << getValue().getType()
                         << " to elements of type " << type.getElementType();
  auto arg = dyn_cast<BlockArgument>(getTarget());
  if (!arg || arg.getOwner() != kernel.getBlock()) // (C6)
    return emitOpError("starts from something that is not an operand of the "
                       "kernel");
  if (static_cast<int64_t>(getIndices().size()) != type.getRank()) // (C2)
    return emitOpError() << "has " << getIndices().size()
                         << " indices for a tensor of rank " << type.getRank();
  llvm::SmallBitVector whole(kernel.getNumDims());
  for (int64_t d : getDims())
    whole.set(static_cast<unsigned>(d));
  for (ExprAttr e : getIndices().getDims()) {
    if (failed(verifyLeaves(*this, e, kernel.getNumDims(),
                            static_cast<unsigned>(getArgs().size())))) // (C2)
      return failure();
    if (e.isDim())
      whole.set(static_cast<unsigned>(e.getValue()));
    if (sym::isIndirect(e) && getBounds() != BoundsPolicy::Trusted &&
        e.getKind() != sym::ExprKind::Arg) // (C3)
      return emitOpError() << "cannot check the index '" << e.str()
                           << "': expected an indirect index alone";
  }
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (!whole[d] && !kernel.getExtent(d).isConstant(1)) // (C5)
      return emitOpError() << "may write one element at several points of 'd"
                           << d << "', which it is not over";
  if (std::optional<ReduceKind> kind = getKind())
    return verifyKind(*this, *kind, scalar); // (C7)
  return success();
}

LogicalResult SpecialOp::verify() {
  unsigned expected = getNumArgs(getFunction());
  if (getArgs().size() != expected) // (C2)
    return emitOpError() << "'" << stringifySpecialFunction(getFunction())
                         << "' takes " << expected << " arguments but got "
                         << getArgs().size();
  return success();
}

//===----------------------------------------------------------------------===//
// GatherSumOp
//===----------------------------------------------------------------------===//

/// `t0` as a whole, as an index.
static bool isPlace(ExprAttr e) {
  return e.getKind() == sym::ExprKind::Arg && e.getValue() == 0;
}

unsigned SegmentSumOp::getSummedDim() {
  ArrayRef<ExprAttr> indices = getIndices().getDims();
  return static_cast<unsigned>(llvm::find_if(indices, isPlace) -
                               indices.begin());
}

ExprAttr SegmentSumOp::getNumPlaces() {
  if (getPositions())
    return sym::getSizes(cast<RankedTensorType>(getPositions().getType()))[0];
  return sym::getSizes(
      cast<RankedTensorType>(getSource().getType()))[getSummedDim()];
}

bool SegmentSumOp::hasAtMostOnePlace() {
  auto add = getHi().getDefiningOp<arith::AddIOp>();
  if (!add)
    return false;
  Value other = add.getLhs() == getLo()   ? add.getRhs()
                : add.getRhs() == getLo() ? add.getLhs()
                                          : Value();
  auto extended = other ? other.getDefiningOp<arith::ExtUIOp>() : nullptr;
  return extended && extended.getIn().getType().isInteger(1);
}

LogicalResult SegmentSumOp::verify() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("expected to be in the body of 'loop.kernel'");
  auto type = cast<RankedTensorType>(getSource().getType());
  ArrayRef<ExprAttr> indices = getIndices().getDims();
  if (static_cast<int64_t>(indices.size()) != type.getRank()) // (C1)
    return emitOpError() << "has " << indices.size()
                         << " indices for a tensor of rank " << type.getRank();
  if (llvm::count_if(indices, isPlace) != 1) // (C1)
    return emitOpError("expected one index that is 't0'");
  for (ExprAttr e : indices)
    if (!isPlace(e) && failed(verifyLeaves(*this, e, kernel.getNumDims(), 0)))
      return failure();
  Type element = type.getElementType();
  bool narrow = element.isF16() || element.isBF16() || element.isF32();
  if (!(narrow && getType().isF32()) &&
      !(element.isF64() && getType().isF64())) // (C2)
    return emitOpError() << "cannot sum elements of type " << element << " to "
                         << getType();
  if (getInit() && getInit().getType() != getType()) // (C2)
    return emitOpError() << "begins with " << getInit().getType()
                         << " but gives " << getType();
  if (getPositions()) {
    auto positions = cast<RankedTensorType>(getPositions().getType());
    if (positions.getRank() != 1 ||
        !(positions.getElementType().isSignlessInteger(32) ||
          positions.getElementType().isSignlessInteger(64))) // (C3)
      return emitOpError() << "expected positions of rank one with elements of "
                              "'i32' or 'i64' but got "
                           << positions;
  }
  for (Value v : {getSource(), getPositions()}) { // (C4)
    auto arg = dyn_cast_if_present<BlockArgument>(v);
    if (v && (!arg || arg.getOwner() != kernel.getBlock()))
      return emitOpError("reads something that is not an operand of the "
                         "kernel");
  }
  if (!kernel.getReducedDims().empty()) // (C5)
    return emitOpError("cannot be in a kernel that reduces, scans or scatters");
  return success();
}
