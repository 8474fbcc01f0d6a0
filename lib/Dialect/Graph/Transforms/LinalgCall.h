//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of dense linear algebra, of real and of complex matrices: what
// their rewriting is written in, apart from the two passes that do it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_LINALGCALL_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_LINALGCALL_H

#include "ComplexCall.h"

namespace coil::graph {

/// A call of an operator of matrices while it is being rewritten. Matrices are
/// parts; those of a real call have no imaginary part. The library's functions
/// get and give matrices of `f32` and `f64`, complex ones as one tensor.
class LinalgCall {
public:
  LinalgCall(AtenOp op, TensorBuilder &b, mlir::Type type, bool isComplex,
             std::function<ComplexParts(llvm::StringRef)> getOperand)
      : op(op), b(b), type(type), isComplex(isComplex), math(b),
        getOperand(std::move(getOperand)) {}

  AtenOp op;
  TensorBuilder &b;
  mlir::Type type; ///< Of parts: `f32` or `f64`.
  bool isComplex;

  /// \name Arguments
  /// @{
  /// A matrix; null when absent.
  ComplexParts get(llvm::StringRef name) { return getOperand(name); }
  bool flag(llvm::StringRef name, bool otherwise = false);
  std::optional<double> number(llvm::StringRef name);
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise);
  /// @}

  /// \name Algebra
  /// @{
  ComplexParts zeros(SizesRef sizes);
  /// Ones on the diagonal of the last two dimensions.
  ComplexParts eye(SizesRef batch, sym::ExprAttr rows, sym::ExprAttr columns);
  ComplexParts add(ComplexParts x, ComplexParts y);
  ComplexParts sub(ComplexParts x, ComplexParts y);
  ComplexParts mul(ComplexParts x, ComplexParts y);
  /// Each element times one of a real tensor.
  ComplexParts scale(ComplexParts x, mlir::Value factor);
  ComplexParts matmul(ComplexParts x, ComplexParts y);
  ComplexParts map(ComplexParts x,
                   llvm::function_ref<mlir::Value(mlir::Value)> fn);
  ComplexParts transpose(ComplexParts x);
  /// The conjugate transpose.
  ComplexParts adjoint(ComplexParts x);
  ComplexParts diagonal(ComplexParts x);
  /// What is on and above the diagonal, or on and below; zero elsewhere.
  ComplexParts triangle(ComplexParts x, bool upper);
  mlir::Value abs(ComplexParts x) {
    return x.im ? math.abs(x) : mlir::Value(b.unary<AbsOp>(x.re));
  }
  /// Where column - row of the last two dimensions compares to a number.
  mlir::Value compareDiagonal(sym::ExprAttr rows, sym::ExprAttr columns,
                              ComparePredicate predicate);
  /// @}

  /// \name Functions of the library
  /// @{
  /// What a result is: matrices like the operands or of real numbers.
  struct Result {
    Sizes sizes;
    mlir::Type type;
    bool isComplex = false;
  };
  Result matrixResult(Sizes sizes) { return {sizes, type, isComplex}; }
  Result realResult(Sizes sizes) { return {sizes, type, false}; }
  Result intResult(Sizes sizes, unsigned width = 32) {
    return {sizes, b.getBuilder().getIntegerType(width), false};
  }
  /// Calls a function with matrices and then further arguments, and whether
  /// elements are complex.
  llvm::SmallVector<ComplexParts>
  call(llvm::StringRef name, llvm::ArrayRef<ComplexParts> operands,
       llvm::ArrayRef<mlir::Attribute> arguments,
       llvm::ArrayRef<Result> results);
  mlir::Attribute attr(bool value) { return b.getBuilder().getBoolAttr(value); }

  struct Factors {
    ComplexParts matrix;
    mlir::Value pivots, info;
  };
  /// `check` makes a singular matrix an error. Without pivots each row is its
  /// own; only libraries of GPUs can do that.
  Factors factorize(ComplexParts a, bool check, bool isPivoted = true);
  /// The X of A X = B; `transposition` is "N", "T" or "C".
  ComplexParts solve(ComplexParts factors, mlir::Value pivots, ComplexParts b,
                     llvm::StringRef transposition);
  ComplexParts inverse(ComplexParts a, bool check, mlir::Value &info);
  ComplexParts singularValues(ComplexParts a);
  struct Decomposition {
    ComplexParts u;
    mlir::Value s;
    ComplexParts vh;
  };
  Decomposition decompose(ComplexParts a, bool full);
  std::pair<mlir::Value, ComplexParts> eigenvalues(ComplexParts a, bool upper,
                                                   bool vectors);
  /// @}

  /// \name Results
  /// @{
  /// Values for the op's results: without an imaginary part where that is real.
  mlir::LogicalResult replace(llvm::ArrayRef<ComplexParts> values) {
    results.assign(values.begin(), values.end());
    return mlir::success();
  }
  mlir::LogicalResult replaceReal(mlir::Value value) {
    return replace(ComplexParts{value, nullptr});
  }
  mlir::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }
  /// @}

  llvm::SmallVector<ComplexParts> results;
  std::string reason;

private:
  ComplexMath math;
  std::function<ComplexParts(llvm::StringRef)> getOperand;
};

/// \name Sizes of a stack of matrices
/// @{
inline int64_t rankOf(ComplexParts x) { return getSizes(x.re).size(); }
inline Sizes batchOf(ComplexParts x) {
  return Sizes(SizesRef(getSizes(x.re)).drop_back(2));
}
inline sym::ExprAttr rowsOf(ComplexParts x) {
  Sizes sizes = getSizes(x.re);
  return sizes[sizes.size() - 2];
}
inline sym::ExprAttr columnsOf(ComplexParts x) { return getSizes(x.re).back(); }
inline Sizes join(SizesRef batch, llvm::ArrayRef<sym::ExprAttr> sizes) {
  Sizes result(batch);
  result.append(sizes.begin(), sizes.end());
  return result;
}
/// @}

/// A matrix operand; the call fails when it is missing or has less than two
/// dimensions.
mlir::FailureOr<ComplexParts> getMatrix(LinalgCall &c, llvm::StringRef name);
/// The first of two names that is an operand.
llvm::StringRef pick(LinalgCall &c, llvm::StringRef first,
                     llvm::StringRef second);
/// First rows (dimension 2 from behind) or columns (1) of a matrix.
ComplexParts take(LinalgCall &c, ComplexParts x, int64_t fromBehind,
                  sym::ExprAttr count);

using LinalgHandler = std::function<mlir::LogicalResult(LinalgCall &)>;

/// \name The families
/// Each calls `add(names, handler)` for its operators.
/// @{
using AddLinalg = llvm::function_ref<void(llvm::StringRef, LinalgHandler)>;
void addFactorizations(AddLinalg add);
void addMatrixValues(AddLinalg add);
/// @}

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_LINALGCALL_H
