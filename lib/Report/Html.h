//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pages share: escaping, numbers, head and foot. Pages need nothing but
// the file itself: no network, and no script to be read.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REPORT_HTML_H
#define COIL_LIB_REPORT_HTML_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace coil::html {

/// Text for HTML, in attributes too. Bytes that are not UTF-8 are replaced.
std::string escape(llvm::StringRef text);

/// Text that can be the value of `id`, and the part of a link behind "#".
std::string anchor(llvm::StringRef kind, llvm::StringRef name);

/// "1.5 MiB".
std::string formatBytes(int64_t bytes);

/// A number of operations, "2.1 G".
std::string formatCount(int64_t count);

/// The page up to its first heading, `title`, included.
void printHead(llvm::raw_ostream &os, llvm::StringRef title);

void printFoot(llvm::raw_ostream &os);

} // namespace coil::html

#endif // COIL_LIB_REPORT_HTML_H
