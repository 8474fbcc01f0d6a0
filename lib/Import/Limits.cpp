//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Error text shared by the import library.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Limits.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

Error coil::import::makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

std::string coil::import::quoted(StringRef text) {
  constexpr size_t maxShown = 120;
  std::string result = "'";
  for (unsigned char c : text.take_front(maxShown)) {
    if (isPrint(c)) {
      result += c;
    } else {
      result += "\\x";
      result += hexdigit(c >> 4, /*LowerCase=*/true);
      result += hexdigit(c & 15, /*LowerCase=*/true);
    }
  }
  if (text.size() > maxShown)
    result += "...";
  result += "'";
  return result;
}

Error coil::import::makeLimitError(const Twine &what, uint64_t value,
                                   uint64_t limit, StringRef flag) {
  return makeError(what + " is " + Twine(value) + ", over the limit of " +
                   Twine(limit) + " (see --" + flag + ")");
}
