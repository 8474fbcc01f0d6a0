//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of tensors as lists of axes, which views regroup and reorder.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_AXES_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_AXES_H

#include "coil/Dialect/Graph/IR/TensorBuilder.h"

#include <optional>

namespace coil::graph {

/// The axes of each dimension, outermost first. A dimension of one element, or
/// one along which a tensor does not vary, has none.
using AxisLayout = llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 5>;

/// The axes of one computation. Tensors that views separate are tensors over
/// the same axes, so that what they share is seen whatever their shapes are.
/// Where a reshape cuts through a dimension its axis is split in two; layouts
/// from before stay valid, as `expand` replaces an axis by its parts.
///
///   x : [b, h, l, s]                  dims {0} {1} {2} {3}
///   reshape x : [b * h, l, s]         dims {0, 1} {2} {3}
///   permute of it [1, 0, 2]           dims {2} {0, 1} {3}
class Axes {
public:
  explicit Axes(mlir::MLIRContext *context) : context(context) {}

  /// An axis of its own for each dimension that has several elements.
  AxisLayout addDims(SizesRef sizes);
  unsigned add(sym::ExprAttr size);

  AxisLayout expand(const AxisLayout &layout) const;
  llvm::SmallVector<unsigned> expand(llvm::ArrayRef<unsigned> axes) const;
  /// All axes of a layout, in order.
  llvm::SmallVector<unsigned> flatten(const AxisLayout &layout) const;
  sym::ExprAttr getSize(unsigned axis) const { return nodes[axis].size; }
  sym::ExprAttr getSize(llvm::ArrayRef<unsigned> axes) const;

  /// Whether the dimensions of a value of `sizes` are recognisably as long as
  /// their axes.
  bool fits(const AxisLayout &layout, SizesRef sizes) const;

  /// The layout of the other side of a reshape. Nothing where the dimensions
  /// are not products of common factors.
  std::optional<AxisLayout> regroup(const AxisLayout &layout, SizesRef sizes);
  /// The layout of an operand that broadcasts to a tensor.
  static AxisLayout narrow(const AxisLayout &layout, SizesRef operand);
  /// The layout of the operand of a reshape, permutation, broadcast or
  /// elementwise operator, from that of its result.
  std::optional<AxisLayout> toOperand(const AxisLayout &result,
                                      mlir::OpOperand &operand);
  /// The layout of the result of a reshape, permutation, conversion or
  /// broadcast without new elements.
  std::optional<AxisLayout> toResult(const AxisLayout &operand,
                                     mlir::Operation *op);

  /// The value of layout `from` with the dimensions of `to`, by views. Along
  /// axes that it does not have it is repeated where they share a dimension
  /// with one that it has, or everywhere if `isFull`; else such a dimension has
  /// one element.
  mlir::Value relayout(TensorBuilder &b, mlir::Value value,
                       const AxisLayout &from, const AxisLayout &to,
                       bool isFull) const;

private:
  struct Node {
    sym::ExprAttr size;
    /// The two parts of one that was split, else zero.
    unsigned outer = 0, inner = 0;
  };
  void expandInto(unsigned axis, llvm::SmallVectorImpl<unsigned> &out) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<Node> nodes;
};

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_AXES_H
