//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and builders of operators that move elements or create tensors.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  sym::ExprAttr from = sym::getNumElements(getInput().getType());
  sym::ExprAttr to = sym::getNumElements(getType());
  if (provablyDiffer(from, to)) // (C1)
    return emitOpError() << "cannot read '" << from.str() << "' elements as '"
                         << to.str() << "'";
  return success();
}

void PermuteOp::build(OpBuilder &builder, OperationState &state, Value input,
                      ArrayRef<int64_t> permutation) {
  FailureOr<Sizes> sizes = inferPermute(getSizes(input), permutation);
  // When inference fails, the verifier says why.
  build(builder, state,
        sym::getTensorType(succeeded(sizes) ? *sizes : getSizes(input),
                           getElementType(input)),
        input, permutation);
}

LogicalResult PermuteOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<Sizes> sizes =
      inferPermute(getSizes(getInput()), getPermutation(), emitError);
  if (failed(sizes)) // (C1)
    return failure();
  return verifySizes(getType(), *sizes, emitError); // (C2)
}

LogicalResult BroadcastOp::verify() {
  return verifyBroadcast(getSizes(getInput()), getSizes(getResult()), // (C1)
                         [&] { return emitOpError(); });
}

LogicalResult SliceOp::verify() {
  Sizes in = getSizes(getInput()), out = getSizes(getResult());
  size_t rank = in.size();
  if (getStarts().size() != rank || getSteps().size() != rank ||
      out.size() != rank || llvm::is_contained(getSteps(), 0)) // (C1)
    return emitOpError() << "expected " << rank
                         << " starts, steps and result sizes, no step zero";
  for (size_t i = 0; i < rank; ++i) { // (C2)
    std::optional<int64_t> size = in[i].getConstant(),
                           count = out[i].getConstant(),
                           start = getStarts()[i].getConstant();
    if (count == 0)
      continue;
    if (start && *start < 0)
      return emitOpError() << "dimension " << i << " starts at " << *start;
    if (start && size && *start >= *size)
      return emitOpError() << "dimension " << i << " starts at " << *start
                           << " of " << *size << " elements";
    if (!start || !size || !count)
      continue;
    std::optional<int64_t> last =
        sym::add(
            sym::mul(sym::constant(getContext(), *count - 1), getSteps()[i]),
            *start)
            .getConstant();
    if (!last || *last < 0 || *last >= *size)
      return emitOpError() << "reads outside the " << *size
                           << " elements of dimension " << i;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult CatOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<Sizes> inputs;
  for (Value input : getInputs())
    inputs.push_back(getSizes(input));
  FailureOr<Sizes> sizes = inferCat(inputs, getDim(), emitError);
  if (failed(sizes)) // (C1), (C2)
    return failure();
  return verifySizes(getType(), *sizes, emitError); // (C1), (C2)
}

LogicalResult PadOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<Sizes> sizes =
      inferPad(getSizes(getInput()), getLow(), getHigh(), emitError);
  if (failed(sizes)) // (C1)
    return failure();
  for (auto [d, size, low, high] : llvm::enumerate(*sizes, getLow(), getHigh()))
    if (size.isConstant() && size.getValue() < 0) // (C2)
      return emitOpError() << "crops " << -(low + high) << " of "
                           << size.getValue() - low - high
                           << " elements of dimension " << d;
  if (failed(verifySizes(getType(), *sizes, emitError))) // (C2)
    return failure();
  Type type = graph::getElementType(getResult());
  if (graph::getElementType(getInput()) != type ||
      getValue().getType() != type) // (C3)
    return emitOpError() << "expected operand and value of element type "
                         << type;
  return success();
}

LogicalResult GatherOp::verify() {
  Sizes input = getSizes(getInput()), index = getSizes(getIndex());
  if (input.size() != index.size() || getDim() >= input.size()) // (C1)
    return emitOpError() << "expected operand and index of one rank above "
                         << static_cast<int64_t>(getDim());
  for (auto [d, from, to] : llvm::enumerate(input, index))
    if (d != getDim() && from.isConstant() && to.isConstant() &&
        to.getValue() > from.getValue()) // (C3)
      return emitOpError() << "reads " << to.getValue()
                           << " elements of dimension " << d << " of size "
                           << from.getValue();
  if (graph::getElementType(getInput()) !=
      graph::getElementType(getResult())) // (C2)
    return emitOpError() << "expected a result with elements of type "
                         << graph::getElementType(getInput());
  return verifySizes(getType(), index, [&] { return emitOpError(); }); // (C2)
}

LogicalResult IndexOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<Sizes> indices;
  for (Value index : getIndices())
    indices.push_back(getSizes(index));
  FailureOr<Sizes> sizes =
      inferIndex(getSizes(getInput()), indices, getDims(), emitError);
  if (failed(sizes)) // (C1), (C2)
    return failure();
  if (graph::getElementType(getInput()) !=
      graph::getElementType(getResult())) // (C3)
    return emitOpError() << "expected a result with elements of type "
                         << graph::getElementType(getInput());
  return verifySizes(getType(), *sizes, emitError); // (C3)
}

/// (C4) of the ops that write at positions.
static LogicalResult
verifyWriteKind(Operation *op, std::optional<ReduceKind> kind, Type type) {
  if (!kind || isReducible(*kind, type))
    return success();
  return op->emitOpError() << "cannot combine elements of type " << type
                           << " by '" << stringifyReduceKind(*kind) << "'";
}

LogicalResult ScatterOp::verify() {
  Sizes input = getSizes(getInput()), index = getSizes(getIndex()),
        source = getSizes(getSource());
  if (input.size() != index.size() || input.size() != source.size() ||
      getDim() >= input.size()) // (C1)
    return emitOpError()
           << "expected operand, index and source of one rank above "
           << static_cast<int64_t>(getDim());
  Type type = graph::getElementType(getInput());
  if (getType() != getInput().getType() ||
      graph::getElementType(getSource()) != type) // (C2)
    return emitOpError() << "expected a result of type " << getInput().getType()
                         << " and a source with its elements";
  auto exceeds = [](sym::ExprAttr a, sym::ExprAttr b) {
    return a.isConstant() && b.isConstant() && a.getValue() > b.getValue();
  };
  for (auto [d, to, at, from] : llvm::enumerate(input, index, source))
    if (exceeds(at, from) || (d != getDim() && exceeds(at, to))) // (C3)
      return emitOpError() << "writes " << at.getValue()
                           << " elements along dimension " << d
                           << ", where the source has " << from.str()
                           << " and the operand " << to.str();
  return verifyWriteKind(*this, getKind(), type); // (C4)
}

LogicalResult IndexPutOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<Sizes> indices;
  for (Value index : getIndices())
    indices.push_back(getSizes(index));
  FailureOr<Sizes> sizes =
      inferIndex(getSizes(getInput()), indices, getDims(), emitError);
  if (failed(sizes)) // (C1), (C2)
    return failure();
  Type type = graph::getElementType(getInput());
  if (getType() != getInput().getType() ||
      graph::getElementType(getValues()) != type) // (C3)
    return emitOpError() << "expected a result of type " << getInput().getType()
                         << " and values with its elements";
  if (failed(verifySizes(getValues().getType(), *sizes, emitError))) // (C3)
    return failure();
  return verifyWriteKind(*this, getKind(), type); // (C4)
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType() != getType()) // (C1)
    return emitOpError() << "value has type " << getValue().getShapedType()
                         << " but the result has " << getType();
  return success();
}

LogicalResult FullOp::verify() {
  if (getValue().getType() != graph::getElementType(getResult())) // (C1)
    return emitOpError() << "value has type " << getValue().getType()
                         << " but the elements have "
                         << graph::getElementType(getResult());
  return success();
}

LogicalResult IotaOp::verify() {
  if (getDim() >= static_cast<uint64_t>(getType().getRank())) // (C1)
    return emitOpError() << "dimension " << static_cast<int64_t>(getDim())
                         << " is outside rank " << getType().getRank();
  Type expected = isa<FloatType>(graph::getElementType(getResult()))
                      ? Type(Float64Type::get(getContext()))
                      : Type(IntegerType::get(getContext(), 64));
  if (getStart().getType() != expected || getStep().getType() != expected)
    return emitOpError() << "expected start and step of type " << expected
                         << " but got " << getStart().getType() << " and "
                         << getStep().getType(); // (C2)
  return success();
}

static LogicalResult verifySymbolsOnly(Operation *op, sym::ExprAttr expr) {
  bool symbolsOnly = true;
  sym::walkLeaves(expr,
                  [&](sym::ExprAttr leaf) { symbolsOnly &= leaf.isSymbol(); });
  if (symbolsOnly)
    return success();
  return op->emitOpError() << "expression '" << expr.str()
                           << "' mentions a dimension or an indirect index";
}

LogicalResult ExprOp::verify() {
  if (failed(verifySymbolsOnly(*this, getExpr()))) // (C1)
    return failure();
  if (getType().getRank() != 0) // (C2)
    return emitOpError() << "expected a result of rank zero but got rank "
                         << getType().getRank();
  return success();
}

//===----------------------------------------------------------------------===//
// RandomBitsOp
//===----------------------------------------------------------------------===//

/// Threads of a block of the framework's kernels.
static constexpr int64_t kRandomThreads = 256;

sym::ExprAttr RandomBitsOp::getNumThreads(sym::ExprAttr n, int64_t blocks) {
  MLIRContext *ctx = n.getContext();
  sym::ExprAttr needed = sym::ceilDiv(sym::max(n, sym::constant(ctx, 1)),
                                      sym::constant(ctx, kRandomThreads));
  return sym::mul(sym::min(needed, sym::constant(ctx, blocks)), kRandomThreads);
}

sym::ExprAttr RandomBitsOp::getNumGroups(sym::ExprAttr n, int64_t blocks) {
  return sym::ceilDiv(n, sym::mul(getNumThreads(n, blocks), 4));
}

sym::ExprAttr RandomBitsOp::getNumWords(sym::ExprAttr vector) {
  sym::ExprAttr some =
      sym::min(sym::add(vector, -1), sym::constant(vector.getContext(), 1));
  return sym::max(vector, sym::mul(some, 4));
}

LogicalResult RandomBitsOp::verify() {
  auto state = cast<RankedTensorType>(getState().getType());
  if (!state.hasStaticShape() || state.getDimSize(0) != 2)
    return emitOpError() << "expected a state of seed and offset but got "
                         << state;
  if (failed(verifySymbolsOnly(*this, getSkip())) ||
      failed(verifySymbolsOnly(*this, getVector()))) // (C1)
    return failure();
  std::optional<int64_t> vector = getVector().getConstant();
  if ((vector && *vector < 1) || static_cast<int64_t>(getBlocks()) < 1) // (C2)
    return emitOpError(
        "expected a vector of at least one element and a positive "
        "number of blocks");
  if (std::optional<int64_t> skip = getSkip().getConstant(); skip && *skip < 0)
    return emitOpError() << "cannot skip " << *skip << " groups"; // (C3)
  return success();
}
