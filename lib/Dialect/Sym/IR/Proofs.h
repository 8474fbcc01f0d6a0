//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was derived from sets of facts, for all contexts with equal ones.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_SYM_IR_PROOFS_H
#define COIL_LIB_DIALECT_SYM_IR_PROOFS_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <optional>

namespace coil::sym {

/// What was derived from one set of facts. Only results that depend on nothing
/// but the facts and the expression belong here: they must not vary with who
/// asked first. Any thread may ask and add.
class Proofs {
public:
  ExprAttr getSimplified(ExprAttr e) const {
    std::lock_guard<std::mutex> lock(mutex);
    return simplified.lookup(e);
  }
  void setSimplified(ExprAttr e, ExprAttr result) {
    std::lock_guard<std::mutex> lock(mutex);
    simplified[e] = result;
  }
  std::optional<bool> isNonNegative(ExprAttr e) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = nonNegative.find(e);
    return it == nonNegative.end() ? std::nullopt : std::optional(it->second);
  }
  void setNonNegative(ExprAttr e, bool result) {
    std::lock_guard<std::mutex> lock(mutex);
    nonNegative[e] = result;
  }

private:
  mutable std::mutex mutex;
  llvm::DenseMap<ExprAttr, ExprAttr> simplified;
  llvm::DenseMap<ExprAttr, bool> nonNegative;
};

/// The proofs of an MLIR context, by ranges of symbols and extents.
class ProofTable {
public:
  std::shared_ptr<Proofs> get(mlir::DictionaryAttr symbols, ShapeAttr dims) {
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<Proofs> &proofs = table[{symbols, dims}];
    if (!proofs)
      proofs = std::make_shared<Proofs>();
    return proofs;
  }

private:
  std::mutex mutex;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>,
                 std::shared_ptr<Proofs>>
      table;
};

} // namespace coil::sym

#endif // COIL_LIB_DIALECT_SYM_IR_PROOFS_H
