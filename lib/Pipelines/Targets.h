//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pipelines ask of the target that their options name.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_PIPELINES_TARGETS_H
#define COIL_LIB_PIPELINES_TARGETS_H

#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Pipelines/Pipelines.h"

namespace coil {

/// Adds to the kinds that come with Coil what they have from the runtime, and
/// the pipelines of their code. Before a target is looked up; once is enough.
void completeTargetKinds();

/// The kind of a target that was resolved.
const target::TargetKind &getTargetKind(const CompilePipelineOptions &options);

/// Its chips, joined by '+'; empty where none is named.
std::string getTargetChips(const CompilePipelineOptions &options);

/// Whether all of its chips have a feature.
bool hasFeature(const CompilePipelineOptions &options, llvm::StringRef feature);

/// The libraries of plugins that the option `library` names, separated by
/// commas; with "auto" those for the target that can be loaded.
std::string resolvePluginLibraries(const CompilePipelineOptions &options);

/// `resolveOptions`, which does not ask for a device unless `detect`.
llvm::Error resolveOptions(CompilePipelineOptions &options, bool detect);

} // namespace coil

#endif // COIL_LIB_PIPELINES_TARGETS_H
