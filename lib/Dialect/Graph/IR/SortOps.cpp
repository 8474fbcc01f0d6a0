//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and builders of sorting and selecting.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The operand's sizes with `k`, if any, along `dim`.
static Sizes getResultSizes(Value input, int64_t dim, ExprAttr k) {
  Sizes sizes = getSizes(input);
  if (k && dim >= 0 && dim < static_cast<int64_t>(sizes.size()))
    sizes[static_cast<size_t>(dim)] = k;
  return sizes;
}

/// What both ops share.
static LogicalResult verifyResults(Operation *op, int64_t dim, ExprAttr k) {
  auto emitError = [&] { return op->emitOpError(); };
  Value input = op->getOperand(0), values = op->getResult(0);
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  if (dim < 0 || dim >= rank) // (C1)
    return op->emitOpError()
           << "has dimension " << dim << " but its operand has rank " << rank;
  Sizes sizes = getResultSizes(input, dim, k);
  for (Value result : op->getResults())
    if (failed(verifySizes(result.getType(), sizes, emitError)))
      return failure();
  if (graph::getElementType(values) != graph::getElementType(input))
    return op->emitOpError() << "expected values with elements of type "
                             << graph::getElementType(input) << " but got "
                             << graph::getElementType(values);
  return success();
}

void SortOp::build(OpBuilder &builder, OperationState &state, Value input,
                   int64_t dim, bool descending, bool stable) {
  Sizes sizes = getSizes(input);
  build(builder, state,
        {sym::getTensorType(sizes, graph::getElementType(input)),
         sym::getTensorType(sizes, builder.getI64Type())},
        input, static_cast<uint64_t>(dim), descending, stable, StringAttr());
}

LogicalResult SortOp::verify() { // (C1) to (C3)
  return verifyResults(*this, static_cast<int64_t>(getDim()), {});
}

void TopKOp::build(OpBuilder &builder, OperationState &state, Value input,
                   ExprAttr k, int64_t dim, bool largest, bool sorted) {
  Sizes sizes = getResultSizes(input, dim, k);
  build(builder, state,
        {sym::getTensorType(sizes, graph::getElementType(input)),
         sym::getTensorType(sizes, builder.getI64Type())},
        input, k, static_cast<uint64_t>(dim), largest, sorted, StringAttr());
}

LogicalResult TopKOp::verify() {
  bool onlySymbols = true;
  sym::walkLeaves(getK(), [&](ExprAttr e) { onlySymbols &= e.isSymbol(); });
  if (!onlySymbols) // (C2)
    return emitOpError() << "'" << getK().str()
                         << "' is not an expression over symbols";
  int64_t dim = static_cast<int64_t>(getDim());
  Sizes sizes = getSizes(getInput());
  if (std::optional<int64_t> k = getK().getConstant();
      k && dim >= 0 && dim < static_cast<int64_t>(sizes.size())) {
    std::optional<int64_t> size = sizes[static_cast<size_t>(dim)].getConstant();
    if (*k < 0 || (size && *k > *size)) // (C2)
      return emitOpError() << "cannot take " << *k << " elements along "
                           << "dimension " << dim << " of size "
                           << sizes[static_cast<size_t>(dim)].str();
  }
  return verifyResults(*this, dim, getK()); // (C1), (C3), (C4)
}
