//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the gradients of bags of rows of a table (embedding_bag).
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The framework's number of the mode in which a bag is its largest elements.
static constexpr int64_t kMax = 2, kMean = 1;

/// Whether elements of bags are not the row of padding; null without padding.
static std::optional<Num> isCounted(AtenCall &c, Value indices) {
  int64_t padding = c.intOr("padding_idx", -1);
  if (padding < 0)
    return std::nullopt;
  Positions p(c.b);
  return Num(c.b, c.b.convert(indices, p.type())) !=
         static_cast<double>(padding);
}

/// Of bags that are their largest elements: each feature of the row that it was
/// taken from.
static Value ofMaximum(AtenCall &c, Num grad, Value positions, Num bagSize) {
  TensorBuilder &b = c.b;
  Sizes sizes = c.resultSizes();
  Value index = toIndex(b, positions);
  Num rows = select(bagSize.unsqueeze(1) == 0, 0, grad);
  return scatterAlong(b, ReduceKind::Sum, filled(b, 0, grad.type(), sizes),
                      index, rows, 0);
}

/// The bag of each element, from where bags begin.
static Num findBags(AtenCall &c, Value offsets, ExprAttr count, ExprAttr bags) {
  TensorBuilder &b = c.b;
  Positions p(b);
  Num element = p.iota(count);
  Num begins(b, b.slice(b.convert(offsets, p.type()), 0, b.size(0), bags));
  Num bag = bisect(c, bags,
                   [&](Num position) -> Num {
                     Value at = b.broadcast(position, count);
                     return Num(b, b.index(begins, at, 0)) <= element;
                   }) -
            1;
  return {b, b.broadcast(p.clamp(bag, bags), count)};
}

static LogicalResult legalizeDense(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad", type), indices = c.tensor("indices"),
        bags = c.tensor("offset2bag"), bagSize = c.tensor("bag_size");
  int64_t mode = c.intOr("mode", 0);
  Sizes sizes = c.resultSizes();
  if (!grad || !indices || !bags || !bagSize || getRank(grad) != 2 ||
      getRank(indices) != 1 || getRank(bags) != 1 || sizes.size() != 2)
    return c.fail("its operands have other ranks");
  Num g(b, grad), size(b, b.castSizes(bagSize, getSizes(grad)[0]));
  if (mode == kMax) {
    Value positions = c.tensor("maximum_indices");
    if (!positions || getRank(positions) != 2)
      return c.fail("the positions of its maxima are missing");
    return c.replace(ofMaximum(c, g, positions, size));
  }
  ExprAttr count = getSizes(indices)[0];
  if (count.isConstant(0))
    return c.replace(filled(b, 0, type, sizes));
  // The forward operator leaves the bags of elements out where it has no need
  // of them.
  bool isLeftOut = hasNoElements(bags);
  Value offsets = c.tensor("offsets");
  if (isLeftOut && !offsets)
    return c.fail("the bags of its elements are missing");
  Value bag = isLeftOut ? Value(findBags(c, offsets, count, getSizes(grad)[0]))
                        : toIndex(b, b.castSizes(bags, count));
  Value index = toIndex(b, indices);
  Num rows(b, b.index(grad, bag, 0));
  if (Value samples = c.operand("per_sample_weights", type))
    rows = rows * Num(b, b.castSizes(samples, count)).unsqueeze(1);
  std::optional<Num> counted = isCounted(c, indices);
  if (c.boolOr("scale_grad_by_freq", false)) {
    Value ones = b.broadcast(b.scalar(1, type), count);
    Value times =
        putAt(b, ReduceKind::Sum, filled(b, 0, type, sizes[0]), index, ones, 0);
    rows = rows / Num(b, b.index(times, index, 0)).unsqueeze(1);
  }
  if (mode == kMean)
    rows = rows / Num(b, b.index(size, bag, 0)).to(type).unsqueeze(1);
  if (counted)
    rows = select(counted->unsqueeze(1), rows, 0);
  return c.replace(
      putAt(b, ReduceKind::Sum, filled(b, 0, type, sizes), index, rows, 0));
}

/// _embedding_bag_per_sample_weights_backward: the product of each row with the
/// gradient of its bag. Whether an element's bag was kept depends on how the
/// framework computed the forward pass, so that it is found anew.
static LogicalResult legalizePerSampleWeights(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad", type), weight = c.operand("weight", type),
        indices = c.tensor("indices"), offsets = c.tensor("offsets");
  if (!grad || !weight || !indices || !offsets || getRank(grad) != 2 ||
      getRank(weight) != 2 || getRank(indices) != 1 || getRank(offsets) != 1)
    return c.fail("its operands have other ranks");
  ExprAttr count = getSizes(indices)[0], bags = getSizes(grad)[0];
  Value at = findBags(c, offsets, count, bags);
  Num row(b, b.index(weight, toIndex(b, indices), 0));
  Num result = (Num(b, b.index(grad, at, 0)) * row).reduce(ReduceKind::Sum, 1);
  if (std::optional<Num> counted = isCounted(c, indices))
    result = select(*counted, result, 0);
  return c.replace(result);
}

void graph::populateEmbeddingBackwardLegalizations(AtenLegalizations &t) {
  t.add("_embedding_bag_dense_backward _embedding_bag_backward", legalizeDense);
  t.add("_embedding_bag_per_sample_weights_backward", legalizePerSampleWeights);
}
