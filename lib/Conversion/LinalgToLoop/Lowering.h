//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pattern families of the conversion, and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LINALGTOLOOP_LOWERING_H
#define COIL_LIB_CONVERSION_LINALGTOLOOP_LOWERING_H

#include "coil/Conversion/LinalgToLoop/Combiner.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace coil::bridge {

/// The run of the conversion on a function: what could not be converted.
class Failures {
public:
  /// Reports at `op` why it is not converted, once for each operation.
  mlir::LogicalResult report(mlir::Operation *op, const llvm::Twine &reason);
  bool any() const { return !reported.empty(); }

private:
  llvm::DenseSet<mlir::Operation *> reported;
};

/// A pattern of the conversion.
template <typename Op>
struct Lowering : mlir::OpRewritePattern<Op> {
  Lowering(mlir::MLIRContext *context, Failures &failures)
      : mlir::OpRewritePattern<Op>(context), failures(failures) {}
  Failures &failures;
};

/// Sizes of a tensor; `Loop` has none that are unknown.
llvm::SmallVector<sym::ExprAttr> getSizes(mlir::Value tensor);

/// What an integer outside of kernels is in terms of sizes; null if it is not.
sym::ExprAttr getExpr(mlir::OpFoldResult value, mlir::Operation *at);

/// What loop kernels compute with: elements and scalars of these types.
bool isElementType(mlir::Type type);
/// Fails where a tensor among operands and results has no rank, elements that
/// kernels do not compute with, or a size without an expression. Elements of
/// operands may be positions, `index`, with `mayReadIndices`.
mlir::LogicalResult checkTensors(mlir::Operation *op, Failures &failures,
                                 bool mayReadIndices = false);

/// Builds a kernel whose operands are found while its body is written.
class KernelWriter {
public:
  KernelWriter(mlir::RewriterBase &rewriter, mlir::Operation *source,
               llvm::StringRef name, llvm::ArrayRef<sym::ExprAttr> dims,
               mlir::TypeRange outputs, Failures &failures);

  /// The element of `tensor` at `indices`.
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<sym::ExprAttr> indices);
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<sym::ExprAttr> indices,
                   mlir::Value mask, mlir::Value other);
  /// The element at `indices`, where `t0`, `t1`, ... are `args`; a value of
  /// these that is out of range is an error of the run.
  mlir::Value loadChecked(mlir::Value tensor,
                          llvm::ArrayRef<sym::ExprAttr> indices,
                          mlir::ValueRange args);
  void store(mlir::Value v, unsigned output,
             llvm::ArrayRef<sym::ExprAttr> indices);
  mlir::Value index(sym::ExprAttr expr);
  mlir::Value constant(mlir::TypedAttr value);
  /// Whether `0 <= index < size`; null where that always holds.
  mlir::Value inRange(sym::ExprAttr index, sym::ExprAttr size);
  mlir::Value conjunction(mlir::Value x, mlir::Value y);

  /// The scalar `v` of the source inside of the kernel: an element of a tensor,
  /// a number of sizes, or arithmetic on these, cloned. Null, and reported,
  /// where it is none of these. `leaf` maps what the source binds.
  mlir::Value get(mlir::Value v);
  /// The same before it was rounded to `f16` or `bf16`, as an `f32`.
  mlir::Value getWide(mlir::Value v);
  /// The position that the integer `v` is; null where it depends on elements.
  sym::ExprAttr getPosition(mlir::Value v);

  void map(mlir::Value from, mlir::Value to) { values[from] = to; }
  /// Position number `i` of the source's loops.
  void mapPosition(mlir::Value from, sym::ExprAttr to) { positions[from] = to; }

  const sym::Context &getContext() const { return context; }
  mlir::LogicalResult fail(const llvm::Twine &reason) {
    return failures.report(source, reason);
  }

  mlir::ImplicitLocOpBuilder b;
  loop::KernelOp kernel;

private:
  mlir::BlockArgument input(mlir::Value tensor);
  mlir::Value emit(mlir::Operation *op);
  mlir::Value emitExtract(mlir::Operation *op);
  mlir::Value emitCast(mlir::Operation *op);
  mlir::Value emitAffine(mlir::AffineExpr expr, unsigned numDims,
                         mlir::ValueRange operands);

  mlir::OpBuilder::InsertionGuard guard;
  mlir::Operation *source;
  Failures &failures;
  sym::Context context;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, sym::ExprAttr> positions;
  /// Of rounded values what they were before.
  llvm::DenseMap<mlir::Value, mlir::Value> wide;
};

/// `value` in the type that arithmetic of kernels has: `f16` and `bf16` become
/// `f32`.
mlir::Value extend(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
/// `value` rounded to `type`, if it is wider.
mlir::Value round(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  mlir::Type type);

/// What reports call a scalar operation: `addf` and `addi` are both "add".
llvm::StringRef getPlainName(mlir::Operation *op);

/// The loops of an operation as a space, and how operands are walked.
struct Space {
  llvm::SmallVector<sym::ExprAttr> extents;
  /// For each operand, where a point reads or writes it.
  llvm::SmallVector<llvm::SmallVector<sym::ExprAttr>> indices;
};

/// Loops have the size of a result along them, else of an operand. Where
/// operands disagree in form, the program says that they do not in value.
mlir::FailureOr<Space> getSpace(mlir::linalg::LinalgOp op, mlir::OpBuilder &b,
                                Failures &failures);

/// Fails where operands have no form in a kernel.
mlir::LogicalResult checkOperands(mlir::linalg::LinalgOp op,
                                  Failures &failures);

/// The reduction of `combiner` over `dims`, combined with `init` (null: none)
/// and rounded to the scalar type `type`. Null, and reported, where it has no
/// form.
mlir::Value buildReduction(KernelWriter &k, const Combiner &combiner,
                           llvm::ArrayRef<int64_t> dims, mlir::Value init,
                           bool initMayBeNaN, mlir::Type type);

void populateArgReductionToLoopPatterns(mlir::RewritePatternSet &patterns,
                                        Failures &failures);
void populateStructuredToLoopPatterns(mlir::RewritePatternSet &patterns,
                                      Failures &failures);
void populateTensorViewToLoopPatterns(mlir::RewritePatternSet &patterns,
                                      Failures &failures);
void populateTensorDataToLoopPatterns(mlir::RewritePatternSet &patterns,
                                      Failures &failures);
void populateElementwiseToLoopPatterns(mlir::RewritePatternSet &patterns,
                                       Failures &failures);

} // namespace coil::bridge

#endif // COIL_LIB_CONVERSION_LINALGTOLOOP_LOWERING_H
