//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A look at a module's text before MLIR's parser sees it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_SOURCETEXT_H
#define COIL_SUPPORT_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <optional>
#include <string>

namespace coil {

/// Brackets and signs nested deeper than this are refused: MLIR's parser
/// recurses for each, and overflows the stack at some thousands.
constexpr unsigned kMaxTextNesting = 1024;

/// What MLIR's parser would not survive.
struct TextProblem {
  size_t offset;
  std::string what;
};

/// Where \p text, a module, is first nested deeper than \p limit, or has an
/// `array<index: ...>`: MLIR 22 takes the width of that type, which has none.
/// Strings and comments do not count; bytecode has no such place.
std::optional<TextProblem> findTextProblem(llvm::StringRef text,
                                           unsigned limit = kMaxTextNesting);

} // namespace coil

#endif // COIL_SUPPORT_SOURCETEXT_H
