//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes values as Python's pickle, protocol 2.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_PICKLE_H
#define COIL_LIB_RUNTIME_PICKLE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace coil::rt {

/// The bytes of one value. Lists and dictionaries are begun and ended; a key is
/// a string before its value.
class Pickle {
public:
  void beginDict() { text += "}("; }
  void endDict() { text += 'u'; }
  void beginList() { text += "]("; }
  void endList() { text += 'e'; }
  void beginTuple() { text += '('; }
  void endTuple() { text += 't'; }

  void add(std::string_view string) {
    text += 'X';
    addBytes(string.size(), 4);
    text += string;
  }
  void add(const char *string) { add(std::string_view(string)); }
  void add(int64_t number) {
    text += "\x8a\x08"; // An integer of eight bytes.
    addBytes(static_cast<uint64_t>(number), 8);
  }
  void add(bool value) { text += value ? '\x88' : '\x89'; }

  template <typename T>
  void add(std::string_view key, const T &value) {
    add(key);
    add(value);
  }

  /// All of it, as a file has it.
  std::string finish() const { return "\x80\x02" + text + '.'; }

private:
  void addBytes(uint64_t number, int count) {
    for (int i = 0; i < count; ++i)
      text += static_cast<char>(number >> (8 * i));
  }

  std::string text;
};

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_PICKLE_H
