//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of calls and assertions, and the registration of all
// models.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Reference/Models.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;

namespace {

struct CallModel
    : ReferenceOpInterface::ExternalModel<CallModel, func::CallOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto call = cast<func::CallOp>(op);
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, call.getCalleeAttr());
    if (!callee)
      return op->emitError() << "no function '" << call.getCallee() << "'";
    return frame.call(op, callee, operands, results);
  }
};

struct AssertModel
    : ReferenceOpInterface::ExternalModel<AssertModel, sym::AssertOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor>,
                         SmallVectorImpl<Tensor> &) const {
    auto assertion = cast<sym::AssertOp>(op);
    FailureOr<int64_t> lhs = frame.evaluate(op, assertion.getLhs());
    FailureOr<int64_t> rhs = frame.evaluate(op, assertion.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    bool holds = false;
    switch (assertion.getPredicate()) {
    case sym::Predicate::Eq:
      holds = *lhs == *rhs;
      break;
    case sym::Predicate::Ne:
      holds = *lhs != *rhs;
      break;
    case sym::Predicate::Le:
      holds = *lhs <= *rhs;
      break;
    case sym::Predicate::Lt:
      holds = *lhs < *rhs;
      break;
    }
    if (holds)
      return success();
    return op->emitError() << "assertion failed: " << assertion.getMessage()
                           << " (" << *lhs << " and " << *rhs << ")";
  }
};

} // namespace

void reference::registerFuncModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    func::CallOp::attachInterface<CallModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, sym::SymDialect *) {
    sym::AssertOp::attachInterface<AssertModel>(*context);
  });
}

void reference::registerModels(DialectRegistry &registry) {
  registerFuncModels(registry);
  registerArithModels(registry);
  registerMathModels(registry);
  registerLoopModels(registry);
  registerLoopScalarModels(registry);
  registerGraphModels(registry);
}
