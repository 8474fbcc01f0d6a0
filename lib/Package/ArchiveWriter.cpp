//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The zip format: local headers with data, then the central directory.
//
//===----------------------------------------------------------------------===//

#include "coil/Package/ArchiveWriter.h"

#include "coil/Support/CRC32.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using llvm::Error;
using llvm::Expected;

static constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50,
                          kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                          kLocator64 = 0x07064b50;
/// Extra fields: sizes of 64 bits, and bytes that only move what follows.
static constexpr uint16_t kZip64 = 0x0001, kPadding = 0xd935;
static constexpr uint16_t kVersion = 45, kUTF8 = 0x0800;
/// The first of January 1980: packages of the same contents are the same.
static constexpr uint32_t kDate = 0x00210000;
/// In the place of what is in a wide field.
static constexpr uint64_t kWide = 0xffffffff;

Expected<std::unique_ptr<ArchiveWriter>>
ArchiveWriter::create(llvm::StringRef path, uint64_t wideFrom,
                      OutputKind kind) {
  Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(path, kind);
  if (!file)
    return file.takeError();
  return std::unique_ptr<ArchiveWriter>(
      new ArchiveWriter(std::move(*file), wideFrom));
}

void ArchiveWriter::put(llvm::StringRef bytes) {
  file->os() << bytes;
  position += bytes.size();
}
void ArchiveWriter::u16(uint64_t v) {
  char bytes[2];
  llvm::support::endian::write16le(bytes, uint16_t(v));
  put({bytes, sizeof(bytes)});
}
void ArchiveWriter::u32(uint64_t v) {
  char bytes[4];
  llvm::support::endian::write32le(bytes, uint32_t(v));
  put({bytes, sizeof(bytes)});
}
void ArchiveWriter::u64(uint64_t v) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, v);
  put({bytes, sizeof(bytes)});
}

void ArchiveWriter::add(llvm::StringRef name, llvm::StringRef data) {
  uint32_t crc = crc32(data);
  records.push_back({name.str(), crc, data.size(), position});
  bool wide = data.size() >= wideFrom;
  uint64_t extra = wide ? 20 : 0;
  uint64_t head = position + 30 + name.size() + extra + 4;
  uint64_t padding = llvm::alignTo(head, kRecordAlignment) - head;
  u32(kLocal);
  u16(kVersion);
  u16(kUTF8);
  u16(0); // Stored.
  u32(kDate);
  u32(crc);
  u32(wide ? kWide : data.size());
  u32(wide ? kWide : data.size());
  u16(name.size());
  u16(extra + 4 + padding);
  put(name);
  if (wide) {
    u16(kZip64);
    u16(16);
    u64(data.size());
    u64(data.size());
  }
  u16(kPadding);
  u16(padding);
  put(std::string(padding, '\0'));
  put(data);
}

Error ArchiveWriter::finish() {
  uint64_t directory = position;
  for (const Record &record : records) {
    bool wideSize = record.size >= wideFrom,
         wideOffset = record.offset >= wideFrom;
    uint64_t extra = 16 * wideSize + 8 * wideOffset;
    u32(kCentral);
    u16(kVersion);
    u16(kVersion);
    u16(kUTF8);
    u16(0);
    u32(kDate);
    u32(record.crc);
    u32(wideSize ? kWide : record.size);
    u32(wideSize ? kWide : record.size);
    u16(record.name.size());
    u16(extra ? extra + 4 : 0);
    u16(0); // No comment.
    u16(0); // The first disk.
    u16(0);
    u32(0);
    u32(wideOffset ? kWide : record.offset);
    put(record.name);
    if (extra) {
      u16(kZip64);
      u16(extra);
      if (wideSize) {
        u64(record.size);
        u64(record.size);
      }
      if (wideOffset)
        u64(record.offset);
    }
  }
  uint64_t size = position - directory, count = records.size();
  bool wide = count >= 0xffff || size >= wideFrom || directory >= wideFrom;
  if (wide) {
    uint64_t at = position;
    u32(kEnd64);
    u64(44);
    u16(kVersion);
    u16(kVersion);
    u32(0);
    u32(0);
    u64(count);
    u64(count);
    u64(size);
    u64(directory);
    u32(kLocator64);
    u32(0);
    u64(at);
    u32(1);
  }
  u32(kEnd);
  u16(0);
  u16(0);
  u16(wide ? 0xffff : count);
  u16(wide ? 0xffff : count);
  u32(wide ? kWide : size);
  u32(wide ? kWide : directory);
  u16(0);
  return file->commit();
}
