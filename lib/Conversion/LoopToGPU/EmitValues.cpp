//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars, vectors and arithmetic of a GPU kernel.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Conversion/Utils/ExprLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;
using sym::ExprKind;

Value GPUKernelEmitter::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, indexType, value);
}

Value GPUKernelEmitter::constantI32(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

Value GPUKernelEmitter::constantFloat(Type type, double value) {
  Value v = arith::ConstantOp::create(
      b, b.getFloatAttr(getElementTypeOrSelf(type), value));
  return isa<VectorType>(type) ? broadcast(v) : v;
}

Value GPUKernelEmitter::trueValue() {
  return arith::ConstantIntOp::create(b, b.getI1Type(), 1);
}

Value GPUKernelEmitter::toIndex(Value i32) {
  return indexBits == 32
             ? i32
             : arith::ExtUIOp::create(b, indexType, i32).getResult();
}

/// Widens or cuts an integer that is known to fit.
static Value toBits(ImplicitLocOpBuilder &b, Value v, unsigned bits) {
  unsigned have = v.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(bits);
  if (have < bits)
    return arith::ExtSIOp::create(b, type, v);
  if (have > bits)
    return arith::TruncIOp::create(b, type, v);
  return v;
}

Value GPUKernelEmitter::scalarExpr(ExprAttr expr, unsigned ip, unsigned ir,
                                   unsigned bits, ArrayRef<Value> args,
                                   int64_t lane) {
  return lowerExpr(
      b, b.getLoc(), expr,
      [&](ExprAttr leaf) -> Value {
        if (leaf == form.getLane())
          return arith::ConstantIntOp::create(b, b.getIntegerType(bits), lane);
        size_t i = static_cast<size_t>(leaf.getValue());
        if (leaf.isSymbol())
          return toBits(b, symbolValues.lookup(leaf.getName()), bits);
        if (leaf.getKind() == ExprKind::Arg)
          return toBits(b, args[i], bits);
        const Item &item = reducedSet[i] ? rItems[ir] : pItems[ip];
        return toBits(b, item.positions[i], bits);
      },
      &form.getContext(), bits);
}

Value GPUKernelEmitter::symbolExpr(ExprAttr expr) {
  return scalarExpr(expr, 0, 0, indexBits);
}

Value GPUKernelEmitter::broadcast(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, VectorType::get(width, value.getType()),
                                     value);
}

Value GPUKernelEmitter::extract(Value value, int64_t lane) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lane});
}

Value GPUKernelEmitter::fromLanes(ArrayRef<Value> lanes) {
  auto type = VectorType::get(static_cast<int64_t>(lanes.size()),
                              lanes.front().getType());
  return vector::FromElementsOp::create(b, type, lanes);
}

Value GPUKernelEmitter::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  if (isa<VectorType>(x.getType()))
    y = broadcast(y);
  else if (isa<VectorType>(y.getType()))
    x = broadcast(x);
  return arith::AndIOp::create(b, x, y);
}

Value GPUKernelEmitter::lookup(Value v, unsigned ip, unsigned ir) {
  auto it = values.find(v);
  assert(it != values.end() && "value used before it was emitted");
  return it->second.at(ip, ir);
}

void GPUKernelEmitter::forEachCopy(
    bool overP, bool overR, llvm::function_ref<void(unsigned, unsigned)> fn) {
  for (unsigned ip = 0, n = overP ? pItems.size() : 1; ip < n; ++ip)
    for (unsigned ir = 0, m = overR ? rItems.size() : 1; ir < m; ++ir)
      fn(ip, ir);
}

GPUKernelEmitter::Copies GPUKernelEmitter::makeCopies(Value v) const {
  Copies copies;
  copies.overP = isOver(v, parallelSet);
  copies.overR = isOver(v, reducedSet);
  copies.numR = static_cast<unsigned>(rItems.size());
  return copies;
}

Value GPUKernelEmitter::getRooted(Operation *op) const {
  bool isInverseRoot = isa<arith::DivFOp>(op) && precision &&
                       arith::bitEnumContainsAny(precision->getFlags(op),
                                                 arith::FastMathFlags::afn);
  return isInverseRoot ? op->getOperand(1).getDefiningOp()->getOperand(0)
                       : Value();
}

LogicalResult GPUKernelEmitter::emitArith(Operation *op) {
  if (emitArithTwo(op))
    return success();
  SmallVector<Copies> results;
  for (Value v : op->getResults())
    results.push_back(makeCopies(v));
  bool isVectorOp = form.isVector(op->getResult(0));
  auto choice = dyn_cast<arith::SelectOp>(op);
  if (known.contains(op) || (choice && isKnown(choice.getCondition()))) {
    forEachCopy(results[0].overP, results[0].overR,
                [&](unsigned ip, unsigned ir) {
                  Value v = choice ? lookup(choice.getTrueValue(), ip, ir)
                                   : trueValue();
                  // A constant stays one that its users recognise.
                  results[0].values.push_back(
                      isVectorOp && !isConstant(v) ? broadcast(v) : v);
                });
    values[op->getResult(0)] = std::move(results[0]);
    return success();
  }
  bool isUniform = form.isUniformCompare(op);
  bool isInverseRoot = static_cast<bool>(getRooted(op));
  forEachCopy(results[0].overP, results[0].overR,
              [&](unsigned ip, unsigned ir) {
                if (isInverseRoot) {
                  Value v = lookup(getRooted(op), ip, ir);
                  results[0].values.push_back(
                      math::RsqrtOp::create(b, isVectorOp ? broadcast(v) : v));
                  return;
                }
                if (isUniform) {
                  results[0].values.push_back(emitUniformCompare(op, ip, ir));
                  return;
                }
                IRMapping mapping;
                for (Value v : op->getOperands()) {
                  Value mapped = lookup(v, ip, ir);
                  mapping.map(v, isVectorOp ? broadcast(mapped) : mapped);
                }
                Operation *clone = b.clone(*op, mapping);
                if (precision)
                  Precision::addFlags(clone, precision->getFlags(op));
                for (auto [i, result] : llvm::enumerate(clone->getResults())) {
                  if (isVectorOp)
                    result.setType(VectorType::get(width, result.getType()));
                  results[i].values.push_back(result);
                }
              });
  for (auto [result, copies] : llvm::zip_equal(op->getResults(), results))
    values[result] = std::move(copies);
  return success();
}

Value GPUKernelEmitter::emitLike(Operation *op, Value operand,
                                 arith::FastMathFlags flags) {
  IRMapping mapping;
  mapping.map(op->getOperand(0), operand);
  Operation *clone = b.clone(*op, mapping);
  if (precision)
    Precision::addFlags(clone, precision->getFlags(op) | flags);
  clone->getResult(0).setType(operand.getType());
  return clone->getResult(0);
}

Value GPUKernelEmitter::emitUniformCompare(Operation *op, unsigned ip,
                                           unsigned ir) {
  auto compare = cast<arith::CmpIOp>(op);
  auto firstLane = [&](Value v) -> Value {
    if (!form.isVector(v))
      return lookup(v, ip, ir);
    ExprAttr e = form.atPoint(v.getDefiningOp<IndexOp>().getExpr());
    return scalarExpr(e, ip, ir, 64);
  };
  Value lhs = firstLane(compare.getLhs());
  Value rhs = firstLane(compare.getRhs());
  return arith::CmpIOp::create(b, compare.getPredicate(), lhs, rhs);
}

void GPUKernelEmitter::emitIndex(IndexOp op) {
  Copies copies = makeCopies(op);
  ExprAttr e = form.atPoint(op.getExpr());
  bool narrow = indexBits == 32 && fits32(form.getContext(), e);
  unsigned bits = narrow ? 32 : 64;
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    auto at = [&](ExprAttr expr, int64_t lane) {
      return toBits(b, scalarExpr(expr, ip, ir, bits, {}, lane), 64);
    };
    if (!form.isVector(op)) {
      copies.values.push_back(at(e, 0));
      return;
    }
    auto split = sym::splitLinear(e, form.getLane());
    if (!split || !split->first.isConstant()) {
      if (std::optional<Pieces> pieces = form.getPieces(e)) {
        Values lanes = laneValues(e, *pieces, ip, ir, bits);
        for (Value &lane : lanes)
          lane = toBits(b, lane, 64);
        copies.values.push_back(fromLanes(lanes));
        return;
      }
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < width; ++lane)
        lanes.push_back(at(e, lane));
      copies.values.push_back(fromLanes(lanes));
      return;
    }
    SmallVector<int64_t> steps;
    for (int64_t lane = 0; lane < width; ++lane)
      steps.push_back(lane * split->first.getValue());
    auto type = VectorType::get(width, b.getI64Type());
    Value step = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, ArrayRef<int64_t>(steps)));
    Value base = broadcast(at(split->second, 0));
    copies.values.push_back(arith::AddIOp::create(b, base, step));
  });
  values[op.getResult()] = std::move(copies);
}

LogicalResult GPUKernelEmitter::emitSpecial(SpecialOp op) {
  // Functions are expanded later, for scalars.
  Copies copies = makeCopies(op.getResult());
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    SmallVector<Value> args;
    for (Value v : op.getArgs())
      args.push_back(lookup(v, ip, ir));
    auto call = [&](int64_t lane) -> Value {
      SmallVector<Value> scalars;
      for (Value v : args)
        scalars.push_back(extract(v, lane));
      return SpecialOp::create(b, op.getType(), op.getFunction(), scalars);
    };
    if (!form.isVector(op.getResult())) {
      copies.values.push_back(call(0));
      return;
    }
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(call(lane));
    copies.values.push_back(fromLanes(lanes));
  });
  values[op.getResult()] = std::move(copies);
  return success();
}

LogicalResult GPUKernelEmitter::emitIf(Value condition, Body then) {
  if (!condition)
    return then();
  auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  return then();
}

Value GPUKernelEmitter::choose(Value condition, Type type,
                               llvm::function_ref<Value()> then,
                               llvm::function_ref<Value()> otherwise) {
  auto choice = scf::IfOp::create(b, TypeRange{type}, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return choice.getResult(0);
}

Value GPUKernelEmitter::select(Value condition, Value other,
                               llvm::function_ref<Value()> then) {
  if (!condition)
    return then();
  return choose(condition, other.getType(), then, [&]() { return other; });
}
