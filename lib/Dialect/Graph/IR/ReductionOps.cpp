//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and builders of reductions, contractions, convolution, pooling and
// attention.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// The inferred sizes, or, when inference fails, the sizes of `fallback`, so
/// that a builder always makes an op and the verifier reports the reason.
static RankedTensorType typeOr(FailureOr<Sizes> sizes, Value fallback,
                               Type elementType) {
  return sym::getTensorType(succeeded(sizes) ? *sizes : getSizes(fallback),
                            elementType);
}

static LogicalResult verifyElementTypes(Operation *op, ValueRange operands,
                                        Type expected) {
  for (Value operand : operands)
    if (getElementType(operand) != expected)
      return op->emitOpError() << "expected elements of type " << expected
                               << " but got " << getElementType(operand);
  return success();
}

/// Only factors of f32 can be rounded to TF32.
static LogicalResult verifyTF32(Operation *op, bool tf32, Value result) {
  Type type = getElementType(result);
  if (!tf32 || type.isF32())
    return success();
  return op->emitOpError() << "'tf32' goes with elements of f32 but got "
                           << type;
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

bool graph::isReducible(ReduceKind kind, Type type) {
  bool isBool = type.isInteger(1);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return false;
  switch (kind) {
  case ReduceKind::Any:
  case ReduceKind::All:
    return isBool;
  case ReduceKind::Xor:
    return !isa<FloatType>(type);
  case ReduceKind::Sum:
  case ReduceKind::Prod:
    return !isBool;
  case ReduceKind::Max:
  case ReduceKind::Min:
    return true;
  }
  llvm_unreachable("all kinds are handled");
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ReduceKind kind,
                     Value input, ArrayRef<int64_t> dims, bool keepdims) {
  build(builder, state,
        typeOr(inferReduce(getSizes(input), dims, keepdims), input,
               getElementType(input)),
        kind, input, dims, keepdims);
}

LogicalResult ReduceOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<Sizes> sizes =
      inferReduce(getSizes(getInput()), getDims(), getKeepdims(), emitError);
  if (failed(sizes)) // (C1)
    return failure();
  if (failed(verifySizes(getType(), *sizes, emitError))) // (C2)
    return failure();
  Type type = graph::getElementType(getInput());
  if (type != graph::getElementType(getResult())) // (C3)
    return emitOpError() << "expected a result with elements of type " << type
                         << " but got " << graph::getElementType(getResult());
  if (!isReducible(getKind(), type)) // (C3)
    return emitOpError() << "has no reduction '"
                         << stringifyReduceKind(getKind())
                         << "' of elements of type " << type;
  if (getTf32() && (getKind() != ReduceKind::Sum || !type.isF32())) // (C4)
    return emitOpError() << "'tf32' goes with a sum of f32 but got a '"
                         << stringifyReduceKind(getKind()) << "' of " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

void ArgReduceOp::build(OpBuilder &builder, OperationState &state,
                        ReduceKind kind, Value input, int64_t dim,
                        bool keepdims) {
  FailureOr<Sizes> sizes = inferReduce(getSizes(input), dim, keepdims);
  build(builder, state,
        {typeOr(sizes, input, getElementType(input)),
         typeOr(sizes, input, builder.getI64Type())},
        kind, input, dim, keepdims);
}

LogicalResult ArgReduceOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min) // (C1)
    return emitOpError() << "expected 'max' or 'min' but got '"
                         << stringifyReduceKind(getKind()) << "'";
  Sizes input = getSizes(getInput());
  FailureOr<Sizes> sizes = inferReduce(input, static_cast<int64_t>(getDim()),
                                       getKeepdims(), emitError);
  if (failed(sizes)) // (C1)
    return failure();
  for (Value result : getResults()) // (C2)
    if (failed(verifySizes(result.getType(), *sizes, emitError)))
      return failure();
  if (graph::getElementType(getValues()) !=
      graph::getElementType(getInput())) // (C3)
    return emitOpError() << "expected values with elements of type "
                         << graph::getElementType(getInput()) << " but got "
                         << graph::getElementType(getValues());
  if (input[getDim()].isConstant(0)) // (C4)
    return emitOpError() << "cannot choose from dimension " << getDim()
                         << " of size zero";
  return success();
}

//===----------------------------------------------------------------------===//
// MomentsOp
//===----------------------------------------------------------------------===//

void WelfordOp::build(OpBuilder &builder, OperationState &state, Value input,
                      ArrayRef<int64_t> dims, bool keepdims) {
  Type type = typeOr(inferReduce(getSizes(input), dims, keepdims), input,
                     getElementType(input));
  build(builder, state, {type, type}, input, dims, keepdims);
}

LogicalResult WelfordOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<Sizes> sizes =
      inferReduce(getSizes(getInput()), getDims(), getKeepdims(), emitError);
  if (failed(sizes)) // (C1)
    return failure();
  if (failed(verifySizes(getMean().getType(), *sizes, emitError))) // (C2)
    return failure();
  return verifyElementTypes(*this, getResults(), // (C3)
                            graph::getElementType(getInput()));
}

//===----------------------------------------------------------------------===//
// ScanOp, ArgScanOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyScanDim(Operation *op, Value input, uint64_t dim) {
  size_t rank = getSizes(input).size();
  if (dim < rank)
    return success();
  return op->emitOpError() << "dimension " << static_cast<int64_t>(dim)
                           << " is outside rank " << rank;
}

LogicalResult ScanOp::verify() {
  if (failed(verifyScanDim(*this, getInput(), getDim()))) // (C1)
    return failure();
  Type type = graph::getElementType(getInput());
  bool ok = true;
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8) // (C2)
    return emitOpError() << "has no scan '" << stringifyScanKind(getKind())
                         << "' of elements of type " << type;
  switch (getKind()) { // (C2)
  case ScanKind::Sum:
  case ScanKind::Prod:
    ok = !type.isInteger(1);
    break;
  case ScanKind::LogAddExp:
    ok = isa<FloatType>(type);
    break;
  case ScanKind::Max:
  case ScanKind::Min:
    break;
  }
  if (!ok)
    return emitOpError() << "has no scan '" << stringifyScanKind(getKind())
                         << "' of elements of type " << type;
  return success();
}

void ArgScanOp::build(OpBuilder &builder, OperationState &state,
                      ReduceKind kind, Value input, int64_t dim) {
  build(builder, state,
        {input.getType(),
         sym::getTensorType(getSizes(input), builder.getI64Type())},
        kind, input, dim);
}

LogicalResult ArgScanOp::verify() {
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min) // (C1)
    return emitOpError() << "expected 'max' or 'min' but got '"
                         << stringifyReduceKind(getKind()) << "'";
  if (failed(verifyScanDim(*this, getInput(), getDim()))) // (C1)
    return failure();
  return verifySizes(getPositions().getType(), getSizes(getInput()),
                     [&] { return emitOpError(); }); // (C2), (C3)
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                     Value rhs, Value bias) {
  build(builder, state,
        typeOr(inferMatmul(getSizes(lhs), getSizes(rhs)), lhs,
               getElementType(lhs)),
        lhs, rhs, bias);
}

LogicalResult MatmulOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<Sizes> sizes =
      inferMatmul(getSizes(getLhs()), getSizes(getRhs()), emitError);
  if (failed(sizes) || // (C1), (C2), (C3)
      failed(verifySizes(getType(), *sizes, emitError)))
    return failure();
  if (getBias()) { // (C5)
    Sizes bias = getSizes(getBias());
    if (bias.size() != 1 || bias[0] != sizes->back())
      return emitOpError("expected a bias of ")
             << sizes->back().str() << " elements but got "
             << getBias().getType();
  }
  if (failed(verifyTF32(*this, getTf32(), getLhs()))) // (C6)
    return failure();
  Type factor = graph::getElementType(getLhs()),
       type = graph::getElementType(getResult());
  bool isWider = type.isF32() && (factor.isF16() || factor.isBF16());
  if (!isWider)
    return verifyElementTypes(*this, getOperands(), type); // (C4)
  if (failed(verifyElementTypes(*this, getRhs(), factor))) // (C4)
    return failure();
  return getBias() ? verifyElementTypes(*this, getBias(), type) : success();
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

/// inferConv, where channels may be the last dimension.
static FailureOr<Sizes> inferLastConv(Sizes input, Sizes weight,
                                      const Window &window, int64_t groups,
                                      bool channelsLast, EmitError emitError) {
  if (channelsLast && input.size() > 2 && weight.size() > 2) {
    input = toChannelsFirst<sym::ExprAttr>(input);
    weight = toChannelsFirst<sym::ExprAttr>(weight);
  }
  FailureOr<Sizes> result = inferConv(input, weight, window, groups, emitError);
  if (channelsLast && succeeded(result))
    return toChannelsLast<sym::ExprAttr>(*result);
  return result;
}

void ConvOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Value weight, ArrayRef<int64_t> stride,
                   ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                   int64_t groups, bool channelsLast, Value bias) {
  build(builder, state,
        typeOr(inferLastConv(getSizes(input), getSizes(weight),
                             {stride, padding, dilation}, groups, channelsLast,
                             nullptr),
               input, getElementType(input)),
        input, weight, bias, stride, padding, dilation, groups, channelsLast);
}

LogicalResult ConvOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<Sizes> sizes =
      inferLastConv(getSizes(getInput()), getSizes(getWeight()),
                    {getStride(), getPadding(), getDilation()}, getGroups(),
                    getChannelsLast(), emitError);
  if (failed(sizes) ||                                   // (C1), (C2), (C3)
      failed(verifySizes(getType(), *sizes, emitError))) // (C4)
    return failure();
  if (failed(verifyTF32(*this, getTf32(), getResult()))) // (C6)
    return failure();
  if (getBias()) { // (C7)
    Sizes bias = getSizes(getBias());
    sym::ExprAttr channels = getChannelsLast() ? sizes->back() : (*sizes)[1];
    if (bias.size() != 1 || bias[0] != channels)
      return emitOpError("expected a bias of ")
             << channels.str() << " elements but got " << getBias().getType();
  }
  return verifyElementTypes(*this, getOperands(), // (C5)
                            graph::getElementType(getResult()));
}

//===----------------------------------------------------------------------===//
// PoolOp
//===----------------------------------------------------------------------===//

LogicalResult PoolOp::verify() {
  Sizes in = getSizes(getInput()), out = getSizes(getResult());
  size_t rank = in.size();
  if (getChannelsLast() && rank > 2 && out.size() > 2) {
    in = toChannelsFirst<sym::ExprAttr>(in);
    out = toChannelsFirst<sym::ExprAttr>(out);
  }
  if (rank < 3 || rank > 5 || out.size() != rank || in[0] != out[0] ||
      in[1] != out[1] ||
      graph::getElementType(getInput()) !=
          graph::getElementType(getResult())) // (C1)
    return emitOpError() << "expected operand and result to agree in a rank "
                            "from 3 to 5, the batch size, the channels and the "
                            "element type";
  size_t spatial = rank - 2;
  auto allPositive = [&](ArrayRef<int64_t> list) {
    return list.size() == spatial && llvm::all_of(list, [](int64_t v) {
             return v > 0 && v <= std::numeric_limits<int32_t>::max();
           });
  };
  bool ok = allPositive(getKernel()) && allPositive(getStride()) &&
            allPositive(getDilation()) && getPadding().size() == spatial;
  if (ok)
    for (auto [padding, kernel] : llvm::zip(getPadding(), getKernel()))
      ok &= padding >= 0 && padding <= kernel / 2;
  if (!ok) // (C2)
    return emitOpError() << "expected " << spatial
                         << " positive kernel sizes, strides and dilations and "
                            "paddings of at most half a kernel, all below "
                            "2^31";
  for (size_t i = 0; i < spatial; ++i) { // (C3)
    sym::ExprAttr lastStart = sym::add(
        sym::mul(sym::add(out[i + 2], -1), getStride()[i]), -getPadding()[i]);
    std::optional<int64_t> room = sym::sub(in[i + 2], lastStart).getConstant();
    if (room && *room <= 0 && !out[i + 2].isConstant(0))
      return emitOpError() << "the last window of dimension " << i + 2
                           << " starts after the end of the input";
  }
  if (IntegerAttr divisor = getDivisorAttr()) { // (C4)
    auto integer = dyn_cast<IntegerType>(graph::getElementType(getInput()));
    bool fits = !integer ||
                (integer.isUnsigned()
                     ? llvm::isUIntN(integer.getWidth(), divisor.getInt()) &&
                           divisor.getInt() >= 0
                     : llvm::isIntN(integer.getWidth(), divisor.getInt()));
    if (divisor.getInt() == 0 || !fits)
      return emitOpError() << "expected a divisor that is not zero and that "
                              "the element type can hold, but got "
                           << divisor.getInt();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

void AttentionOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value query, Value key, Value value, Value mask,
                        bool causal, double scale) {
  build(builder, state, result, query, key, value, mask,
        causal ? builder.getUnitAttr() : UnitAttr(),
        builder.getF64FloatAttr(scale), /*library=*/StringAttr(),
        /*tf32=*/UnitAttr(), /*fill=*/FloatAttr(), /*nan_rows=*/UnitAttr(),
        /*softcap=*/FloatAttr());
}

LogicalResult AttentionOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  Sizes q = getSizes(getQuery()), k = getSizes(getKey()),
        v = getSizes(getValue());
  size_t rank = q.size();
  if (rank < 2 || k.size() != rank || v.size() != rank ||
      SizesRef(q).drop_back(2) != SizesRef(k).drop_back(2) ||
      SizesRef(q).drop_back(2) != SizesRef(v).drop_back(2)) // (C1)
    return emitOpError() << "expected query, key and value of one rank with "
                            "equal batch sizes but got "
                         << toString(q) << ", " << toString(k) << " and "
                         << toString(v);
  if (q[rank - 1] != k[rank - 1] || k[rank - 2] != v[rank - 2]) // (C2)
    return emitOpError() << "query " << toString(q) << ", key " << toString(k)
                         << " and value " << toString(v) << " do not fit";
  Sizes scores = q;
  scores[rank - 1] = k[rank - 2];
  q[rank - 1] = v[rank - 1];
  if (failed(verifySizes(getType(), q, emitError))) // (C2)
    return failure();
  Type type = graph::getElementType(getResult());
  if (failed(verifyElementTypes(*this, {getQuery(), getKey(), getValue()},
                                type))) // (C3)
    return failure();
  if (failed(verifyTF32(*this, getTf32(), getResult()))) // (C5)
    return failure();
  if (Value mask = getMask()) {
    Type maskType = graph::getElementType(mask);
    bool isWider = maskType.isF32() && (type.isF16() || type.isBF16());
    if (maskType != type && !isWider && !maskType.isInteger(1)) // (C3)
      return emitOpError() << "expected a mask with elements of type " << type
                           << " or 'i1' but got " << maskType;
    if (failed(verifyBroadcast(getSizes(mask), scores, emitError))) // (C3)
      return failure();
    if (getCausal()) // (C4)
      return emitOpError("cannot have a mask and be causal");
  }
  std::optional<APFloat> fill = getFill();
  bool isBoolMask = getMask() && graph::getElementType(getMask()).isInteger(1);
  if (fill && (!isBoolMask || fill->isNaN())) // (C6)
    return emitOpError(
        "expected 'fill' to be a number and to go with a mask of "
        "bools");
  if (getNanRows() && (!getMask() || (fill && fill->isFinite()))) // (C7)
    return emitOpError(
        "'nan_rows' goes with a mask that can hide all of a row");
  if (std::optional<APFloat> cap = getSoftcap();
      cap && (!cap->isFinite() || !(cap->convertToDouble() > 0))) // (C8)
    return emitOpError("expected 'softcap' to be positive and finite");
  return success();
}
