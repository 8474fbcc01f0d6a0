//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contracts of stages.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/Contract.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

LogicalResult coil::verifyStage(Operation *root, const ConversionTarget &target,
                                StringRef stage, StringRef hint) {
  llvm::DenseSet<OperationName> reported;
  for (Region &region : root->getRegions())
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      std::optional<ConversionTarget::LegalOpDetails> legal =
          target.isLegal(op);
      if (legal)
        return legal->isRecursivelyLegal ? WalkResult::skip()
                                         : WalkResult::advance();
      if (reported.insert(op->getName()).second)
        op->emitOpError() << "does not belong to the stage '" << stage
                          << "': " << hint;
      return WalkResult::skip();
    });
  return success(reported.empty());
}
