//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for an attention, in parts: its softmax, its products, and the
// scales and masks between them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMATCHER_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMATCHER_H

#include "AttentionMatch.h"

#include "llvm/ADT/DenseSet.h"

namespace coil::graph {

/// Operators between softmax and products. Real models have some ten; more are
/// not worth the time.
constexpr unsigned kMaxSteps = 64;

inline bool isView(mlir::Operation *op) {
  return mlir::isa<ReshapeOp, PermuteOp, BroadcastOp>(op);
}
bool isFloatConvert(mlir::Operation *op);

/// A value before it was converted between float types. Roundings on the way
/// are ones that the operator does not make.
mlir::Value skipConverts(mlir::Value v);

/// The uses of a value and of what it is converted to.
void collectUses(mlir::Value v, llvm::SmallVectorImpl<mlir::OpOperand *> &uses);

/// The number that all elements of a float tensor are.
std::optional<double> getUniform(mlir::Value v);

/// The factor that a constant operand of a product or quotient is: finite and
/// not zero.
std::optional<double> getFactor(mlir::Operation *op, unsigned constant);

using AxisSet = llvm::SmallDenseSet<unsigned, 8>;

class AttentionMatcher {
public:
  AttentionMatcher(mlir::Operation *exponential, AttentionMiss &miss)
      : exponential(exponential), miss(miss), match(exponential->getContext()) {
  }

  std::optional<AttentionMatch> run();

private:
  /// A step between the first product and the softmax, from the latter inwards.
  struct Step {
    mlir::Operation *op = nullptr;
    unsigned scores = 0;
    AxisLayout layout;
  };

  bool fail(const llvm::Twine &why) {
    if (miss.why.empty())
      miss.why = why.str();
    return false;
  }

  bool matchSoftmax();
  bool findProbabilities(mlir::Value shifted);
  bool findExponentialsOfLogarithms(mlir::Value shifted);
  bool isSum(mlir::Operation *op);
  bool isRowOf(mlir::OpOperand &operand, const AxisLayout &layout,
               ReduceKind kind, mlir::Value reduced);
  bool isReciprocalOfSum(mlir::OpOperand &operand);
  void acceptEmptyRows();
  bool findSecondProduct();
  bool placeSecondProduct(MatmulOp product, mlir::OpOperand &use,
                          const AxisLayout &layout);
  bool divideLater();
  bool findScores(mlir::Value v, const AxisLayout &layout,
                  llvm::SmallVectorImpl<Step> &steps);
  bool placeFirstProduct(MatmulOp product, const AxisLayout &layout);
  bool readSteps(llvm::ArrayRef<Step> steps);
  void multiply(double factor);
  bool readFactor(const Step &step, mlir::OpOperand &other);
  bool readMask(const Step &step, mlir::OpOperand &other);
  bool readSelect(const Step &step);
  void hideByAddition(MaskStep &mask, bool allowsFinite);
  void stripOperand(PlacedValue &operand, mlir::Type type, bool scales);
  bool narrowTypes();
  bool chooseTypes();
  bool isSelfContained();
  void chooseRoles();
  bool isNear();

  AxisSet setOf(const AxisLayout &layout) {
    llvm::SmallVector<unsigned> axes = match.axes.flatten(layout);
    return AxisSet(axes.begin(), axes.end());
  }
  AxisSet setOf(llvm::ArrayRef<unsigned> dim) {
    llvm::SmallVector<unsigned> axes = match.axes.expand(dim);
    return AxisSet(axes.begin(), axes.end());
  }

  mlir::Operation *exponential;
  AttentionMiss &miss;
  AttentionMatch match;

  /// Scores, their layout, and the dimensions of the softmax.
  mlir::Value scores;
  AxisLayout layout;
  llvm::SmallVector<int64_t> dims;
  mlir::Value probabilities;
  MatmulOp firstProduct;
  /// Whether the sum of exponentials divides behind the second product.
  bool isDividedLater = false;
  /// Element types of the operands of the products.
  mlir::Type firstType, secondType;
  unsigned visited = 0;
};

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMATCHER_H
