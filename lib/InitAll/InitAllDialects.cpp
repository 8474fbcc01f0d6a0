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
#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Reference/Models.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dialect.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/WithColor.h"

void coil::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, loop::LoopDialect, sym::SymDialect,
                  target::TargetDialect, wrapper::WrapperDialect>();
  // Upstream dialects that the pipelines use.
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::DLTIDialect, mlir::cf::ControlFlowDialect,
                  mlir::LLVM::LLVMDialect, mlir::func::FuncDialect,
                  mlir::gpu::GPUDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::tensor::TensorDialect, mlir::tosa::TosaDialect,
                  mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::func::registerInlinerExtension(registry);
  // Tensors whose sizes `sym-name-dynamic-sizes` asks for.
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  reference::registerModels(registry);
  // Whoever compiles reports what is wrong with plugins; programs of others,
  // such as mlir-opt, do not know of it.
  if (llvm::Error error = loadPlugins())
    llvm::WithColor::error(llvm::errs()) << toString(std::move(error)) << '\n';
  registerPluginDialects(registry);
}
