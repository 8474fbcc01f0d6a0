//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation and evaluation of index expressions.
//
//===----------------------------------------------------------------------===//

#include "IndexProgram.h"

#include "coil/Dialect/Sym/IR/Expr.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using sym::ExprKind;

int IndexProgram::addNode(sym::ExprAttr expr, const Frame &frame,
                          bool &failed) {
  Node node{expr.getKind(), expr.getValue(), {}};
  if (expr.isSymbol()) {
    std::optional<int64_t> value = frame.getSymbol(expr.getName());
    failed |= !value;
    node = {ExprKind::Constant, value.value_or(0), {}};
  }
  for (sym::ExprAttr operand : expr.getOperands())
    node.operands.push_back(addNode(operand, frame, failed));
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

FailureOr<IndexProgram> IndexProgram::compile(Operation *op, const Frame &frame,
                                              sym::ExprAttr expr) {
  IndexProgram program;
  bool failed = false;
  Node sum{ExprKind::Add, 0, {}};
  for (const sym::Term &term : sym::getTerms(expr)) {
    sym::ExprAttr product = term.product;
    if (product.isConstant()) {
      program.constant += product.getValue() * term.coefficient;
    } else if (product.isDim() || product.getKind() == ExprKind::Arg) {
      program.linear.push_back({product.getKind() == ExprKind::Arg,
                                static_cast<unsigned>(product.getValue()),
                                term.coefficient});
    } else if (product.isSymbol()) {
      std::optional<int64_t> value = frame.getSymbol(product.getName());
      failed |= !value;
      program.constant += value.value_or(0) * term.coefficient;
    } else {
      int operand = program.addNode(product, frame, failed);
      program.nodes.push_back({ExprKind::Mul, term.coefficient, {operand}});
      sum.operands.push_back(static_cast<int>(program.nodes.size()) - 1);
    }
  }
  if (failed)
    return op->emitError() << "cannot evaluate '" << expr.str() << "'";
  if (!sum.operands.empty()) {
    program.nodes.push_back(std::move(sum));
    program.root = static_cast<int>(program.nodes.size()) - 1;
  }
  return program;
}

int64_t IndexProgram::evaluateNode(int index, const int64_t *dims,
                                   const int64_t *args, bool &failed) const {
  const Node &node = nodes[index];
  auto operand = [&](unsigned i) {
    return evaluateNode(node.operands[i], dims, args, failed);
  };
  switch (node.kind) {
  case ExprKind::Constant:
    return node.value;
  case ExprKind::Dim:
    return dims[node.value];
  case ExprKind::Arg:
    return args[node.value];
  case ExprKind::Add: {
    int64_t result = node.value;
    for (unsigned i = 0; i < node.operands.size(); ++i)
      result += operand(i);
    return result;
  }
  case ExprKind::Mul: {
    int64_t result = node.value;
    for (unsigned i = 0; i < node.operands.size(); ++i)
      result *= operand(i);
    return result;
  }
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    int64_t x = operand(0), y = operand(1);
    if (y <= 0) {
      failed = true;
      return 0;
    }
    int64_t quotient = x / y - (x % y < 0);
    return node.kind == ExprKind::FloorDiv ? quotient : x - quotient * y;
  }
  case ExprKind::Min:
    return std::min(operand(0), operand(1));
  case ExprKind::Max:
    return std::max(operand(0), operand(1));
  case ExprKind::Symbol:
    break;
  }
  llvm_unreachable("symbols have been replaced");
}
