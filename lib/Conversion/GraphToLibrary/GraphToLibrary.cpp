//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators become calls of library functions.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/GraphToLibrary/GraphToLibrary.h"

#include "coil/Conversion/GraphToLibrary/LibraryFunctions.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Support/Libraries.h"
#include "coil/Support/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTGRAPHTOLIBRARYPASS
#include "coil/Conversion/GraphStagePasses.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

namespace {
struct ConvertGraphToLibrary
    : coil::impl::ConvertGraphToLibraryPassBase<ConvertGraphToLibrary> {
  using ConvertGraphToLibraryPassBase::ConvertGraphToLibraryPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    SmallVector<StringRef> libraries = splitLibraries(library);
    std::vector<std::string> known = getPluginLibraries();
    for (StringRef name : libraries) {
      if (!llvm::is_contained(known, name))
        return emitError(UnknownLoc::get(context))
               << "there is no library '" << name << "'"
               << suggestName(
                      name, SmallVector<StringRef>(known.begin(), known.end()));
      if (llvm::Error error = loadPluginLibrary(name))
        return emitError(UnknownLoc::get(context))
               << toString(std::move(error));
    }
    functions = getLibraryFunctions(libraries);
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (op == getOperation() || op->getNumRegions() != 0)
        return;
      for (const LibraryFunction &function : functions) {
        std::optional<SmallVector<Attribute>> arguments = function.match(op);
        if (!arguments)
          continue;
        rewriter.setInsertionPoint(op);
        auto call = graph::CustomCallOp::create(
            rewriter, op->getLoc(), op->getResultTypes(),
            rewriter.getStringAttr(function.name),
            rewriter.getArrayAttr(*arguments), op->getOperands(), ArrayAttr(),
            DenseI64ArrayAttr(), ArrayAttr());
        rewriter.replaceOp(op, call);
        return;
      }
    });
  }

  std::vector<LibraryFunction> functions;
};
} // namespace
