//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of expressions at the hints of their symbols: what size-dependent
// decisions go by. Results never depend on them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_HINTS_H
#define COIL_DIALECT_LOOP_ANALYSIS_HINTS_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "llvm/ADT/StringMap.h"

namespace coil::loop {

class Hints {
public:
  /// Reads `sym.symbols` of `op` or its closest parent that has it.
  explicit Hints(mlir::Operation *op);
  /// The value of `e`; a symbol without a range counts as 64.
  double operator()(sym::ExprAttr e) const;

private:
  llvm::StringMap<int64_t> values;
};

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_HINTS_H
