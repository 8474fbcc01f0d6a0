//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The line of a model that a stack trace is of.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"

using namespace llvm;
using namespace coil::import;

SourceLine coil::import::findUserLine(StringRef stackTrace) {
  // Lines look like `File "model.py", line 44, in forward`, outermost first.
  SourceLine innermost, user;
  while (true) {
    size_t at = stackTrace.find("File \"");
    if (at == StringRef::npos)
      break;
    stackTrace = stackTrace.drop_front(at + strlen("File \""));
    auto [file, rest] = stackTrace.split('"');
    SourceLine line{file, 0};
    if (!rest.consume_front(", line ") || rest.consumeInteger(10, line.line) ||
        file.empty())
      continue;
    stackTrace = rest;
    innermost = line;
    if (!file.contains("site-packages/") && !file.contains("dist-packages/") &&
        !file.starts_with("torch/") && !file.starts_with("<"))
      user = line;
  }
  return user.file.empty() ? innermost : user;
}
