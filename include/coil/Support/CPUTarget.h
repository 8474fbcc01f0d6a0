//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors that code is generated for.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_CPUTARGET_H
#define COIL_SUPPORT_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace coil {

/// An x86-64 processor, or a level of the architecture (`x86-64-v3`), that code
/// is generated for.
struct CPUTarget {
  /// In LLVM's notation; features are sorted, with a sign and separated by
  /// commas.
  std::string triple, cpu, features;
  /// Bits of the widest vector registers that code uses.
  int64_t vectorBits = 128;

  /// Whether it has an instruction set, by LLVM's name such as `avx512f`.
  bool has(llvm::StringRef feature) const;
};

/// The oldest level of the architecture that Coil generates code for: AVX2,
/// FMA, F16C and BMI2.
constexpr llvm::StringLiteral kOldestCPU = "x86-64-v3";

/// Finds a processor by LLVM's name; `native` and the empty name are the
/// processor of this process, or the one that the environment variable
/// `COIL_CPU` names instead. Fails for unknown processors, saying which
/// names are close or known, and for those below `kOldestCPU`.
llvm::Expected<CPUTarget> resolveCPU(llvm::StringRef name = "native");

/// Fails, naming what is missing, unless a processor runs code that was
/// generated for `cpu` with `features`.
llvm::Error checkCPU(llvm::StringRef cpu, llvm::StringRef features,
                     const CPUTarget &processor);

} // namespace coil

#endif // COIL_SUPPORT_CPUTARGET_H
