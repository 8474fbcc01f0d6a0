//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of functions that Coil did not compile.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Sym/IR/Expr.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

SmallVector<StringRef> CustomCallOp::getBoundSymbols() {
  SmallVector<StringRef> names;
  if (getDefines())
    for (auto name : getDefines()->getAsValueRange<StringAttr>())
      names.push_back(name);
  return names;
}

std::optional<CustomCallOp::SymbolSource>
CustomCallOp::findSymbol(StringRef name) {
  ExprAttr symbol = sym::symbol(getContext(), name);
  for (unsigned i = 0, e = getNumGiven(); i < e; ++i) {
    auto type = cast<RankedTensorType>(getResult(i).getType());
    for (auto [d, size] : llvm::enumerate(sym::getSizes(type))) {
      if (!size)
        continue;
      if (size == symbol)
        return SymbolSource{i, static_cast<unsigned>(d), 1};
      SmallVector<sym::Term> terms = sym::getTerms(size);
      if (terms.size() == 1 && terms.front().coefficient > 0 &&
          size == sym::mul(symbol, terms.front().coefficient))
        return SymbolSource{i, static_cast<unsigned>(d),
                            terms.front().coefficient};
    }
  }
  return std::nullopt;
}

LogicalResult CustomCallOp::verify() {
  if (failed(verifyCallArguments(*this, getArguments(), getNamesAttr(),
                                 getNumOperands()))) // (C1)
    return failure();
  ArrayRef<int64_t> mutates = getMutates().value_or(ArrayRef<int64_t>());
  int64_t last = -1;
  for (int64_t i : mutates) {
    if (i <= last || i >= static_cast<int64_t>(getNumOperands())) // (C2)
      return emitOpError(
          "'mutates' is not a list of operands in ascending order");
    last = i;
  }
  if (mutates.size() > getNumResults()) // (C2)
    return emitOpError() << "mutates " << mutates.size() << " operands but has "
                         << getNumResults() << " results";
  for (auto [i, result] :
       llvm::zip(mutates, getResults().take_back(mutates.size())))
    if (result.getType() !=
        getOperand(static_cast<unsigned>(i)).getType()) // (C2)
      return emitOpError() << "makes " << result.getType() << " of operand "
                           << i << ", which is "
                           << getOperand(static_cast<unsigned>(i)).getType();
  for (StringRef name : getBoundSymbols())
    if (!findSymbol(name)) // (C3)
      return emitOpError() << "defines the symbol '" << name
                           << "', which is the size of no result";
  return success();
}
