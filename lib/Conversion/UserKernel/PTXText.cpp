//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the head of PTX texts.
//
//===----------------------------------------------------------------------===//

#include "PTXText.h"

#include "coil/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace coil;
using llvm::StringRef;

/// The text without comments.
static std::string stripComments(StringRef text) {
  std::string result;
  while (!text.empty()) {
    if (text.consume_front("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.consume_front("/*")) {
      size_t end = text.find("*/");
      text = end == StringRef::npos ? StringRef() : text.drop_front(end + 2);
      result += ' ';
    } else {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

static bool isWord(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/// Takes a word, or one other character, off the text.
static StringRef takeToken(StringRef &text) {
  text = text.ltrim();
  StringRef token = text.take_while(isWord);
  if (token.empty())
    token = text.take_front(1);
  text = text.drop_front(token.size());
  return token;
}

/// Bytes of ".u32" and the like, or 0.
static unsigned getBytes(StringRef type) {
  if (!type.consume_front(".") || type.empty() ||
      !StringRef("busf").contains(type.front()))
    return 0;
  unsigned bits = 0;
  if (type.drop_front().consumeInteger(10, bits))
    return 0;
  return bits / 8;
}

/// Adds the parameter that a text without commas declares; false if it declares
/// none.
static bool parseParameter(StringRef text, PTXEntry &entry) {
  if (takeToken(text) != ".param")
    return false;
  unsigned bytes = 0, count = 1, alignment = 0;
  while (!text.trim().empty()) {
    StringRef token = takeToken(text);
    if (token == ".align") {
      unsigned number = 0;
      if (takeToken(text).getAsInteger(10, number))
        return false;
      // Behind the type it is of what a pointer points to.
      if (bytes == 0)
        alignment = number;
    } else if (token == "[") {
      if (takeToken(text).getAsInteger(10, count) || takeToken(text) != "]")
        return false;
    } else if (unsigned found = getBytes(token)) {
      bytes = found;
    }
  }
  entry.parameters.push_back(bytes * count);
  entry.alignments.push_back(alignment ? alignment : bytes);
  return bytes != 0;
}

llvm::Expected<PTXText> coil::parsePTX(StringRef text) {
  std::string plain = stripComments(text);
  StringRef rest = plain;
  PTXText result;
  bool hasVersion = false;
  while (!rest.trim().empty()) {
    StringRef token = takeToken(rest);
    if (token == ".version") {
      hasVersion = true;
    } else if (token == ".target" && result.chip.empty()) {
      result.chip = takeToken(rest).str();
    } else if (token == ".address_size") {
      if (takeToken(rest) != "64")
        return makeError("the PTX is not for addresses of 64 bits");
    } else if (token == ".entry") {
      PTXEntry &entry = result.entries.emplace_back();
      entry.name = takeToken(rest).str();
      StringRef list = rest.ltrim();
      if (!list.consume_front("("))
        continue; // Without parameters.
      size_t end = list.find(')');
      if (end == StringRef::npos)
        return makeError("the parameters of the entry '" + entry.name +
                         "' do not end");
      rest = list.drop_front(end + 1);
      list = list.take_front(end);
      if (list.trim().empty())
        continue;
      for (StringRef each : llvm::split(list, ','))
        if (!parseParameter(each, entry))
          return makeError("the entry '" + entry.name +
                           "' has a parameter that cannot be read: '" +
                           each.trim() + "'");
    }
  }
  if (!hasVersion || !StringRef(result.chip).starts_with("sm_"))
    return makeError("the text is no PTX: it has no line '.version' and no "
                     "line '.target sm_...'");
  return result;
}

bool coil::runsOn(StringRef made, StringRef chip) {
  if (made == chip)
    return true;
  unsigned from = 0, to = 0;
  if (!made.consume_front("sm_") || !chip.consume_front("sm_") ||
      made.consumeInteger(10, from) || chip.consumeInteger(10, to))
    return false;
  if (made == "a") // That chip only.
    return from == to && chip == "a";
  if (made == "f") // Its family.
    return from <= to && from / 10 == to / 10;
  return from <= to;
}
