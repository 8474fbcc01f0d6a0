//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All conversion passes and their registration.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_PASSES_H
#define COIL_CONVERSION_PASSES_H

#include "coil/Conversion/GPUToNVVM/GPUToNVVM.h"
#include "coil/Conversion/GPUToROCDL/GPUToROCDL.h"
#include "coil/Conversion/GraphToLibrary/GraphToLibrary.h"
#include "coil/Conversion/GraphToLinalg/GraphToLinalg.h"
#include "coil/Conversion/GraphToLoop/GraphToLoop.h"
#include "coil/Conversion/GraphToLoop/GraphVerifyStage.h"
#include "coil/Conversion/LinalgToGraph/LinalgToGraph.h"
#include "coil/Conversion/LinalgToLoop/LinalgToLoop.h"
#include "coil/Conversion/LoopToCPU/LoopToCPU.h"
#include "coil/Conversion/LoopToGPU/LoopToGPU.h"
#include "coil/Conversion/LoopToWrapper/LoopToWrapper.h"
#include "coil/Conversion/TosaToGraph/TosaToGraph.h"
#include "coil/Conversion/UserKernel/UserKernel.h"
#include "coil/Conversion/WrapperToLLVM/WrapperToLLVM.h"

namespace coil {

#define GEN_PASS_REGISTRATION
#include "coil/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Conversion/BridgePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Conversion/GraphStagePasses.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_PASSES_H
