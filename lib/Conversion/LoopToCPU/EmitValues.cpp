//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars, vectors and arithmetic of a CPU kernel.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "SmallFloats.h"

#include "coil/Conversion/Utils/ExprLowering.h"
#include "coil/Conversion/Utils/Philox.h"
#include "coil/Dialect/Loop/Analysis/Roundings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;
using sym::ExprKind;

Value KernelEmitter::constantIndex(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI64Type(), value);
}

bool KernelEmitter::variesOverVector(Value v) const {
  return vectorDim >= 0 && dependence[v][static_cast<unsigned>(vectorDim)];
}

Value KernelEmitter::scalarExpr(ExprAttr expr, unsigned copy,
                                ArrayRef<Value> args) {
  return lowerExpr(b, b.getLoc(), expr, [&](ExprAttr leaf) -> Value {
    size_t i = static_cast<size_t>(leaf.getValue());
    if (leaf.isSymbol())
      return symbolValues.lookup(leaf.getName());
    if (leaf.getKind() == ExprKind::Arg)
      return args[i];
    if (static_cast<int64_t>(i) == vectorDim && copy > 0)
      return arith::AddIOp::create(b, dimValues[i],
                                   constantIndex(copy * width));
    return dimValues[i];
  });
}

Value KernelEmitter::laneNumbers() {
  SmallVector<int64_t> lanes;
  for (int64_t i = 0; i < width; ++i)
    lanes.push_back(i);
  auto type = VectorType::get(width, b.getI64Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int64_t>(lanes)));
}

Value KernelEmitter::broadcast(Value value) {
  if (isVector(value))
    return value;
  return vector::BroadcastOp::create(b, VectorType::get(width, value.getType()),
                                     value);
}

Value KernelEmitter::vectorExpr(ExprAttr expr, unsigned copy,
                                ArrayRef<Value> args) {
  // Linear in the vector dimension: a scalar and a multiple of the lanes.
  bool vectorArgs = llvm::any_of(args, [&](Value v) { return isVector(v); });
  if (!vectorArgs && vectorDim >= 0) {
    ExprAttr v = sym::dim(expr.getContext(), static_cast<unsigned>(vectorDim));
    if (auto split = sym::splitLinear(expr, v)) {
      Value base = broadcast(scalarExpr(expr, copy, args));
      if (split->first.isConstant(0))
        return base;
      Value lanes = laneNumbers();
      if (!split->first.isConstant(1))
        lanes = arith::MulIOp::create(
            b, lanes, broadcast(scalarExpr(split->first, copy, args)));
      return arith::AddIOp::create(b, base, lanes);
    }
  }
  Value result = lowerExpr(b, b.getLoc(), expr, [&](ExprAttr leaf) -> Value {
    size_t i = static_cast<size_t>(leaf.getValue());
    if (leaf.isSymbol())
      return broadcast(symbolValues.lookup(leaf.getName()));
    if (leaf.getKind() == ExprKind::Arg)
      return broadcast(args[i]);
    Value position = broadcast(scalarExpr(leaf, copy));
    if (static_cast<int64_t>(i) == vectorDim)
      position = arith::AddIOp::create(b, position, laneNumbers());
    return position;
  });
  return broadcast(result);
}

Copies &KernelEmitter::lookup(Value v) {
  assert(values.contains(v) && "value used before it was emitted");
  return values[v];
}

Value KernelEmitter::lookup(Value v, unsigned copy) {
  Copies &c = lookup(v);
  return c.size() == 1 ? c.front() : c[copy];
}

arith::FastMathFlags KernelEmitter::getFlags(Operation *op) {
  using arith::FastMathFlags;
  if (!precision)
    return FastMathFlags::none;
  FastMathFlags flags = precision->getFlags(op);
  if (isa<math::ExpOp>(op))
    return flags & FastMathFlags::afn;
  // What is stored in f32 is divided exactly.
  if (isa<arith::DivFOp>(op) && llvm::all_of(op->getUsers(), [](Operation *u) {
        return isa<arith::TruncFOp>(u);
      }))
    return flags & FastMathFlags::arcp;
  return FastMathFlags::none;
}

LogicalResult KernelEmitter::emitArith(Operation *op) {
  bool isVectorOp = llvm::any_of(op->getResults(),
                                 [&](Value v) { return variesOverVector(v); });
  unsigned n = isVectorOp ? copies : 1;
  auto round = dyn_cast<arith::TruncFOp>(op);
  bool isExact =
      round && isRepresentable(round.getIn(), cast<FloatType>(round.getType()));
  SmallVector<Copies> results(op->getNumResults());
  for (unsigned copy = 0; copy < n; ++copy) {
    IRMapping mapping;
    for (Value v : op->getOperands()) {
      Value mapped = lookup(v, copy);
      mapping.map(v, isVectorOp ? broadcast(mapped) : mapped);
    }
    Operation *clone = b.clone(*op, mapping);
    if (isVectorOp)
      Precision::addFlags(clone, getFlags(op));
    if (isExact)
      clone->setAttr(kExactRounding, b.getUnitAttr());
    for (auto [i, result] : llvm::enumerate(clone->getResults())) {
      if (isVectorOp)
        result.setType(VectorType::get(width, result.getType()));
      results[i].push_back(result);
    }
  }
  for (auto [result, c] : llvm::zip_equal(op->getResults(), results))
    values[result] = c;
  return success();
}

void KernelEmitter::emitRandom(PhiloxOp op) {
  bool isVectorOp = variesOverVector(op.getResult());
  Copies out;
  for (unsigned copy = 0, n = isVectorOp ? copies : 1; copy < n; ++copy) {
    Value operands[3];
    for (unsigned i = 0; i < 3; ++i) {
      operands[i] = lookup(op->getOperand(i), copy);
      if (isVectorOp)
        operands[i] = broadcast(operands[i]);
    }
    Value two = constantIndex(2);
    if (isVectorOp)
      two = broadcast(two);
    Value stream = arith::ShRUIOp::create(b, operands[2], two);
    out.push_back(selectWord(b, emitPhilox(b, operands[0], operands[1], stream),
                             operands[2]));
  }
  values[op.getResult()] = out;
}

/// Whether the execution engine has a body for vectors of `f32`
/// (lib/Device/NarrowText.h).
static bool hasVectorForm(SpecialFunction function) {
  switch (function) {
  case SpecialFunction::BesselJ0:
  case SpecialFunction::BesselJ1:
  case SpecialFunction::BesselY0:
  case SpecialFunction::BesselY1:
  case SpecialFunction::Digamma:
  case SpecialFunction::ErfInv:
  case SpecialFunction::I0:
  case SpecialFunction::I0e:
  case SpecialFunction::I1:
  case SpecialFunction::I1e:
  case SpecialFunction::K0:
  case SpecialFunction::K0e:
  case SpecialFunction::K1:
  case SpecialFunction::K1e:
  case SpecialFunction::LGamma:
  case SpecialFunction::LogNdtr:
  case SpecialFunction::NdtrI:
  case SpecialFunction::Trigamma:
    return true;
  default:
    return false;
  }
}

LogicalResult KernelEmitter::emitSpecial(SpecialOp op) {
  Type type = op.getType();
  StringRef name = stringifySpecialFunction(op.getFunction());
  std::string callee =
      ("coil_special_" + name + (type.isF32() ? "f" : "")).str();
  bool isVectorOp = variesOverVector(op.getResult());
  // One call a lane where there is no vector form.
  bool isVectorCall =
      isVectorOp && type.isF32() && hasVectorForm(op.getFunction());
  if (isVectorCall)
    callee += ".v" + std::to_string(width);
  // Kernels are translated one by one, so each has its own declaration.
  Operation *kernelFunc =
      b.getInsertionBlock()->getParentOp()->getParentOfType<LLVM::LLVMFuncOp>();
  if (!kernelFunc)
    kernelFunc = b.getInsertionBlock()->getParentOp();
  Operation *scope = kernelFunc->getParentOp();
  Type callResult = isVectorCall ? VectorType::get(width, type) : type;
  SmallVector<Type> argTypes(op.getArgs().size(), callResult);
  auto callType = LLVM::LLVMFunctionType::get(callResult, argTypes);
  if (!SymbolTable::lookupSymbolIn(scope, callee)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernelFunc);
    LLVM::LLVMFuncOp::create(b, callee, callType);
  }
  auto call = [&](ArrayRef<Value> args) -> Value {
    return LLVM::CallOp::create(b, callResult,
                                FlatSymbolRefAttr::get(b.getContext(), callee),
                                args)
        .getResult();
  };
  Copies out;
  for (unsigned copy = 0, n = isVectorOp ? copies : 1; copy < n; ++copy) {
    SmallVector<Value> args;
    for (Value v : op.getArgs())
      args.push_back(isVectorOp ? broadcast(lookup(v, copy)) : lookup(v, copy));
    if (!isVectorOp || isVectorCall) {
      out.push_back(call(args));
      continue;
    }
    Value result = broadcast(
        arith::ConstantOp::create(b, b.getFloatAttr(type, 0.0)).getResult());
    for (int64_t lane = 0; lane < width; ++lane) {
      SmallVector<Value> scalars;
      for (Value v : args)
        scalars.push_back(
            vector::ExtractOp::create(b, v, ArrayRef<int64_t>{lane}));
      result = vector::InsertOp::create(b, call(scalars), result,
                                        ArrayRef<int64_t>{lane});
    }
    out.push_back(result);
  }
  values[op.getResult()] = out;
  return success();
}
