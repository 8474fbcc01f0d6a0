//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages of the compiler and the pipelines between them: the one file that
// knows the whole order.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PIPELINES_PIPELINES_H
#define COIL_PIPELINES_PIPELINES_H

#include "coil/Pipelines/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace coil {

/// Options of all pipelines, which Options.def declares.
struct CompilePipelineOptions
    : mlir::PassPipelineOptions<CompilePipelineOptions> {
#define PIPELINE_OPTION(type, member, name, defaultValue, constraint, group,   \
                        devices, firstStage, lastStage, tools, description)    \
  Option<type> member{*this, name, llvm::cl::desc(description),                \
                      llvm::cl::init(defaultValue)};
#include "coil/Pipelines/Options.def"
};

/// Appends the passes that lead from the stage before to the named one.
/// @{
void buildGraphPipeline(mlir::OpPassManager &pm,
                        const CompilePipelineOptions &options);
void buildLoopPipeline(mlir::OpPassManager &pm,
                       const CompilePipelineOptions &options);
void buildWrapperPipeline(mlir::OpPassManager &pm,
                          const CompilePipelineOptions &options);
/// Takes operations of TOSA to operators of `graph`, and what has none of these
/// through upstream's conversions to `linalg`; what compiles programs runs it
/// before all others where a module has such operations.
void buildTosaPipeline(mlir::OpPassManager &pm);
void buildNativePipeline(mlir::OpPassManager &pm,
                         const CompilePipelineOptions &options);
/// The part of the native pipeline that lowers kernels; the host program stays.
void buildKernelPipeline(mlir::OpPassManager &pm,
                         const CompilePipelineOptions &options);
/// @}

/// Finds the launches of a planned program that one launch can do on its device
/// (`wrapper.combination`), by making the code of its kernels in a copy.
mlir::LogicalResult findCombinations(mlir::ModuleOp module,
                                     const CompilePipelineOptions &options);

/// Appends the passes that lead to `stage` from the one before it.
void buildStagePipeline(mlir::OpPassManager &pm, Stage stage,
                        const CompilePipelineOptions &options);

/// The target with its chip in place of the device's: "cuda" becomes
/// "cuda:sm_90a". Fails for a target, a processor or a chip that there is no
/// code for, or when there is no device to ask.
llvm::Expected<std::string> resolveTarget(llvm::StringRef target);

/// Parses options from text. Fails as `GivenOptions::parse` and
/// `GivenOptions::checkTogether` do.
llvm::Error parseOptions(CompilePipelineOptions &options, llvm::StringRef text);

/// Checks all values, and resolves the target and what depends on it: the width
/// of vectors. Fails as `resolveTarget` does, and for vectors that the
/// processor does not have.
llvm::Error resolveOptions(CompilePipelineOptions &options);

/// The processor of a resolved target, for `EngineOptions::cpu`: that of
/// "cpu:<processor>", else empty for the one of this process.
std::string getCPU(const CompilePipelineOptions &options);
/// The same for options as text, which have been parsed before.
std::string getCPU(llvm::StringRef pipelineOptions);

/// The option `library`; "auto" becomes the libraries of the target that this
/// process can load.
std::string resolveLibrary(const CompilePipelineOptions &options);

/// The options that change the code of kernels, as part of what tuning records
/// are for.
std::string getTuningOptions(const CompilePipelineOptions &options);

/// Registers `coil-{graph,loop,wrapper,native,kernel}-pipeline` and
/// `coil-cpu-pipeline`, which is all of them.
void registerPipelines();

} // namespace coil

#endif // COIL_PIPELINES_PIPELINES_H
