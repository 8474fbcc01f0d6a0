//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Upper bounds on what the importer reads from a file it does not trust. Every
// limit is a flag of coil-import; an error names the flag.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_LIMITS_H
#define COIL_IMPORT_LIMITS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace coil::import {

/// Bounds on an imported file. The defaults fit every known model.
struct Limits {
  /// Size of the file in bytes; 0 means unbounded.
  uint64_t maxFileSize = 0;
  /// Number of records in the archive.
  uint64_t maxEntries = 65536;
  /// Length of a record's name in bytes.
  uint64_t maxNameLength = 1024;
  /// Nesting of arrays and objects in a JSON record.
  uint64_t maxJSONDepth = 256;
  /// Size of a JSON record in bytes.
  uint64_t maxJSONBytes = uint64_t(256) << 20;
  /// Number of nodes in the graph.
  uint64_t maxNodes = 1000000;
  /// Rank of a tensor.
  uint64_t maxRank = 64;
  /// Elements of one tensor.
  uint64_t maxElements = uint64_t(1) << 47;
  /// Nesting of a symbolic expression.
  uint64_t maxExprDepth = 128;
};

/// An error made of one line of text.
llvm::Error makeError(const llvm::Twine &message);

/// \p text between single quotes, fit for a one-line message: bytes that do not
/// print are escaped and long text is cut.
std::string quoted(llvm::StringRef text);

/// The error for exceeding a limit: "<what> is <value>, over the limit of
/// <limit> (see --<flag>)".
llvm::Error makeLimitError(const llvm::Twine &what, uint64_t value,
                           uint64_t limit, llvm::StringRef flag);

} // namespace coil::import

#endif // COIL_IMPORT_LIMITS_H
