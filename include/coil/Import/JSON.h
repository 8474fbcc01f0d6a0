//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// JSON documents from files that are not trusted. A document is checked in one
// pass without recursion and becomes a flat table of 16 bytes per value that
// points into the text, so memory stays within eight times the text and members
// nobody reads cost almost nothing. (llvm::json recurses without a bound and
// takes some kilobytes for each object.)
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_JSON_H
#define COIL_IMPORT_JSON_H

#include "coil/Import/Limits.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <optional>
#include <vector>

namespace coil::import {

class JSONValue;

/// A parsed document. The text must outlive it.
class JSONDocument {
public:
  /// Checks \p text: UTF-8, well-formed, no duplicate keys, within the limits.
  /// Errors carry the line and column.
  static llvm::Expected<JSONDocument> parse(llvm::StringRef text,
                                            const Limits &limits = {});

  /// The outermost value.
  JSONValue root() const;

private:
  friend class JSONValue;
  friend class JSONParser;

  enum class Kind : uint32_t {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object
  };

  /// A value; the members of an object are key, value, key, value, ...
  struct Entry {
    uint32_t kind : 4;
    uint32_t escaped : 1; ///< A string that holds escape sequences.
    uint32_t begin;       ///< Of the text; strings without quotation marks.
    uint32_t length;      ///< Of the text, or the number of elements.
    uint32_t next;        ///< Index of the entry after this value.
  };

  llvm::StringRef text;
  std::vector<Entry> entries;
};

/// A handle on a value inside a document, with the way that led to it, so that
/// errors can name the position: "graph.nodes[3].target". A value refers to the
/// one it was taken from, which must stay in place meanwhile.
class JSONValue {
public:
  bool isNull() const { return kind() == Kind::Null; }
  bool isBool() const { return kind() == Kind::True || kind() == Kind::False; }
  bool isNumber() const { return kind() == Kind::Number; }
  bool isString() const { return kind() == Kind::String; }
  bool isArray() const { return kind() == Kind::Array; }
  bool isObject() const { return kind() == Kind::Object; }

  /// The value as a C++ one; none when it is of another kind or out of range.
  std::optional<bool> getBool() const;
  std::optional<int64_t> getInt() const;
  std::optional<double> getDouble() const;
  /// The string; \p storage keeps what has escape sequences.
  std::optional<llvm::StringRef>
  getString(llvm::BumpPtrAllocator &storage) const;

  /// Number of elements or members; 0 for other kinds.
  size_t size() const;

  /// The member of that name, if this is an object that has it.
  std::optional<JSONValue> find(llvm::StringRef key) const;

  /// Goes through elements or members: `for (auto c = v.first(); c; c.step())`.
  class Child;
  Child first() const;

  /// "number", "object", ... for error messages.
  llvm::StringRef describe() const;

  /// The path from the outermost value.
  std::string path() const;

private:
  friend class JSONDocument;
  using Kind = JSONDocument::Kind;

  JSONValue(const JSONDocument &document, uint32_t index)
      : document(&document), index(index) {}

  const JSONDocument::Entry &entry() const { return document->entries[index]; }
  Kind kind() const { return static_cast<Kind>(entry().kind); }
  llvm::StringRef text() const {
    return document->text.substr(entry().begin, entry().length);
  }

  const JSONDocument *document;
  uint32_t index;
  const JSONValue *parent = nullptr;
  llvm::StringRef key;   ///< Name in the parent object.
  uint32_t position = 0; ///< Position in the parent array.
};

/// Steps through the elements of an array or the members of an object.
class JSONValue::Child {
public:
  explicit operator bool() const { return remaining != 0; }
  void step();
  /// The element or the value of the member.
  const JSONValue &value() const { return current; }
  /// The key of the member; \p storage keeps what has escape sequences.
  llvm::StringRef key(llvm::BumpPtrAllocator &storage) const;

private:
  friend class JSONValue;
  explicit Child(const JSONValue &parent);
  void load();

  JSONValue current;
  size_t remaining;
  uint32_t next;
  uint32_t keyIndex = 0;
};

} // namespace coil::import

#endif // COIL_IMPORT_JSON_H
