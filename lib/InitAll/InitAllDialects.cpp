//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of all dialects.
//
//===----------------------------------------------------------------------===//

#include "coil/InitAllDialects.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Reference/Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

#include <cstdlib>

/// Lets the libraries that COIL_PLUGINS names register what they bring: devices
/// become known to every tool, to the libraries and to Python.
static void registerPlugins(mlir::DialectRegistry &registry) {
  const char *variable = std::getenv("COIL_PLUGINS");
  // A plugin may register everything of ours first.
  static thread_local bool isInside = false;
  if (!variable || isInside)
    return;
  isInside = true;
  for (llvm::StringRef file : llvm::split(llvm::StringRef(variable), ':')) {
    if (file.empty())
      continue;
    llvm::Expected<mlir::DialectPlugin> plugin =
        mlir::DialectPlugin::load(file.str());
    if (plugin)
      plugin->registerDialectRegistryCallbacks(registry);
    else
      llvm::WithColor::error(llvm::errs(), "COIL_PLUGINS")
          << llvm::toString(plugin.takeError()) << '\n';
  }
  isInside = false;
}

void coil::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, loop::LoopDialect, sym::SymDialect,
                  wrapper::WrapperDialect>();
  // Upstream dialects that the pipelines use.
  registry.insert<mlir::arith::ArithDialect, mlir::DLTIDialect,
                  mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                  mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  reference::registerModels(registry);
  registerPlugins(registry);
}
