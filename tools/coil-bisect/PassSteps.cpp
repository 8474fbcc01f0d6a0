//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textual pipelines as lists of passes.
//
//===----------------------------------------------------------------------===//

#include "PassSteps.h"

using namespace coil;
using llvm::StringRef;

/// Splits at commas that are in no parentheses or braces.
static std::vector<StringRef> splitElements(StringRef text) {
  std::vector<StringRef> elements;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i == text.size() ? ',' : text[i];
    depth += c == '(' || c == '{';
    depth -= c == ')' || c == '}';
    if (c != ',' || (depth != 0 && i != text.size()))
      continue;
    if (StringRef element = text.slice(begin, i).trim(); !element.empty())
      elements.push_back(element);
    begin = i + 1;
  }
  return elements;
}

/// Appends the passes of an element, which is nested in `prefix`...`suffix`.
static void append(StringRef element, const std::string &prefix,
                   const std::string &suffix,
                   std::vector<std::string> &passes) {
  size_t open = element.find_first_of("({");
  if (open == StringRef::npos || element[open] == '{' ||
      !element.ends_with(")")) {
    passes.push_back(prefix + element.str() + suffix);
    return;
  }
  StringRef anchor = element.take_front(open + 1);
  for (StringRef inner :
       splitElements(element.drop_front(open + 1).drop_back()))
    append(inner, prefix + anchor.str(), ")" + suffix, passes);
}

std::vector<std::string> coil::splitPasses(StringRef pipeline) {
  pipeline = pipeline.trim();
  if (pipeline.consume_front("builtin.module("))
    pipeline.consume_back(")");
  std::vector<std::string> passes;
  for (StringRef element : splitElements(pipeline))
    append(element, "", "", passes);
  return passes;
}
