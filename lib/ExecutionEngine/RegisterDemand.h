//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_REGISTERDEMAND_H
#define COIL_LIB_EXECUTIONENGINE_REGISTERDEMAND_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace coil {

/// 32-bit words of a function's values that are live at one time, in the order
/// of its instructions, at most. Not counted are arguments, which are read
/// where they are needed, conditions, which are predicates, and addresses at
/// constant distances from others.
struct LiveWords {
  unsigned most = 0;
  /// Behind instructions that threads execute together, such as barriers: what
  /// is live there stays so in any order of the others.
  unsigned acrossBarriers = 0;
};
LiveWords countLiveWords(const llvm::Function &function);

/// Lowers the number of blocks that each kernel of a module wants on one
/// multiprocessor of a chip (`nvvm.minctasm`) to what its registers allow:
/// threads of more blocks would keep values in memory. Nothing is lowered for a
/// chip whose registers are not known.
void fitBlocksToRegisters(llvm::Module &module, llvm::StringRef chip);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_REGISTERDEMAND_H
