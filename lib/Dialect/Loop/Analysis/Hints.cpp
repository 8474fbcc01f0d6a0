//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of expressions at the hints of their symbols.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Hints.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// What a symbol without a range counts as.
static constexpr int64_t kDefaultHint = 64;

Hints::Hints(Operation *op) {
  for (; op; op = op->getParentOp()) {
    auto dict = op->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName);
    if (!dict)
      continue;
    for (NamedAttribute entry : dict)
      if (auto range = dyn_cast<sym::RangeAttr>(entry.getValue()))
        values[entry.getName().strref()] = range.getHintOrDefault();
    return;
  }
}

double Hints::operator()(sym::ExprAttr e) const {
  std::optional<int64_t> v =
      sym::evaluate(e, [&](sym::ExprAttr leaf) -> std::optional<int64_t> {
        auto it = values.find(leaf.getName());
        return it == values.end() ? kDefaultHint : it->second;
      });
  return static_cast<double>(v.value_or(kDefaultHint));
}
