//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for a GPU whose blocks do the work of several kernels.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_COMBOKERNEL_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_COMBOKERNEL_H

#include "GPUFacts.h"
#include "coil/Dialect/Wrapper/IR/Combination.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/SymbolTable.h"

#include <string>

namespace coil::wrapper {

/// Bytes of all arguments of a kernel, on every device.
inline constexpr uint64_t kMaxArgumentBytes = 4096;

/// What a combination has to know of the code of a kernel.
struct ComboForm {
  /// Why the kernel cannot be part of a combination; empty if it can.
  std::string why;
  /// Threads of a block, and its bytes of static and dynamic shared memory.
  int64_t threads = 0, staticShared = 0, dynamicShared = 0;
  /// Registers that a thread wants, counted in the code.
  int64_t registers = 0;
  /// Whether threads of a block wait for one another, and whether only at
  /// barriers that can name their number of threads.
  bool hasBarriers = false, canCountThreads = true;
  /// Whether its launch may overlap with the kernel before it.
  bool overlaps = false;
};

ComboForm getComboForm(KernelOp kernel);

/// Why blocks of both forms cannot be in one launch; empty if they can.
std::string getConflict(const ComboForm &a, const ComboForm &b,
                        const loop::GPUFacts &facts);

/// A part of a combination: a kernel, and which of the symbols of the
/// combination its symbols are.
struct ComboPart {
  KernelOp kernel;
  llvm::SmallVector<unsigned> symbols;
};

/// Creates the kernel after the last of its parts.
KernelOp createComboKernel(llvm::ArrayRef<ComboPart> parts, unsigned numSymbols,
                           llvm::StringRef name, mlir::SymbolTable &symbols);

/// The most launches that one batch of a kernel takes; 1 if the kernel cannot
/// be batched.
size_t getBatchLimit(KernelOp kernel);

/// A copy of a kernel that does the work of so many launches.
KernelOp createBatchKernel(KernelOp kernel, unsigned count,
                           mlir::SymbolTable &symbols);

/// Makes the kernels of all `wrapper.combination`s of a module, which are
/// erased, as far as the device allows it; remarks say where it does not. The
/// parts stay.
void createCombinations(mlir::ModuleOp module, mlir::SymbolTable &symbols);

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_COMBOKERNEL_H
