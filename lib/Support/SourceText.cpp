//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what MLIR's parser would not survive.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/SourceText.h"

#include "llvm/ADT/StringExtras.h"

/// Whether an array of indices begins with the bracket at `at`.
static bool isArrayOfIndices(llvm::StringRef text, size_t at) {
  llvm::StringRef before = text.take_front(at).rtrim(" \t\n\r");
  if (!before.consume_back("array") ||
      (!before.empty() &&
       (llvm::isAlnum(before.back()) || before.back() == '_')))
    return false;
  llvm::StringRef after = text.drop_front(at + 1).ltrim(" \t\n\r");
  return after.consume_front("index") &&
         (after.empty() ||
          !(llvm::isAlnum(after.front()) || after.front() == '_'));
}

std::optional<coil::TextProblem> coil::findTextProblem(llvm::StringRef text,
                                                       unsigned limit) {
  auto tooDeep = [&](size_t at) {
    return TextProblem{at, "nested deeper than the limit of " +
                               std::to_string(limit)};
  };
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
        return tooDeep(i);
      if (text[i] == '<' && isArrayOfIndices(text, i))
        return TextProblem{i, "an array has elements of an integer or float "
                              "type, not 'index'"};
      signs = 0;
      break;
    case '-':
      // An arrow closes nothing.
      if (i + 1 < text.size() && text[i + 1] == '>')
        ++i;
      else if (++signs > limit)
        return tooDeep(i);
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
