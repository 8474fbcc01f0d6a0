//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_BISECT_PASSSTEPS_H
#define COIL_TOOLS_COIL_BISECT_PASSSTEPS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace coil {

/// The passes of a textual pipeline of a module one by one, each with the
/// operations that it is nested in: `builtin.module(a,func.func(b{x=1},c))` is
/// `a`, `func.func(b{x=1})` and `func.func(c)`.
std::vector<std::string> splitPasses(llvm::StringRef pipeline);

} // namespace coil

#endif // COIL_TOOLS_COIL_BISECT_PASSSTEPS_H
