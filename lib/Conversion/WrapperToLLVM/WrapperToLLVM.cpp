//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns host programs into LLVM functions over the runtime.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/WrapperToLLVM/WrapperToLLVM.h"
#include "coil/Dialect/Wrapper/IR/Combination.h"

#include "HostLowering.h"
#include "coil/Conversion/Utils/Contract.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTWRAPPERTOLLVMPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {
struct ConvertWrapperToLLVM
    : coil::impl::ConvertWrapperToLLVMPassBase<ConvertWrapperToLLVM> {
  using ConvertWrapperToLLVMPassBase::ConvertWrapperToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable table(module);
    SmallVector<LLVM::LLVMFuncOp> functions;
    llvm::SetVector<KernelOp> launched;
    SmallVector<FuncOp> sources(module.getOps<FuncOp>());
    std::vector<std::unique_ptr<HostLowering>> lowerings;
    for (FuncOp fn : sources) {
      lowerings.push_back(std::make_unique<HostLowering>(
          fn, table, std::max(1u, maxSteps.getValue())));
      lowerings.back()->declareEntry();
    }
    for (auto &lowering : lowerings) {
      if (failed(lowering->run()))
        return signalPassFailure();
      llvm::append_range(functions, lowering->getFunctions());
      launched.insert_range(lowering->getKernels());
    }
    for (FuncOp fn : sources)
      table.erase(fn);
    for (auto combination :
         llvm::make_early_inc_range(module.getOps<CombinationOp>()))
      table.erase(combination); // Its parts are launched.
    for (GridOp grid : llvm::make_early_inc_range(module.getOps<GridOp>()))
      table.erase(grid);

    // Kernels give their names to the declarations of their functions, or of
    // the objects that describe them.
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (KernelOp kernel : module.getOps<KernelOp>()) {
      StringAttr name = kernel.getSymNameAttr();
      table.remove(kernel);
      if (kernel.isUserKernel() && !kernel.getEntry())
        kernel.setEntry(name.getValue());
      kernel.setSymNameAttr(builder.getStringAttr(name.getValue() + ".module"));
      table.insert(kernel);
      if (!launched.contains(kernel))
        continue;
      if (kernel.getGeometry())
        declareKernelObject(table, kernel, name);
      else if (auto defined = kernel.lookupSymbol<LLVM::LLVMFuncOp>(name))
        LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name.getValue(),
                                 defined.getFunctionType());
    }

    // Sizes were emitted as arith.
    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    LLVMConversionTarget target(getContext());
    for (LLVM::LLVMFuncOp fn : functions)
      if (failed(applyPartialConversion(fn, target, frozen)) ||
          failed(verifyStage(fn, target, "native",
                             "host programs have no lowering of it to the LLVM "
                             "dialect")))
        return signalPassFailure();
  }
};
} // namespace
