//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extension points: where code outside of Coil adds passes to its pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PIPELINES_EXTENSIONS_H
#define COIL_PIPELINES_EXTENSIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <optional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace coil {

struct CompilePipelineOptions;
enum class Stage;

/// The boundaries in the pipelines at which passes can be added, in the order
/// in which a program passes them.
enum class ExtensionPoint {
  BeforeLegalization,
  AfterLegalization,
  AfterDecomposition,
  BeforeFusion,
  AfterFusion,
  BeforeScheduling,
  AfterScheduling,
  AfterOutlining,
  BeforeDeviceScheduling,
  AfterDeviceScheduling,
  BeforeMemoryPlanning,
  AfterMemoryPlanning,
  BeforeDeviceCode,
  AfterDeviceCode,
  AfterHostCode,
};

/// The pipelines that programs can go through one by one. The stage `native` is
/// reached by two: one for kernels, and one for the host program.
enum class PipelinePart { Graph, Loop, Wrapper, Kernel, Host };

/// What is known of an extension point. Tools, messages and the documentation
/// take their text from here.
struct ExtensionPointInfo {
  ExtensionPoint point;
  PipelinePart part;
  /// The name that flags use: "before-fusion".
  llvm::StringLiteral name;
  /// What the module holds there, in one line.
  llvm::StringLiteral description;
};

/// All extension points in order.
llvm::ArrayRef<ExtensionPointInfo> getExtensionPoints();
llvm::StringRef stringifyExtensionPoint(ExtensionPoint point);
/// Fails for a name that there is not, with the nearest one in the message.
llvm::Expected<ExtensionPoint> parseExtensionPoint(llvm::StringRef name);
/// The stage that a pipeline leads to.
Stage getStage(PipelinePart part);

/// Prints stages and extension points, one a line.
void printStages(llvm::raw_ostream &os);

/// Adds passes to the pass manager of a module. Options are those of the
/// pipeline, with their target resolved.
using PipelineExtension =
    std::function<void(mlir::OpPassManager &, const CompilePipelineOptions &)>;

/// Calls `extension` whenever a pipeline with this point is built, after those
/// that were registered before. `name` is that of the extension; a second one
/// of the same name at the same point is an error (`checkRegistrations`).
void registerPipelineExtension(ExtensionPoint point, llvm::StringRef name,
                               PipelineExtension extension);

/// Whether there is an extension of this name at a point.
bool hasPipelineExtension(ExtensionPoint point, llvm::StringRef name);

/// Adds to `pm` what is registered for a point, then what the option
/// `insert-passes` says for it.
void addExtensions(mlir::OpPassManager &pm, ExtensionPoint point,
                   const CompilePipelineOptions &options);

/// Fails unless each entry of `insert-passes` names an extension point of one
/// of `parts` and passes that can run there. `what` names the parts in the
/// message: "the pipeline 'coil-loop-pipeline'".
llvm::Error checkInsertedPasses(const CompilePipelineOptions &options,
                                llvm::ArrayRef<PipelinePart> parts,
                                const llvm::Twine &what);

} // namespace coil

#endif // COIL_PIPELINES_EXTENSIONS_H
