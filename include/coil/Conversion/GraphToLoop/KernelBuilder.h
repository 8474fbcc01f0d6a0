//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowerings of operators to loop kernels from outside of Coil, and the builder
// that lowerings share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GRAPHTOLOOP_KERNELBUILDER_H
#define COIL_CONVERSION_GRAPHTOLOOP_KERNELBUILDER_H

#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace coil {

/// Has `populate` add patterns to `convert-graph-to-loop` whenever it runs,
/// after Coil's own; patterns of a higher benefit than one are tried before
/// Coil's. A second registration under a name is an error
/// (`checkRegistrations`). Elementwise operators need no pattern: they
/// implement `graph::ElementwiseOpInterface`.
void registerGraphToLoopPatterns(
    llvm::StringRef name,
    std::function<void(mlir::RewritePatternSet &)> populate);

/// Builds a kernel: opens its body on construction, leaves it on destruction.
class KernelBuilder {
public:
  KernelBuilder(mlir::RewriterBase &rewriter, mlir::Location loc,
                llvm::StringRef name, llvm::ArrayRef<sym::ExprAttr> dims,
                mlir::ValueRange inputs, mlir::TypeRange outputs)
      : b(loc, rewriter), guard(b) {
    kernel = loop::KernelOp::create(b, name, dims, inputs, outputs);
    b.setInsertionPointToStart(kernel.getBlock());
  }

  /// `d0, d1, ...`, `n` of them from `first` on.
  llvm::SmallVector<sym::ExprAttr> dims(unsigned n, unsigned first = 0) {
    llvm::SmallVector<sym::ExprAttr> result;
    for (unsigned i = 0; i < n; ++i)
      result.push_back(sym::dim(b.getContext(), first + i));
    return result;
  }
  /// The element of input `i` at `indices`.
  mlir::Value load(unsigned i, llvm::ArrayRef<sym::ExprAttr> indices) {
    return loop::LoadOp::create(b, kernel.getBody().getArgument(i), indices);
  }
  /// The element of input `i` at `indices` where `mask` holds (always, if
  /// null), else `other`.
  mlir::Value load(unsigned i, llvm::ArrayRef<sym::ExprAttr> indices,
                   mlir::Value mask, mlir::Value other) {
    if (!mask)
      return load(i, indices);
    return loop::LoadOp::create(b, kernel.getBody().getArgument(i), indices,
                                mlir::ValueRange(), mask, other,
                                loop::BoundsPolicy::Trusted);
  }
  void store(mlir::Value v, unsigned output,
             llvm::ArrayRef<sym::ExprAttr> indices) {
    loop::StoreOp::create(b, v, output,
                          sym::ShapeAttr::get(b.getContext(), indices));
  }
  /// A scalar constant of (signless) type `type`.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::TypedAttr value);
  /// Whether `0 <= index < size`, or null when that always holds. `extents`
  /// are the kernel's.
  mlir::Value inRange(sym::ExprAttr index, sym::ExprAttr size,
                      const sym::Context &context);
  mlir::Value conjunction(mlir::Value x, mlir::Value y);
  /// Narrower floats become f32, everything else stays.
  mlir::Value toCompute(mlir::Value v);
  /// A term of a contraction: it may be rounded with the addition to the sum,
  /// as in every library of matrix multiplications.
  mlir::Value productToSum(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y,
                                       mlir::arith::FastMathFlags::contract);
  }
  mlir::Value fromCompute(mlir::Value v, mlir::Type scalar);

  mlir::ImplicitLocOpBuilder b;
  loop::KernelOp kernel;

private:
  mlir::OpBuilder::InsertionGuard guard;
};

/// What is known about symbols at `op` and about dimensions of these extents.
sym::Context getContext(mlir::Operation *op,
                        llvm::ArrayRef<sym::ExprAttr> extents);

/// The scalar type of a tensor's elements.
mlir::Type getScalarType(mlir::Value tensor);

using graph::getSizes;

} // namespace coil

#endif // COIL_CONVERSION_GRAPHTOLOOP_KERNELBUILDER_H
