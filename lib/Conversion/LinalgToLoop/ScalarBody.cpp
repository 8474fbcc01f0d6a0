//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of kernels from scalar operations of other dialects.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "coil/Dialect/Sym/Transforms/IndexValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

LogicalResult Failures::report(Operation *op, const Twine &reason) {
  if (reported.insert(op).second)
    op->emitOpError("has no form as a loop kernel: ") << reason;
  return failure();
}

SmallVector<ExprAttr> bridge::getSizes(Value tensor) {
  return sym::getSizes(cast<RankedTensorType>(tensor.getType()));
}

ExprAttr bridge::getExpr(OpFoldResult value, Operation *at) {
  sym::Context context = sym::Context::forOp(at);
  ExprAttr e = sym::IndexValues::evaluate(value, at->getContext(), context,
                                          sym::getTypeSize, nullptr);
  return e ? context.simplify(e) : e;
}

bool bridge::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type>(type);
}

LogicalResult bridge::checkTensors(Operation *op, Failures &failures,
                                   bool mayReadIndices) {
  auto check = [&](Type type, bool mayBeIndex) -> LogicalResult {
    if (isa<UnrankedTensorType>(type))
      return failures.report(op, "a tensor has no rank");
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    Type element = tensor.getElementType();
    if (!isElementType(element) && !(mayBeIndex && element.isIndex())) {
      std::string text;
      llvm::raw_string_ostream(text) << element;
      return failures.report(op, "it has elements of the type '" + text + "'");
    }
    if (llvm::is_contained(sym::getSizes(tensor), sym::ExprAttr()))
      return failures.report(op, "a tensor has a size without an expression; "
                                 "run 'sym-name-dynamic-sizes' before");
    return success();
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type, mayReadIndices)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type, /*mayBeIndex=*/false)))
      return failure();
  return success();
}

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

Value bridge::extend(OpBuilder &b, Location loc, Value value) {
  if (!isNarrowFloat(value.getType()))
    return value;
  return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
}

Value bridge::round(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(b, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelWriter::KernelWriter(RewriterBase &rewriter, Operation *source,
                           StringRef name, ArrayRef<ExprAttr> dims,
                           TypeRange outputs, Failures &failures)
    : b(source->getLoc(), rewriter), guard(b), source(source),
      failures(failures), context(sym::Context::forOp(source)) {
  context.setDimExtents(dims);
  kernel = loop::KernelOp::create(b, name, dims, ValueRange(), outputs);
  b.setInsertionPointToStart(kernel.getBlock());
}

BlockArgument KernelWriter::input(Value tensor) {
  for (auto [operand, argument] :
       llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments()))
    if (operand == tensor)
      return argument;
  kernel.getInputsMutable().append(tensor);
  return kernel.getBody().addArgument(tensor.getType(), tensor.getLoc());
}

Value KernelWriter::load(Value tensor, ArrayRef<ExprAttr> indices) {
  return loop::LoadOp::create(b, input(tensor), indices);
}

Value KernelWriter::load(Value tensor, ArrayRef<ExprAttr> indices, Value mask,
                         Value other) {
  if (!mask)
    return load(tensor, indices);
  return loop::LoadOp::create(b, input(tensor), indices, ValueRange(), mask,
                              other, loop::BoundsPolicy::Trusted);
}

Value KernelWriter::loadChecked(Value tensor, ArrayRef<ExprAttr> indices,
                                ValueRange args) {
  if (args.empty())
    return load(tensor, indices);
  return loop::LoadOp::create(b, input(tensor), indices, args, Value(), Value(),
                              loop::BoundsPolicy::Check);
}

void KernelWriter::store(Value v, unsigned output, ArrayRef<ExprAttr> indices) {
  loop::StoreOp::create(b, v, output,
                        sym::ShapeAttr::get(b.getContext(), indices));
}

Value KernelWriter::index(ExprAttr expr) {
  return loop::IndexOp::create(b, b.getI64Type(), expr);
}

Value KernelWriter::constant(TypedAttr value) {
  Type type = loop::getScalarType(value.getType());
  if (auto i = dyn_cast<IntegerAttr>(value)) {
    if (type.isIndex())
      type = b.getI64Type();
    value = b.getIntegerAttr(
        type, i.getValue().sextOrTrunc(type.getIntOrFloatBitWidth()));
  }
  return arith::ConstantOp::create(b, value);
}

Value KernelWriter::conjunction(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

Value KernelWriter::inRange(ExprAttr position, ExprAttr size) {
  Value result, at;
  auto get = [&] { return at ? at : at = index(position); };
  if (!context.isNonNegative(position))
    result = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, get(),
                                   constant(b.getI64IntegerAttr(0)));
  if (!context.isLess(position, size))
    result =
        conjunction(result, arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                                  get(), index(size)));
  return result;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

ExprAttr KernelWriter::getPosition(Value v) {
  ExprAttr e = sym::IndexValues::evaluate(
      v, context, sym::getTypeSize, [&](Value leaf) -> ExprAttr {
        if (ExprAttr known = positions.lookup(leaf))
          return known;
        if (auto at = leaf.getDefiningOp<linalg::IndexOp>())
          return sym::dim(leaf.getContext(),
                          static_cast<unsigned>(at.getDim()));
        return {};
      });
  return e ? context.simplify(e) : e;
}

Value KernelWriter::get(Value v) {
  if (Value known = values.lookup(v))
    return known;
  Value result;
  Type type = v.getType();
  if (type.isIndex() || type.isInteger(64)) {
    TypedAttr number;
    if (matchPattern(v, m_Constant(&number)))
      result = constant(number);
    else if (ExprAttr position = getPosition(v))
      result = index(position);
  }
  if (!result) {
    Operation *op = v.getDefiningOp();
    if (!op) {
      (void)fail("it uses an argument that is no tensor");
      return {};
    }
    result = emit(op);
  }
  if (result)
    values[v] = result;
  return result;
}

Value KernelWriter::getWide(Value v) {
  Value result = get(v);
  if (!result)
    return {};
  if (Value before = wide.lookup(result))
    return before;
  return extend(b, b.getLoc(), result);
}

Value KernelWriter::emitExtract(Operation *op) {
  auto extract = cast<tensor::ExtractOp>(op);
  auto type = extract.getTensor().getType();
  if (llvm::is_contained(sym::getSizes(type), ExprAttr())) {
    (void)fail("it reads a tensor that has a size without an expression");
    return {};
  }
  SmallVector<ExprAttr> indices;
  SmallVector<Value> args;
  for (auto [at, size] :
       llvm::zip_equal(extract.getIndices(), sym::getSizes(type))) {
    // What cannot be proved is checked, whatever it depends on.
    ExprAttr position = getPosition(at);
    if (position && context.isNonNegative(position) &&
        context.isLess(position, size)) {
      indices.push_back(position);
      continue;
    }
    Value v = get(at);
    if (!v)
      return {};
    indices.push_back(
        sym::arg(b.getContext(), static_cast<unsigned>(args.size())));
    args.push_back(v);
  }
  return loadChecked(extract.getTensor(), indices, args);
}

Value KernelWriter::emitCast(Operation *op) {
  Value v = get(op->getOperand(0));
  if (!v)
    return {};
  // Indices have 64 bits.
  Type type = op->getResult(0).getType();
  if (type.isIndex())
    type = b.getI64Type();
  unsigned from = v.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from == to)
    return v;
  if (from > to)
    return arith::TruncIOp::create(b, type, v);
  if (isa<arith::IndexCastUIOp>(op))
    return arith::ExtUIOp::create(b, type, v);
  return arith::ExtSIOp::create(b, type, v);
}

Value KernelWriter::emitAffine(AffineExpr expr, unsigned numDims,
                               ValueRange operands) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(
        b.getI64IntegerAttr(cast<AffineConstantExpr>(expr).getValue()));
  case AffineExprKind::DimId:
    return operands[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return operands[numDims + cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitAffine(binary.getLHS(), numDims, operands);
  Value rhs = emitAffine(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, lhs, rhs);
  default: {
    // The remainder of an affine expression is not negative.
    Value quotient = arith::FloorDivSIOp::create(b, lhs, rhs);
    return arith::SubIOp::create(b, lhs,
                                 arith::MulIOp::create(b, quotient, rhs));
  }
  }
}

Value KernelWriter::emit(Operation *op) {
  if (isa<tensor::ExtractOp>(op))
    return emitExtract(op);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return emitCast(op);
  if (auto literal = dyn_cast<arith::ConstantOp>(op))
    if (isa<IntegerAttr, FloatAttr>(literal.getValue()))
      return constant(literal.getValue());
  SmallVector<Value> operands;
  auto isScalarOp = [&] {
    return (isa_and_present<arith::ArithDialect, math::MathDialect>(
                op->getDialect()) &&
            op->getNumResults() == 1 && op->getNumRegions() == 0 &&
            !isa<math::IPowIOp>(op)) ||
           isa<affine::AffineApplyOp>(op);
  };
  if (!isScalarOp()) {
    (void)fail("it computes with '" + op->getName().getStringRef() + "'");
    return {};
  }
  for (Value v : op->getOperands()) {
    operands.push_back(get(v));
    if (!operands.back())
      return {};
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return emitAffine(apply.getAffineMap().getResult(0),
                      apply.getAffineMap().getNumDims(), operands);
  Type type = op->getResult(0).getType();
  if (type.isIndex())
    type = b.getI64Type();
  if (!isElementType(type)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    (void)fail("it computes with the type '" + text + "'");
    return {};
  }
  // Conversions and what only moves values take narrow floats as they are.
  bool isConversion =
      isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp>(
          op);
  bool isRounded = !isConversion && isNarrowFloat(type);
  if (!isConversion)
    for (Value &v : operands)
      v = extend(b, b.getLoc(), v);
  // There is no conversion from f64 to 16 bits, nor between those of 16 bits.
  if (isa<arith::TruncFOp>(op) && operands[0].getType().isF64() &&
      isNarrowFloat(type))
    operands[0] = arith::TruncFOp::create(b, b.getF32Type(), operands[0]);
  if (isa<arith::ExtFOp>(op) && isNarrowFloat(operands[0].getType()) &&
      type.isF64())
    operands[0] = arith::ExtFOp::create(b, b.getF32Type(), operands[0]);
  if (isa<math::FPowIOp>(op)) {
    Type compute = operands[0].getType();
    Value exponent = arith::SIToFPOp::create(b, compute, operands[1]);
    Value result = math::PowFOp::create(b, operands[0], exponent);
    return round(b, b.getLoc(), result, type);
  }
  if (isa<math::RsqrtOp>(op)) {
    // As the operator of `graph` has it, and upstream's lowering.
    Type compute = operands[0].getType();
    Value root = math::SqrtOp::create(b, operands[0]);
    Value result =
        arith::DivFOp::create(b, constant(b.getFloatAttr(compute, 1.0)), root);
    Value rounded = round(b, b.getLoc(), result, type);
    if (isRounded)
      wide[rounded] = result;
    return rounded;
  }
  OperationState state(b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(isRounded ? b.getF32Type() : type);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Value result = b.create(state)->getResult(0);
  if (!isRounded)
    return result;
  Value rounded = round(b, b.getLoc(), result, type);
  wide[rounded] = result;
  return rounded;
}
