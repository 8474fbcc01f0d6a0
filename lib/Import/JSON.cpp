//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A flat JSON reader with bounds.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/JSON.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace coil::import;

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace coil::import {

/// One pass over the text with an explicit stack of open arrays and objects.
class JSONParser {
public:
  JSONParser(StringRef text, const Limits &limits)
      : text(text), limits(limits) {
    document.text = text;
  }

  Expected<JSONDocument> run();

private:
  using Kind = JSONDocument::Kind;

  Error error(const Twine &message) const;
  void skipSpace() {
    while (pos < text.size() && (text[pos] == ' ' || text[pos] == '\n' ||
                                 text[pos] == '\t' || text[pos] == '\r'))
      ++pos;
  }
  bool consume(char c) {
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }
  uint32_t push(Kind kind, size_t begin, size_t length, bool escaped = false) {
    uint32_t index = document.entries.size();
    document.entries.push_back({static_cast<uint32_t>(kind), escaped,
                                static_cast<uint32_t>(begin),
                                static_cast<uint32_t>(length), index + 1});
    return index;
  }
  Error parseString();
  Error parseNumber();
  Error parseWord(StringRef word, Kind kind);
  Error parseKey();
  Error checkKeys(uint32_t object);

  StringRef text;
  const Limits &limits;
  JSONDocument document;
  SmallVector<uint32_t> open;
  size_t pos = 0;
};

} // namespace coil::import

Error JSONParser::error(const Twine &message) const {
  StringRef before = text.take_front(pos);
  size_t line = before.count('\n') + 1;
  size_t newline = before.rfind('\n');
  size_t column = newline == StringRef::npos ? pos + 1 : pos - newline;
  return makeError("line " + Twine(line) + ", column " + Twine(column) + ": " +
                   message);
}

Error JSONParser::parseString() {
  if (!consume('"'))
    return error("expected a string");
  size_t begin = pos;
  bool escaped = false;
  while (true) {
    if (pos >= text.size())
      return error("unterminated string");
    unsigned char c = text[pos];
    if (c == '"')
      break;
    if (c < 0x20)
      return error("control character in a string");
    ++pos;
    if (c != '\\')
      continue;
    escaped = true;
    if (pos >= text.size())
      return error("unterminated string");
    char kind = text[pos++];
    if (kind == 'u') {
      for (int i = 0; i < 4; ++i, ++pos)
        if (pos >= text.size() || !isHexDigit(text[pos]))
          return error("malformed '\\u' escape");
    } else if (!StringRef("\"\\/bfnrt").contains(kind)) {
      return error("unknown escape");
    }
  }
  push(Kind::String, begin, pos - begin, escaped);
  ++pos;
  return Error::success();
}

Error JSONParser::parseNumber() {
  size_t begin = pos;
  auto digits = [&] {
    size_t first = pos;
    while (pos < text.size() && isDigit(text[pos]))
      ++pos;
    return pos != first;
  };
  consume('-');
  if (!consume('0') && !digits())
    return error("malformed number");
  if (consume('.') && !digits())
    return error("malformed number");
  if (consume('e') || consume('E')) {
    if (!consume('+'))
      consume('-');
    if (!digits())
      return error("malformed number");
  }
  push(Kind::Number, begin, pos - begin);
  return Error::success();
}

Error JSONParser::parseWord(StringRef word, Kind kind) {
  if (!text.substr(pos).starts_with(word))
    return error("expected a JSON value");
  push(kind, pos, word.size());
  pos += word.size();
  return Error::success();
}

Error JSONParser::parseKey() {
  skipSpace();
  if (Error e = parseString())
    return e;
  skipSpace();
  if (!consume(':'))
    return error("expected ':'");
  return Error::success();
}

/// Refuses an object that has a key twice: readers differ in which one wins.
Error JSONParser::checkKeys(uint32_t object) {
  const JSONDocument::Entry &entry = document.entries[object];
  auto keyAt = [&](uint32_t index) {
    const JSONDocument::Entry &key = document.entries[index];
    return text.substr(key.begin, key.length);
  };
  auto duplicate = [&](StringRef key) {
    return error("the key " + quoted(key) + " occurs more than once");
  };
  uint32_t first = object + 1;
  if (entry.length <= 8) {
    SmallVector<StringRef, 8> seen;
    for (uint32_t i = 0, at = first; i < entry.length; ++i) {
      StringRef key = keyAt(at);
      if (is_contained(seen, key))
        return duplicate(key);
      seen.push_back(key);
      at = document.entries[at + 1].next;
    }
    return Error::success();
  }
  DenseSet<StringRef> seen;
  seen.reserve(entry.length);
  for (uint32_t i = 0, at = first; i < entry.length; ++i) {
    StringRef key = keyAt(at);
    if (!seen.insert(key).second)
      return duplicate(key);
    at = document.entries[at + 1].next;
  }
  return Error::success();
}

Expected<JSONDocument> JSONParser::run() {
  uint64_t maxBytes =
      std::min<uint64_t>(limits.maxJSONBytes, uint64_t(UINT32_MAX) / 2);
  if (text.size() > maxBytes)
    return makeLimitError("the size of the JSON text", text.size(), maxBytes,
                          "max-json-bytes");
  size_t bad = 0;
  if (!json::isUTF8(text, &bad)) {
    pos = bad;
    return error("not UTF-8");
  }
  document.entries.reserve(text.size() / 12 + 16);

  while (true) {
    // A value starts here.
    skipSpace();
    char c = pos < text.size() ? text[pos] : '\0';
    bool opened = false;
    if (c == '{' || c == '[') {
      if (open.size() >= limits.maxJSONDepth)
        return error("nested deeper than the limit of " +
                     Twine(limits.maxJSONDepth) + " (see --max-json-depth)");
      ++pos;
      open.push_back(push(c == '{' ? Kind::Object : Kind::Array, pos - 1, 0));
      skipSpace();
      opened = !consume(c == '{' ? '}' : ']');
      if (opened) {
        ++document.entries[open.back()].length;
        if (c == '{')
          if (Error e = parseKey())
            return std::move(e);
        continue;
      }
      document.entries[open.back()].next = document.entries.size();
      open.pop_back();
    } else {
      Error e = c == '"'                 ? parseString()
                : c == 't'               ? parseWord("true", Kind::True)
                : c == 'f'               ? parseWord("false", Kind::False)
                : c == 'n'               ? parseWord("null", Kind::Null)
                : c == '-' || isDigit(c) ? parseNumber()
                                         : error("expected a JSON value");
      if (e)
        return std::move(e);
    }

    // A value ends here: go on with the next one or close what is complete.
    while (true) {
      skipSpace();
      if (open.empty()) {
        if (pos != text.size())
          return error("text after the end of the document");
        return std::move(document);
      }
      uint32_t container = open.back();
      bool isObject =
          document.entries[container].kind == uint32_t(Kind::Object);
      if (consume(',')) {
        ++document.entries[container].length;
        if (isObject)
          if (Error e = parseKey())
            return std::move(e);
        break;
      }
      if (!consume(isObject ? '}' : ']'))
        return error(isObject ? "expected ',' or '}'" : "expected ',' or ']'");
      document.entries[container].next = document.entries.size();
      if (isObject)
        if (Error e = checkKeys(container))
          return std::move(e);
      open.pop_back();
    }
  }
}

Expected<JSONDocument> JSONDocument::parse(StringRef text,
                                           const Limits &limits) {
  return JSONParser(text, limits).run();
}

JSONValue JSONDocument::root() const { return JSONValue(*this, 0); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<bool> JSONValue::getBool() const {
  if (!isBool())
    return std::nullopt;
  return kind() == Kind::True;
}

std::optional<int64_t> JSONValue::getInt() const {
  int64_t result;
  if (!isNumber() || text().getAsInteger(10, result))
    return std::nullopt;
  return result;
}

std::optional<double> JSONValue::getDouble() const {
  if (!isNumber() || text().size() > 400)
    return std::nullopt;
  // strtod reads the locale, but the number has been checked to hold digits,
  // sign, point and exponent only, and the tools never leave the C locale.
  double result = std::strtod(text().str().c_str(), nullptr);
  if (!std::isfinite(result))
    return std::nullopt;
  return result;
}

/// Decodes \uXXXX at \p text, joining surrogates; consumes what it reads.
static UTF32 decodeUnicodeEscape(StringRef &text) {
  auto unit = [&text]() {
    unsigned value = 0;
    (void)text.substr(2, 4).getAsInteger(16, value);
    text = text.drop_front(6);
    return value;
  };
  UTF32 code = unit();
  if (code >= 0xd800 && code < 0xdc00 && text.starts_with("\\u")) {
    unsigned low = 0;
    (void)text.substr(2, 4).getAsInteger(16, low);
    if (low >= 0xdc00 && low < 0xe000) {
      (void)unit();
      return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
  }
  if (code >= 0xd800 && code < 0xe000)
    return UNI_REPLACEMENT_CHAR; // A surrogate on its own.
  return code;
}

static StringRef decodeString(StringRef text, BumpPtrAllocator &storage) {
  // Decoding never makes the text longer.
  char *begin = storage.Allocate<char>(text.size()), *end = begin;
  while (!text.empty()) {
    if (text.front() != '\\') {
      StringRef plain = text.take_until([](char c) { return c == '\\'; });
      end = llvm::copy(plain, end);
      text = text.drop_front(plain.size());
      continue;
    }
    char kind = text[1];
    if (kind == 'u') {
      ConvertCodePointToUTF8(decodeUnicodeEscape(text), end);
      continue;
    }
    text = text.drop_front(2);
    switch (kind) {
    case 'b':
      *end++ = '\b';
      break;
    case 'f':
      *end++ = '\f';
      break;
    case 'n':
      *end++ = '\n';
      break;
    case 'r':
      *end++ = '\r';
      break;
    case 't':
      *end++ = '\t';
      break;
    default:
      *end++ = kind;
      break;
    }
  }
  return StringRef(begin, end - begin);
}

std::optional<StringRef> JSONValue::getString(BumpPtrAllocator &storage) const {
  if (!isString())
    return std::nullopt;
  return entry().escaped ? decodeString(text(), storage) : text();
}

size_t JSONValue::size() const {
  return isArray() || isObject() ? entry().length : 0;
}

std::optional<JSONValue> JSONValue::find(StringRef key) const {
  if (!isObject())
    return std::nullopt;
  uint32_t at = index + 1;
  for (size_t i = 0, e = size(); i < e; ++i) {
    JSONValue name(*document, at);
    if (name.text() == key) {
      JSONValue result(*document, at + 1);
      result.parent = this;
      result.key = name.text();
      return result;
    }
    at = document->entries[at + 1].next;
  }
  return std::nullopt;
}

JSONValue::Child JSONValue::first() const { return Child(*this); }

StringRef JSONValue::describe() const {
  switch (kind()) {
  case Kind::Null:
    return "null";
  case Kind::False:
  case Kind::True:
    return "a boolean";
  case Kind::Number:
    return "a number";
  case Kind::String:
    return "a string";
  case Kind::Array:
    return "an array";
  case Kind::Object:
    return "an object";
  }
  llvm_unreachable("unknown kind");
}

std::string JSONValue::path() const {
  SmallVector<const JSONValue *> way;
  for (const JSONValue *value = this; value->parent; value = value->parent)
    way.push_back(value);
  std::string result;
  for (const JSONValue *value : llvm::reverse(way)) {
    if (value->parent->isArray()) {
      result += "[" + std::to_string(value->position) + "]";
      continue;
    }
    bool isPlain = !value->key.empty() && all_of(value->key, [](char c) {
      return isAlnum(c) || c == '_';
    });
    if (!isPlain)
      result += "[" + quoted(value->key) + "]";
    else
      result += (result.empty() ? "" : ".") + value->key.str();
  }
  return result.empty() ? "the document" : result;
}

JSONValue::Child::Child(const JSONValue &parent)
    : current(*parent.document, parent.index), remaining(parent.size()),
      next(parent.index + 1) {
  current.parent = &parent;
  if (remaining)
    load();
}

void JSONValue::Child::load() {
  if (current.parent->isObject()) {
    keyIndex = next;
    current.index = next + 1;
    current.key = JSONValue(*current.document, keyIndex).text();
  } else {
    current.index = next;
  }
  next = current.entry().next;
}

void JSONValue::Child::step() {
  --remaining;
  ++current.position;
  if (remaining)
    load();
}

StringRef JSONValue::Child::key(BumpPtrAllocator &storage) const {
  return *JSONValue(*current.document, keyIndex).getString(storage);
}
