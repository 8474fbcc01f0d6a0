//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of the compiler by name.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PIPELINES_STAGE_H
#define COIL_PIPELINES_STAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace coil {

/// What a module holds, from the model to machine code.
enum class Stage {
  Input,   ///< framework operators (`graph.aten`) as imported
  Graph,   ///< `graph` operators, legalised, decomposed, simplified
  Loop,    ///< fused and scheduled `loop` kernels in functions over tensors
  Wrapper, ///< host programs and outlined kernels, memory planned and verified
  Native,  ///< LLVM dialect: the host program and each kernel
};

/// The stages in order, by the names that tools use.
llvm::ArrayRef<llvm::StringLiteral> getStageNames();
llvm::StringRef stringifyStage(Stage stage);
std::optional<Stage> symbolizeStage(llvm::StringRef name);
/// One line on what a stage holds.
llvm::StringRef describeStage(Stage stage);

} // namespace coil

#endif // COIL_PIPELINES_STAGE_H
