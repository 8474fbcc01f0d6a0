//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the weights of an imported program into its module.
//
//===----------------------------------------------------------------------===//

#include "InlineWeights.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;

/// Appends the elements of `weight` row by row.
static void appendElements(const Weight &weight, std::vector<char> &bytes) {
  size_t size = getByteSize(weight.dtype);
  if (weight.isContiguous()) {
    int64_t count = 1;
    for (int64_t d : weight.sizes)
      count *= d;
    bytes.assign(weight.data(),
                 weight.data() + static_cast<size_t>(count) * size);
    return;
  }
  auto walk = [&](auto &self, size_t dim, const char *at) -> void {
    if (dim == weight.sizes.size()) {
      bytes.insert(bytes.end(), at, at + size);
      return;
    }
    for (int64_t i = 0; i < weight.sizes[dim]; ++i)
      self(self, dim + 1,
           at + i * weight.strides[dim] * static_cast<int64_t>(size));
  };
  walk(walk, 0, weight.data());
}

Error coil::import::inlineWeights(ModuleOp module, const WeightStore &weights) {
  return inlineWeights(module, weights, /*names=*/nullptr);
}

Error coil::import::inlineWeights(ModuleOp module, const WeightStore &weights,
                                  const llvm::StringSet<> *names) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return makeError("no function 'main' to put weights into");
  llvm::StringSet<> written;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    for (StringRef kind : {"coil.buffer_mutation", "coil.parameter_mutation"})
      if (auto target = main.getResultAttrOfType<StringAttr>(i, kind))
        written.insert(target.getValue());

  OpBuilder builder(main.getBody());
  BitVector inlined(main.getNumArguments());
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto name = main.getArgAttrOfType<StringAttr>(i, "graph.weight");
    if (!name || written.contains(name.getValue()) ||
        (names && !names->contains(name.getValue())))
      continue;
    const Weight *weight = weights.lookup(name.getValue());
    if (!weight)
      return makeError("no weight " + quoted(name.getValue()));
    auto type = cast<RankedTensorType>(argument.getType());
    // Constants have no shape encoding: their sizes are static.
    std::vector<char> bytes;
    appendElements(*weight, bytes);
    DenseElementsAttr value;
    if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
      // A constant of their parts.
      SmallVector<int64_t> sizes(type.getShape());
      sizes.push_back(2);
      value = DenseElementsAttr::getFromRawBuffer(
          RankedTensorType::get(sizes, complex.getElementType()), bytes);
      Value parts =
          graph::ConstantOp::create(builder, argument.getLoc(), value);
      auto whole = graph::AtenOp::create(
          builder, argument.getLoc(), TypeRange(type),
          builder.getStringAttr("aten.view_as_complex.default"), parts,
          builder.getStrArrayAttr({"self"}), builder.getDictionaryAttr({}));
      argument.replaceAllUsesWith(whole.getOutputs().front());
      inlined.set(i);
      continue;
    }
    if (type.getElementType().isInteger(1)) {
      SmallVector<bool> bits(bytes.begin(), bytes.end());
      value = DenseElementsAttr::get(type, bits);
    } else {
      value = DenseElementsAttr::getFromRawBuffer(type, bytes);
    }
    argument.replaceAllUsesWith(
        graph::ConstantOp::create(builder, argument.getLoc(), value));
    inlined.set(i);
  }
  if (failed(main.eraseArguments(inlined)))
    return makeError("cannot remove the weights from the arguments of 'main'");
  return Error::success();
}
