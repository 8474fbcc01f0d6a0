//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index expressions compiled for fast evaluation at many points.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_INDEXPROGRAM_H
#define COIL_LIB_REFERENCE_INDEXPROGRAM_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Reference/Interpreter.h"

namespace coil::reference {

/// An expression over dimensions and indirect indices, with the symbols
/// replaced by their values: a linear part and other products as trees.
class IndexProgram {
public:
  /// Compiles `expr`; fails with a diagnostic at `op` when a symbol has no
  /// value.
  static mlir::FailureOr<IndexProgram>
  compile(mlir::Operation *op, const Frame &frame, sym::ExprAttr expr);

  /// Evaluates at a point; `args` holds the values of indirect indices.
  /// Division by a number that is not positive gives zero and sets `failed`.
  int64_t evaluate(const int64_t *dims, const int64_t *args,
                   bool &failed) const {
    int64_t result = constant;
    for (const Linear &term : linear)
      result += term.coefficient *
                (term.isArg ? args[term.position] : dims[term.position]);
    if (root >= 0)
      result += evaluateNode(root, dims, args, failed);
    return result;
  }

  /// True for an indirect index as a whole.
  bool isWholeArg() const {
    return root < 0 && constant == 0 && linear.size() == 1 && linear[0].isArg &&
           linear[0].coefficient == 1;
  }

private:
  struct Linear {
    bool isArg;
    unsigned position;
    int64_t coefficient;
  };
  struct Node {
    sym::ExprKind kind;
    int64_t value;
    llvm::SmallVector<int, 2> operands;
  };
  int addNode(sym::ExprAttr expr, const Frame &frame, bool &failed);
  int64_t evaluateNode(int index, const int64_t *dims, const int64_t *args,
                       bool &failed) const;

  int64_t constant = 0;
  llvm::SmallVector<Linear, 3> linear;
  std::vector<Node> nodes;
  int root = -1;
};

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_INDEXPROGRAM_H
