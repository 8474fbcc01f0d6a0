//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the bytes and the operations of a kernel.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Cost.h"

#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using llvm::SmallBitVector;
using sym::ExprAttr;

/// Operations on one value, and on one sample of several.
static constexpr int64_t kMomentsOfValue = 4, kMomentsOfSample = 8;

ExprAttr coil::loop::getStoredElements(MLIRContext *context,
                                       ArrayRef<ExprAttr> sizes,
                                       ArrayRef<ExprAttr> strides) {
  ExprAttr result = sym::constant(context, 1);
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    if (!stride.isConstant(0))
      result = sym::mul(result, size);
  return result;
}

ExprAttr coil::loop::getSmaller(const sym::Context &facts, ExprAttr a,
                                ExprAttr b) {
  if (facts.isLessOrEqual(a, b))
    return a;
  return facts.isLessOrEqual(b, a) ? b : sym::min(a, b);
}

namespace {
class CostModel {
public:
  explicit CostModel(KernelOp kernel)
      : kernel(kernel), context(kernel.getContext()), dependence(kernel),
        facts(sym::Context::forOp(kernel)) {}

  ExprAttr getReadBytes(unsigned input, sym::ShapeAttr strides);
  ExprAttr getWrittenBytes(unsigned output);
  /// Operations of one op for each point, and the points.
  std::pair<int64_t, ExprAttr> getFlops(Operation &op);
  /// Whether a sum of products is a product of matrices of 16-bit floats.
  bool isMatrixProduct(ReduceOp sum);

private:
  ExprAttr count(const SmallBitVector &dims) {
    ExprAttr result = sym::constant(context, 1);
    for (unsigned d : dims.set_bits())
      result = sym::mul(result, kernel.getExtent(d));
    return result;
  }
  SmallBitVector getAddressDims(ArrayRef<ExprAttr> indices, ValueRange args,
                                ArrayRef<ExprAttr> strides);
  int64_t getElementBytes(Type tensor) {
    Type element = cast<RankedTensorType>(tensor).getElementType();
    return (element.getIntOrFloatBitWidth() + 7) / 8;
  }

  KernelOp kernel;
  MLIRContext *context;
  DimDependence dependence;
  sym::Context facts;
};
} // namespace

/// The dimensions that an address varies over; a stride of zero keeps it where
/// it is. `strides` may be empty.
SmallBitVector CostModel::getAddressDims(ArrayRef<ExprAttr> indices,
                                         ValueRange args,
                                         ArrayRef<ExprAttr> strides) {
  SmallBitVector dims(kernel.getNumDims());
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (!strides.empty() && strides[i].isConstant(0))
      continue;
    dims |= dependence.of(index);
    for (auto [j, arg] : llvm::enumerate(args))
      if (sym::mentions(index, sym::arg(context, static_cast<unsigned>(j))))
        dims |= dependence[arg];
  }
  return dims;
}

ExprAttr CostModel::getReadBytes(unsigned input, sym::ShapeAttr strides) {
  BlockArgument source = kernel.getBlock()->getArgument(input);
  auto type = cast<RankedTensorType>(source.getType());
  // Loads that differ in nothing but their mask read the same elements.
  using Address = std::pair<Attribute, SmallVector<Value>>;
  SmallVector<Address> seen;
  ExprAttr elements = sym::constant(context, 0);
  for (auto load : kernel.getBlock()->getOps<LoadOp>()) {
    if (load.getSource() != source)
      continue;
    Address address = {load.getIndicesAttr(), llvm::to_vector(load.getArgs())};
    if (llvm::is_contained(seen, address))
      continue;
    seen.push_back(address);
    elements = sym::add(
        elements, count(getAddressDims(load.getIndices().getDims(),
                                       load.getArgs(), strides.getDims())));
  }
  // Ranges are not known; taken together they have each place once.
  for (auto sum : kernel.getBlock()->getOps<SegmentSumOp>()) {
    Address address;
    ExprAttr read = sum.getNumPlaces();
    if (sum.getSource() == source) {
      address.first = sum.getIndicesAttr();
      read = sym::mul(read, count(getAddressDims(sum.getIndices().getDims(), {},
                                                 strides.getDims())));
    } else if (sum.getPositions() != source) {
      continue;
    }
    if (llvm::is_contained(seen, address))
      continue;
    seen.push_back(address);
    elements = sym::add(elements, read);
  }
  ExprAttr stored =
      getStoredElements(context, sym::getSizes(type), strides.getDims());
  return sym::mul(getSmaller(facts, elements, stored), getElementBytes(type));
}

ExprAttr CostModel::getWrittenBytes(unsigned output) {
  auto type = cast<RankedTensorType>(kernel.getResult(output).getType());
  ExprAttr elements = sym::getNumElements(type);
  for (auto scatter : kernel.getBlock()->getOps<ScatterOp>()) {
    if (scatter.getOutput() != output)
      continue;
    SmallBitVector dims =
        getAddressDims(scatter.getIndices().getDims(), scatter.getArgs(), {});
    elements = getSmaller(facts, count(dims), elements);
    if (scatter.getKind())
      elements = sym::mul(elements, 2);
  }
  return sym::mul(elements, getElementBytes(type));
}

std::pair<int64_t, ExprAttr> CostModel::getFlops(Operation &op) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  auto overDims = [&](Value value) {
    SmallBitVector dims = dependence[value];
    for (int64_t d : cast<OverDimsOpInterface>(op).getDims())
      dims.set(static_cast<unsigned>(d));
    return count(dims);
  };
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    if (!scatter.getKind() || !isFloat(scatter.getValue().getType()))
      return {0, {}};
    SmallBitVector dims =
        getAddressDims(scatter.getIndices().getDims(), scatter.getArgs(), {});
    dims |= dependence[scatter.getValue()];
    return {1, count(dims)};
  }
  if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
    bool counts = isFloat(accumulate.getValue().getType());
    return {counts, count(SmallBitVector(kernel.getNumDims(), true))};
  }
  if (op.getNumResults() == 0 || !isFloat(op.getResult(0).getType()))
    return {0, {}};
  if (auto moments = dyn_cast<WelfordOp>(op)) {
    SmallBitVector dims = dependence[moments.getMean()];
    dims |= dependence[moments.getM2()];
    dims |= dependence[moments.getCount()];
    for (int64_t d : moments.getDims())
      dims.set(static_cast<unsigned>(d));
    return {moments.isOfOne() ? kMomentsOfValue : kMomentsOfSample,
            count(dims)};
  }
  if (isa<ReduceOp, ArgReduceOp, ScanOp, ArgScanOp>(op))
    return {1, overDims(op.getOperand(0))};
  if (auto sum = dyn_cast<SegmentSumOp>(op))
    return {1, sym::mul(sum.getNumPlaces(),
                        count(dependence.of(sum.getIndices().getDims())))};
  int64_t each = 0;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::RemFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, SpecialOp>(op))
    each = 1;
  else if (isa<math::MathDialect>(op.getDialect()))
    each = isa<math::FmaOp>(op) ? 2 : 1;
  return {each, each ? count(dependence[op.getResult(0)]) : ExprAttr()};
}

bool CostModel::isMatrixProduct(ReduceOp sum) {
  auto product = sum.getValue().getDefiningOp<arith::MulFOp>();
  if (sum.getKind() != ReduceKind::Sum || !product)
    return false;
  for (Value factor : product->getOperands()) {
    auto widened = factor.getDefiningOp<arith::ExtFOp>();
    if (!factor.getType().isF16() && !factor.getType().isBF16() &&
        (!widened || widened.getIn().getType().getIntOrFloatBitWidth() != 16))
      return false;
  }
  // Each has rows or columns that the other knows nothing of.
  const SmallBitVector &a = dependence[product.getLhs()],
                       &b = dependence[product.getRhs()];
  return a.test(b) && b.test(a);
}

Cost coil::loop::computeCost(KernelOp kernel,
                             ArrayRef<sym::ShapeAttr> inputStrides) {
  CostModel model(kernel);
  Cost cost;
  for (auto [i, strides] : llvm::enumerate(inputStrides))
    cost.inputBytes.push_back(
        model.getReadBytes(static_cast<unsigned>(i), strides));
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    cost.outputBytes.push_back(model.getWrittenBytes(i));
  cost.flops = cost.matrixFlops = sym::constant(kernel.getContext(), 0);
  for (Operation &op : *kernel.getBlock()) {
    auto [each, points] = model.getFlops(op);
    if (each == 0)
      continue;
    cost.flops = sym::add(cost.flops, sym::mul(points, each));
    if (auto sum = dyn_cast<ReduceOp>(op); sum && model.isMatrixProduct(sum))
      cost.matrixFlops = sym::add(cost.matrixFlops, sym::mul(points, 2));
  }
  return cost;
}
