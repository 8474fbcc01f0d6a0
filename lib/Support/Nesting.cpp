//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds text that is nested too deep for a recursive parser.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/Nesting.h"

std::optional<size_t> coil::findDeepNesting(llvm::StringRef text,
                                            unsigned limit) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  unsigned depth = 0, signs = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"':
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
      signs = 0;
      break;
    case '/':
      if (i + 1 < text.size() && text[i + 1] == '/')
        i = text.find('\n', i);
      if (i >= text.size())
        return std::nullopt;
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (text[i] == '<' && i + 1 < text.size() && text[i + 1] == '=')
        break; // A comparison, as in an integer set.
      if (++depth > limit)
        return i;
      signs = 0;
      break;
    case '-':
      // An arrow closes nothing.
      if (i + 1 < text.size() && text[i + 1] == '>')
        ++i;
      else if (++signs > limit)
        return i;
      break;
    case '>':
      if (i + 1 < text.size() && text[i + 1] == '=')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      signs = 0;
      break;
    case ' ':
    case '\t':
    case '\n':
    case '\r':
      break;
    default:
      signs = 0;
    }
  }
  return std::nullopt;
}
