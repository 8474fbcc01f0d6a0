//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Builds zip archives the way PyTorch does, with a handle on every field so
// that tests can make them lie.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_IMPORT_ZIPBUILDER_H
#define COIL_TEST_UNIT_IMPORT_ZIPBUILDER_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

struct ZipEntry {
  std::string data;
  std::string localName, centralName;
  uint32_t crc = 0;
  uint16_t flags = 0x0808;
  uint16_t method = 0;
  std::optional<uint16_t> localMethod;
  uint32_t localCRC = 0, localStored = 0, localPlain = 0;
  std::optional<uint32_t> descriptorCRC;
  std::optional<uint64_t> centralStored, centralPlain, centralOffset;
  bool wideCentral = false;      ///< Sizes and offset in a zip64 extra field.
  bool sharesOffset = false;     ///< Points at the previous entry's header.
  bool offsetInPrevious = false; ///< Points at the previous entry's data.
};

class ZipBuilder {
public:
  bool withZip64End = true;
  std::optional<uint64_t> entryCount, directoryOffset, directorySize;

  ZipEntry &add(const std::string &name, const std::string &data) {
    ZipEntry &entry = entries.emplace_back();
    entry.localName = entry.centralName = name;
    entry.data = data;
    entry.crc = llvm::crc32(llvm::arrayRefFromStringRef(data));
    return entry;
  }

  /// The bytes of the first entry up to the central directory.
  std::string localBytes() { return localPart(entries.front(), 0).first; }

  std::string finish() {
    std::string out;
    std::vector<uint64_t> offsets;
    uint64_t previousData = 0;
    for (ZipEntry &entry : entries) {
      if (entry.sharesOffset || entry.offsetInPrevious) {
        offsets.push_back(entry.sharesOffset ? offsets.back() : previousData);
        continue;
      }
      offsets.push_back(out.size());
      auto [part, dataAt] = localPart(entry, out.size());
      previousData = out.size() + dataAt;
      out += part;
    }
    uint64_t dir = out.size();
    size_t index = 0;
    for (ZipEntry &entry : entries)
      central(out, entry, offsets[index++]);
    uint64_t size = directorySize.value_or(out.size() - dir);
    uint64_t offset = directoryOffset.value_or(dir);
    uint64_t count = entryCount.value_or(entries.size());
    if (withZip64End) {
      uint64_t at = out.size();
      put(out, 0x06064b50, 4);
      put(out, 44, 8);
      put(out, 45, 2);
      put(out, 45, 2);
      put(out, 0, 8); // Disks.
      put(out, count, 8);
      put(out, count, 8);
      put(out, size, 8);
      put(out, offset, 8);
      put(out, 0x07064b50, 4);
      put(out, 0, 4);
      put(out, at, 8);
      put(out, 1, 4);
    }
    put(out, 0x06054b50, 4);
    put(out, 0, 4); // Disks.
    put(out, std::min<uint64_t>(count, 0xffff), 2);
    put(out, std::min<uint64_t>(count, 0xffff), 2);
    put(out, std::min<uint64_t>(size, 0xffffffff), 4);
    put(out, std::min<uint64_t>(offset, 0xffffffff), 4);
    put(out, 0, 2);
    return out;
  }

private:
  static void put(std::string &out, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i)
      out += char(v >> (8 * i));
  }

  /// Local header, padding, data and descriptor, and where the data begins.
  static std::pair<std::string, uint64_t> localPart(const ZipEntry &entry,
                                                    uint64_t at) {
    std::string out;
    put(out, 0x04034b50, 4);
    put(out, 0, 2);
    put(out, entry.flags, 2);
    put(out, entry.localMethod.value_or(entry.method), 2);
    put(out, 0, 4);
    put(out, entry.localCRC, 4);
    put(out, entry.localStored, 4);
    put(out, entry.localPlain, 4);
    put(out, entry.localName.size(), 2);
    uint64_t fixed = at + 30 + entry.localName.size() + 4;
    uint64_t fill = (64 - fixed % 64) % 64;
    put(out, 4 + fill, 2);
    out += entry.localName;
    out += "FB";
    put(out, fill, 2);
    out.append(fill, 'Z');
    uint64_t dataAt = out.size();
    out += entry.data;
    if (entry.flags & 8) {
      put(out, 0x08074b50, 4);
      put(out, entry.descriptorCRC.value_or(entry.crc), 4);
      put(out, entry.data.size(), 4);
      put(out, entry.data.size(), 4);
    }
    return {out, dataAt};
  }

  static void central(std::string &out, const ZipEntry &entry,
                      uint64_t offset) {
    uint64_t stored = entry.centralStored.value_or(entry.data.size());
    uint64_t plain = entry.centralPlain.value_or(entry.data.size());
    offset = entry.centralOffset.value_or(offset);
    bool wide = entry.wideCentral;
    put(out, 0x02014b50, 4);
    put(out, 0, 4); // Versions.
    put(out, entry.flags, 2);
    put(out, entry.method, 2);
    put(out, 0, 4); // Time.
    put(out, entry.crc, 4);
    put(out, wide ? 0xffffffff : stored, 4);
    put(out, wide ? 0xffffffff : plain, 4);
    put(out, entry.centralName.size(), 2);
    put(out, wide ? 28 : 0, 2);
    put(out, 0, 2); // Comment.
    put(out, 0, 2); // Disk.
    put(out, 0, 6); // Attributes.
    put(out, wide ? 0xffffffff : offset, 4);
    out += entry.centralName;
    if (wide) {
      put(out, 1, 2);
      put(out, 24, 2);
      put(out, plain, 8);
      put(out, stored, 8);
      put(out, offset, 8);
    }
  }

  std::list<ZipEntry> entries;
};

#endif // COIL_TEST_UNIT_IMPORT_ZIPBUILDER_H
