//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folders: identities that need no new op.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// A view whose result has the type of its operand is that operand, when
/// `moves` is false.
static OpFoldResult foldIdentity(Value input, Value result, bool moves) {
  if (!moves && input.getType() == result.getType())
    return input;
  return {};
}

/// A splat constant keeps its element under any view.
static OpFoldResult foldSplat(Attribute input, Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  auto splat = dyn_cast_or_null<SplatElementsAttr>(input);
  if (!splat || !type.hasStaticShape() || type.getEncoding())
    return {};
  return splat.resizeSplat(type);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldIdentity(getInput(), getResult(), false))
    return same;
  if (OpFoldResult splat = foldSplat(adaptor.getInput(), getResult()))
    return splat;
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    if (getType().hasStaticShape() && !getType().getEncoding())
      return dense.reshape(getType());
  return {};
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  bool moves = false;
  for (auto [i, p] : llvm::enumerate(getPermutation()))
    moves |= static_cast<int64_t>(i) != p;
  if (OpFoldResult same = foldIdentity(getInput(), getResult(), moves))
    return same;
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldIdentity(getInput(), getResult(), false))
    return same;
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  bool moves = false;
  for (auto [start, step] : llvm::zip(getStarts().getDims(), getSteps()))
    moves |= step != 1 || !start.isConstant(0);
  if (OpFoldResult same = foldIdentity(getInput(), getResult(), moves))
    return same;
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return foldIdentity(getInput(), getResult(), false);
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  return foldIdentity(getInput(), getResult(), false);
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t v) { return v == 0; };
  bool moves =
      !llvm::all_of(getLow(), isZero) || !llvm::all_of(getHigh(), isZero);
  return foldIdentity(getInput(), getResult(), moves);
}

OpFoldResult CatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  return {};
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  auto sizes = sym::getSizes(cast<RankedTensorType>(getInput().getType()));
  bool isOfOne = llvm::all_of(getDims(), [&](int64_t d) {
    return sizes[static_cast<size_t>(d)].isConstant(1);
  });
  return foldIdentity(getInput(), getResult(), !isOfOne);
}

OpFoldResult SelectOp::fold(FoldAdaptor) {
  Value chosen;
  if (getTrueValue() == getFalseValue())
    chosen = getTrueValue();
  else if (auto full = getCondition().getDefiningOp<FullOp>())
    chosen = cast<IntegerAttr>(full.getValue()).getValue().isZero()
                 ? getFalseValue()
                 : getTrueValue();
  if (chosen && chosen.getType() == getType())
    return chosen;
  return {};
}

//===----------------------------------------------------------------------===//
// Arithmetic identities
//===----------------------------------------------------------------------===//

/// The only value of all elements of `value`, if there is one.
static TypedAttr getUniformValue(Value value) {
  if (auto full = value.getDefiningOp<FullOp>())
    return full.getValue();
  return nullptr;
}

static bool isUniform(Value value, int64_t number) {
  TypedAttr attr = getUniformValue(value);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getValue() == APInt(integer.getValue().getBitWidth(), number,
                                       /*isSigned=*/true,
                                       /*implicitTrunc=*/true);
  if (auto real = dyn_cast_or_null<FloatAttr>(attr))
    // Minus zero is not zero here.
    return real.getValue().bitwiseIsEqual(
        FloatAttr::get(real.getType(), static_cast<double>(number)).getValue());
  return false;
}

static OpFoldResult foldTo(Value operand, Value result) {
  return operand.getType() == result.getType() ? OpFoldResult(operand)
                                               : OpFoldResult();
}

// x + 0 is not x for the float -0.0; x + -0.0 would be.
OpFoldResult AddOp::fold(FoldAdaptor) {
  if (isa<FloatType>(graph::getElementType(getResult())))
    return {};
  if (isUniform(getRhs(), 0))
    return foldTo(getLhs(), getResult());
  if (isUniform(getLhs(), 0))
    return foldTo(getRhs(), getResult());
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor) {
  return isUniform(getRhs(), 0) ? foldTo(getLhs(), getResult())
                                : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor) {
  if (isUniform(getRhs(), 1))
    return foldTo(getLhs(), getResult());
  if (isUniform(getLhs(), 1))
    return foldTo(getRhs(), getResult());
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor) {
  return isUniform(getRhs(), 1) ? foldTo(getLhs(), getResult())
                                : OpFoldResult();
}

/// An operator that undoes itself.
template <typename OpTy>
static OpFoldResult foldInvolution(OpTy op) {
  auto producer = op.getInput().template getDefiningOp<OpTy>();
  if (producer && producer.getInput().getType() == op.getType())
    return producer.getInput();
  return {};
}

OpFoldResult NegOp::fold(FoldAdaptor) { return foldInvolution(*this); }

OpFoldResult BitwiseNotOp::fold(FoldAdaptor) { return foldInvolution(*this); }

/// An operator that does nothing the second time.
template <typename OpTy>
static OpFoldResult foldIdempotent(OpTy op) {
  if (op.getInput().template getDefiningOp<OpTy>() &&
      op.getInput().getType() == op.getType())
    return op.getInput();
  return {};
}

OpFoldResult AbsOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult ReluOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
