//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas over tensors, as legalisations write them: `(x - y) * 2 + 1`. And
// the positions that windows, padding and resampling read, which are such
// formulas over integers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_TENSORMATH_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_TENSORMATH_H

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

namespace coil::graph {

/// A tensor in a formula. Numbers have the element type of the tensor beside
/// them; operands broadcast.
class Num {
public:
  Num(TensorBuilder &b, mlir::Value value) : b(&b), value(value) {}

  operator mlir::Value() const { return value; }
  /// For the time of a call.
  operator mlir::ValueRange() const { return mlir::ValueRange(value); }
  explicit operator bool() const { return bool(value); }
  mlir::Type type() const { return graph::getElementType(value); }
  /// A number of the same type.
  Num number(double v) const { return {*b, b->scalar(v, type())}; }
  Num to(mlir::Type elementType) const {
    return {*b, b->convert(value, elementType)};
  }
  template <typename OpTy>
  Num unary() const {
    return {*b, b->unary<OpTy>(value)};
  }
  template <typename OpTy>
  Num binary(Num y) const {
    return {*b, b->binary<OpTy>(value, y.value)};
  }
  Num compare(ComparePredicate predicate, Num y) const {
    return {*b, b->compare(predicate, value, y.value)};
  }
  Num reduce(ReduceKind kind, llvm::ArrayRef<int64_t> dims,
             bool keepdims = false) const {
    return {*b, b->reduce(kind, value, dims, keepdims)};
  }
  Num unsqueeze(int64_t dim) const { return {*b, b->unsqueeze(value, dim)}; }

  TensorBuilder *b;
  mlir::Value value;
};

#define COIL_NUM_OPERATOR(name, op)                                            \
  inline Num operator name(Num x, Num y) { return x.binary<op>(y); }           \
  inline Num operator name(Num x, double y) { return x name x.number(y); }     \
  inline Num operator name(double x, Num y) { return y.number(x) name y; }
COIL_NUM_OPERATOR(+, AddOp)
COIL_NUM_OPERATOR(-, SubOp)
COIL_NUM_OPERATOR(*, MulOp)
COIL_NUM_OPERATOR(/, DivOp)
#undef COIL_NUM_OPERATOR

#define COIL_NUM_COMPARISON(name, predicate)                                   \
  inline Num operator name(Num x, Num y) {                                     \
    return x.compare(ComparePredicate::predicate, y);                          \
  }                                                                            \
  inline Num operator name(Num x, double y) { return x name x.number(y); }
COIL_NUM_COMPARISON(<, Lt)
COIL_NUM_COMPARISON(<=, Le)
COIL_NUM_COMPARISON(>, Gt)
COIL_NUM_COMPARISON(>=, Ge)
COIL_NUM_COMPARISON(==, Eq)
COIL_NUM_COMPARISON(!=, Ne)
#undef COIL_NUM_COMPARISON

/// Of bools; both sides are computed.
inline Num operator&(Num x, Num y) { return x.binary<BitwiseAndOp>(y); }
inline Num operator|(Num x, Num y) { return x.binary<BitwiseOrOp>(y); }
inline Num operator!(Num x) { return x.unary<BitwiseNotOp>(); }
inline Num operator-(Num x) { return x.unary<NegOp>(); }

inline Num min(Num x, Num y) { return x.binary<MinimumOp>(y); }
inline Num min(Num x, double y) { return min(x, x.number(y)); }
inline Num max(Num x, Num y) { return x.binary<MaximumOp>(y); }
inline Num max(Num x, double y) { return max(x, x.number(y)); }
inline Num floorDiv(Num x, Num y) { return x.binary<FloorDivOp>(y); }
inline Num floorDiv(Num x, double y) { return floorDiv(x, x.number(y)); }
/// With the sign of the divisor.
inline Num mod(Num x, Num y) { return x.binary<RemainderOp>(y); }
inline Num abs(Num x) { return x.unary<AbsOp>(); }
inline Num floor(Num x) { return x.unary<FloorOp>(); }
inline Num sqrt(Num x) { return x.unary<SqrtOp>(); }
inline Num exp(Num x) { return x.unary<ExpOp>(); }
inline Num log(Num x) { return x.unary<LogOp>(); }
inline Num pow(Num x, double y) { return x.binary<PowOp>(x.number(y)); }
inline Num isNan(Num x) { return {*x.b, x.b->unary<IsNanOp>(x.value, true)}; }
inline Num select(Num condition, Num x, Num y) {
  return {*x.b, x.b->select(condition, x, y)};
}
inline Num select(Num condition, Num x, double y) {
  return select(condition, x, x.number(y));
}
inline Num select(Num condition, double x, Num y) {
  return select(condition, y.number(x), y);
}

/// Positions: tensors of `i64`.
class Positions {
public:
  explicit Positions(TensorBuilder &b) : b(b) {}

  mlir::Type type() const { return b.getBuilder().getI64Type(); }
  /// 0, 1, ..., as a vector.
  Num iota(sym::ExprAttr count) const { return {b, b.iota(0, 1, count)}; }
  /// A size as a number.
  Num size(sym::ExprAttr size) const { return {b, b.expr(size, type())}; }
  Num number(int64_t value) const {
    return {b, b.scalar(b.getBuilder().getI64IntegerAttr(value))};
  }
  /// A table of numbers that are known now.
  Num table(llvm::ArrayRef<int64_t> values) const {
    auto type = mlir::RankedTensorType::get(
        {static_cast<int64_t>(values.size())}, this->type());
    return {b,
            ConstantOp::create(b.getBuilder(), b.getLoc(),
                               mlir::DenseIntElementsAttr::get(type, values))};
  }
  /// `v`, kept in 0..size-1. Of an empty dimension it is -1.
  Num clamp(Num v, sym::ExprAttr size) const {
    return min(max(v, 0), this->size(sym::add(size, -1)));
  }

private:
  TensorBuilder &b;
};

/// Elementwise and matrix products; of bools, whether all, or any, are true.
mlir::Value multiply(TensorBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value multiplyMatrices(TensorBuilder &b, mlir::Value x, mlir::Value y,
                             mlir::Value bias = {});
/// All dimensions of a tensor.
llvm::SmallVector<int64_t> allDims(mlir::Value v);
/// A permutation of `rank` dimensions that has two of them last, in this order,
/// and the one that takes it back.
struct LastPair {
  LastPair(int64_t rank, int64_t first, int64_t second);
  llvm::SmallVector<int64_t> permutation, inverse;
};
/// The last `count` of `rank` dimensions.
llvm::SmallVector<int64_t> lastDims(int64_t rank, int64_t count);
/// The tensor as a vector.
mlir::Value flatten(TensorBuilder &b, mlir::Value v);
/// A list argument with one entry for each of `count` dimensions, symbolic or
/// not; a single entry holds for all, and `otherwise` where there is none.
std::optional<Sizes> readSpatialExprs(AtenCall &c, llvm::StringRef name,
                                      size_t count, int64_t otherwise);
/// The same, of which none is a symbol.
std::optional<llvm::SmallVector<int64_t>>
readSpatial(AtenCall &c, llvm::StringRef name, size_t count, int64_t otherwise);
/// The lowest number of an element type: minus infinity for floats.
mlir::Value lowest(TensorBuilder &b, mlir::Type elementType);
/// The tensor, with elements of `values` written or, with a kind, combined into
/// what its indices name; see `graph.index_put`.
mlir::Value putAt(TensorBuilder &b, std::optional<ReduceKind> kind,
                  mlir::Value x, mlir::ValueRange indices, mlir::Value values,
                  llvm::ArrayRef<int64_t> dims);
/// `x` with elements of `source` at positions of one dimension; see
/// `graph.scatter`.
mlir::Value scatterAlong(TensorBuilder &b, std::optional<ReduceKind> kind,
                         mlir::Value x, mlir::Value index, mlir::Value source,
                         int64_t dim);
/// Elements at positions of one dimension; see `graph.gather`.
mlir::Value gatherAlong(TensorBuilder &b, mlir::Value x, mlir::Value index,
                        int64_t dim);
/// The tensor with the elements of some dimensions in the other order.
mlir::Value flipDims(TensorBuilder &b, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims);
/// A tensor of one number.
mlir::Value filled(TensorBuilder &b, double number, mlir::Type elementType,
                   SizesRef sizes);
/// The norm of order `p` along some dimensions.
mlir::Value vectorNorm(AtenCall &c, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                       bool keepdims, double p);
/// What parts of a norm above `limit` are multiplied with, so that they have
/// that norm; one for others and, with `named`, for rows that it does not name.
mlir::Value renormFactor(TensorBuilder &b, mlir::Value norm, mlir::Value limit,
                         mlir::Value named = {});
/// The norm of order `p` of the difference of two operands and `eps`, along the
/// last dimension; null where an operand is missing or a scalar.
mlir::Value pairwiseDistance(AtenCall &c, llvm::StringRef x, llvm::StringRef y,
                             double p, double eps, bool keepdims);
/// `count` numbers from `start` to `end`, floats of rank zero, at equal
/// distances, which are rounded to `stepType` if there is one.
mlir::Value spaced(TensorBuilder &b, Num start, Num end, sym::ExprAttr count,
                   mlir::Type stepType = {});
/// How many of the first elements of `size` have a property that no element
/// behind one without it has; by bisection.
Num bisect(AtenCall &c, sym::ExprAttr size,
           llvm::function_ref<Num(Num position)> isBefore);
/// The tensor with one more position along a dimension, where it is zero.
mlir::Value appendZeros(TensorBuilder &b, mlir::Value x, int64_t dim);
/// Sums of a vector of integers: of each element and all before it.
Num prefixSums(TensorBuilder &b, Num counts);
/// The last of such sums, or zero where there is none.
Num lastSum(AtenCall &c, Num sums);

/// The elements of a mask, or of any tensor, that are not zero. `declared` is
/// the size that the framework says a result has for them, or null.
struct SelectedElements {
  /// Where they are in the tensor as a vector: `[count]`, `i64`.
  mlir::Value positions;
  sym::ExprAttr count;
  /// How many there are up to each element of the tensor as a vector.
  mlir::Value sums;
};
SelectedElements selectNonzero(AtenCall &c, mlir::Value mask,
                               sym::ExprAttr declared);
/// The index along each dimension of what is at positions of a tensor of
/// `sizes` as a vector.
llvm::SmallVector<mlir::Value> unravel(TensorBuilder &b, mlir::Value positions,
                                       SizesRef sizes);
/// The argument `indices` of `index` and `index_put`, in which a mask has
/// become an index for each of its dimensions. Fails with a reason.
struct IndexList {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> dims;
  bool hasMasks = false;
};
mlir::FailureOr<IndexList> readIndices(AtenCall &c, mlir::Value x);

/// The first and second members of all pairs of `count` things, in order.
std::pair<mlir::Value, mlir::Value> getPairs(TensorBuilder &b, int64_t count);
/// The largest (smallest) elements of the last dimension and where they first
/// are.
std::pair<mlir::Value, mlir::Value>
argReduceLast(TensorBuilder &b, ReduceKind kind, mlir::Value x);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_TENSORMATH_H
