//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions in the bodies of structured operations.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "coil/Conversion/Utils/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using loop::ReduceKind;

/// The kind of a binary operation, as it is on the type of its result.
static std::optional<ReduceKind> getKind(Operation *op) {
  // Numbers of one bit wrap, and one is minus one.
  bool isBit = op->getResult(0).getType().isInteger(1);
  using Kind = std::optional<ReduceKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<arith::AddFOp, arith::SubFOp>([](auto) { return ReduceKind::Sum; })
      .Case<arith::AddIOp, arith::SubIOp>(
          [&](auto) { return isBit ? ReduceKind::Xor : ReduceKind::Sum; })
      .Case([](arith::MulFOp) { return ReduceKind::Prod; })
      .Case([&](arith::MulIOp) {
        return isBit ? ReduceKind::And : ReduceKind::Prod;
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [](auto) { return ReduceKind::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [](auto) { return ReduceKind::Min; })
      .Case([&](arith::MaxSIOp) {
        return isBit ? ReduceKind::And : ReduceKind::Max;
      })
      .Case([&](arith::MinSIOp) {
        return isBit ? ReduceKind::Or : ReduceKind::Min;
      })
      .Case([&](arith::MaxUIOp) {
        return isBit ? ReduceKind::Or : ReduceKind::UMax;
      })
      .Case([&](arith::MinUIOp) {
        return isBit ? ReduceKind::And : ReduceKind::UMin;
      })
      .Case([](arith::AndIOp) { return ReduceKind::And; })
      .Case([](arith::OrIOp) { return ReduceKind::Or; })
      .Case([](arith::XOrIOp) { return ReduceKind::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Combiner> bridge::matchCombiner(Value yielded,
                                              BlockArgument carried) {
  // Sums in a wider type, rounded at each step, are rounded once.
  Value before = carried;
  if (auto round = yielded.getDefiningOp<arith::TruncFOp>()) {
    if (!carried.hasOneUse())
      return std::nullopt;
    auto wide = dyn_cast<arith::ExtFOp>(*carried.user_begin());
    if (!wide || !round->hasOneUse() ||
        wide.getType() != round.getIn().getType())
      return std::nullopt;
    before = wide.getResult();
    yielded = round.getIn();
  }
  Operation *op = yielded.getDefiningOp();
  if (!op || !before.hasOneUse() || !yielded.hasOneUse())
    return std::nullopt;
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    if (fma.getC() != before)
      return std::nullopt;
    return Combiner{ReduceKind::Sum, fma.getA(), fma.getB()};
  }
  std::optional<ReduceKind> kind = getKind(op);
  if (!kind)
    return std::nullopt;
  bool isDifference = isa<arith::SubFOp, arith::SubIOp>(op);
  Combiner result{
      *kind, op->getOperand(op->getOperand(0) == before ? 1 : 0), {}};
  if (result.value == before ||
      !llvm::is_contained(op->getOperands(), before) ||
      (isDifference && op->getOperand(0) != before))
    return std::nullopt;
  result.negated = isDifference && *kind == ReduceKind::Sum;
  result.ignoresNaN = isa<arith::MaxNumFOp, arith::MinNumFOp>(op);
  // Products of two operands go to their sum as such, as in libraries of matrix
  // products.
  if (Operation *product = result.value.getDefiningOp();
      product && *kind == ReduceKind::Sum && !result.negated &&
      isa<arith::MulFOp>(product) &&
      product->getOperand(0) != product->getOperand(1)) {
    result.factor = product->getOperand(1);
    result.value = product->getOperand(0);
  }
  return result;
}

TypedAttr bridge::getSplat(Value tensor) {
  if (auto literal = tensor.getDefiningOp<arith::ConstantOp>()) {
    auto splat = dyn_cast<SplatElementsAttr>(literal.getValue());
    return splat ? splat.getSplatValue<TypedAttr>() : TypedAttr();
  }
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    TypedAttr value;
    return matchPattern(fill.getInputs().front(), m_Constant(&value))
               ? value
               : TypedAttr();
  }
  if (auto view = tensor.getDefiningOp<loop::ViewOp>())
    return getSplat(view.getInput());
  auto kernel = tensor.getDefiningOp<loop::KernelOp>();
  if (!kernel || !kernel.getInputs().empty())
    return {};
  loop::StoreOp store =
      kernel.getStore(cast<OpResult>(tensor).getResultNumber());
  TypedAttr value;
  if (!store || !matchPattern(store.getValue(), m_Constant(&value)))
    return {};
  return value;
}

bool bridge::isNeutral(const Combiner &combiner, TypedAttr init) {
  if (!init)
    return false;
  TypedAttr neutral = loop::getNeutralElement(combiner.kind, init.getType());
  if (auto f = dyn_cast<FloatAttr>(init)) {
    APFloat value = f.getValue();
    // A sum that begins at either zero is never the negative one here.
    if (combiner.kind == ReduceKind::Sum)
      return value.isZero();
    return value.bitwiseIsEqual(cast<FloatAttr>(neutral).getValue());
  }
  return init == neutral;
}

/// The value of a point.
static Value getContribution(KernelWriter &k, const Combiner &combiner) {
  Value v = k.getWide(combiner.value);
  if (!v || !combiner.factor) {
    if (!v || !combiner.negated)
      return v;
    if (isa<FloatType>(v.getType()))
      return arith::NegFOp::create(k.b, v);
    Value zero = k.constant(k.b.getIntegerAttr(v.getType(), 0));
    return arith::SubIOp::create(k.b, zero, v);
  }
  Value factor = k.getWide(combiner.factor);
  if (!factor)
    return {};
  return arith::MulFOp::create(k.b, v, factor, arith::FastMathFlags::contract);
}

/// `x` and `y` by one step of the combiner.
static Value combineStep(KernelWriter &k, const Combiner &combiner, Value x,
                         Value y) {
  if (!combiner.ignoresNaN)
    return coil::combine(k.b, combiner.kind, x, y);
  return combiner.kind == ReduceKind::Max
             ? arith::MaxNumFOp::create(k.b, x, y).getResult()
             : arith::MinNumFOp::create(k.b, x, y).getResult();
}

Value bridge::buildReduction(KernelWriter &k, const Combiner &combiner,
                             ArrayRef<int64_t> dims, Value init,
                             bool initMayBeNaN, Type type) {
  auto &b = k.b;
  Value v = getContribution(k, combiner);
  if (!v)
    return {};
  Value isAbsent;
  if (combiner.ignoresNaN) {
    isAbsent = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, v, v);
    Value neutral =
        k.constant(loop::getNeutralElement(combiner.kind, v.getType()));
    v = arith::SelectOp::create(b, isAbsent, neutral, v);
  }
  Value result = loop::ReduceOp::create(b, combiner.kind, v, dims);
  if (init) {
    init = extend(b, b.getLoc(), init);
    if (init.getType() != result.getType())
      init = arith::ExtFOp::create(b, result.getType(), init);
    Value combined = combineStep(k, combiner, init, result);
    if (combiner.ignoresNaN && initMayBeNaN) {
      // Of NaN alone the result is NaN.
      Value none = loop::ReduceOp::create(b, ReduceKind::And, isAbsent, dims);
      combined = arith::SelectOp::create(b, none, init, combined);
    }
    result = combined;
  }
  if (result.getType() == type)
    return result;
  if (result.getType().isF64() && type.getIntOrFloatBitWidth() < 32)
    result = arith::TruncFOp::create(b, b.getF32Type(), result);
  return round(b, b.getLoc(), result, type);
}
