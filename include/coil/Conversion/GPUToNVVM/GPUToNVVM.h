//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of gpu dialect functions to the LLVM and NVVM dialects.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GPUTONVVM_GPUTONVVM_H
#define COIL_CONVERSION_GPUTONVVM_GPUTONVVM_H

#include "mlir/Pass/Pass.h"

#include <optional>

namespace coil {

/// How exact the mathematics of a kernel is. docs/reference/GPUMath.md has the
/// errors.
enum class FastMath {
  /// At most 2 ulp in f32; multiplications and additions stay separate.
  Off,
  /// The tolerance of the framework's own kernels, and fused multiply-add.
  Default,
  /// The approximate instructions wherever there is one.
  Fast
};

/// The mode named `off`, `default` or `fast`.
std::optional<FastMath> symbolizeFastMath(llvm::StringRef name);

/// Features in LLVM's notation for a chip: the PTX version that it needs.
/// Empty if LLVM does not know the chip.
std::string getNVPTXFeatures(llvm::StringRef chip);

#define GEN_PASS_DECL_CONVERTGPUKERNELTONVVMPASS
#include "coil/Conversion/Passes.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_GPUTONVVM_GPUTONVVM_H
