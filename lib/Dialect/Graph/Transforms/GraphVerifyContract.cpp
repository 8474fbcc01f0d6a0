//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports framework operators that legalisation left.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHVERIFYCONTRACTPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;

namespace {

struct GraphVerifyContract
    : graph::impl::GraphVerifyContractPassBase<GraphVerifyContract> {
  void runOnOperation() override {
    llvm::StringSet<> reported;
    getOperation()->walk([&](AtenOp op) {
      signalPassFailure();
      if (!reported.insert(op.getName()).second)
        return;
      auto reason = op->getAttrOfType<StringAttr>(kReasonAttrName);
      mlir::emitError(op.getLoc())
          << "operator '" << op.getName() << "' is not supported: "
          << (reason ? reason.getValue()
                     : StringRef("it has not been legalised"));
    });
  }
};

} // namespace
