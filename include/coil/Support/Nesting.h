//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A look at the nesting of a module's text before a recursive parser sees it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_NESTING_H
#define COIL_SUPPORT_NESTING_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <optional>

namespace coil {

/// Brackets and signs nested deeper than this are refused: MLIR's parser
/// recurses for each, and overflows the stack at some thousands.
constexpr unsigned kMaxTextNesting = 1024;

/// Where \p text, a module, is first nested deeper than \p limit. Strings and
/// comments do not count; bytecode has no such place.
std::optional<size_t> findDeepNesting(llvm::StringRef text,
                                      unsigned limit = kMaxTextNesting);

} // namespace coil

#endif // COIL_SUPPORT_NESTING_H
