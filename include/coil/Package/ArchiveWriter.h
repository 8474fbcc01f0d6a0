//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes zip containers as `import::Archive` reads them: records are stored,
// and begin at multiples of 64 bytes, so that who maps the file uses them in
// place.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PACKAGE_ARCHIVEWRITER_H
#define COIL_PACKAGE_ARCHIVEWRITER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_fd_ostream;
} // namespace llvm

namespace coil {

/// What a record's first byte is a multiple of.
constexpr uint64_t kRecordAlignment = 64;

/// Sizes and offsets from here on do not fit in 32 bits: they are in fields of
/// their own (zip64).
constexpr uint64_t kWideFrom = 0xffffffff;

/// Writes to a temporary file, which takes the place of the wanted one when all
/// of it is there.
class ArchiveWriter {
public:
  static llvm::Expected<std::unique_ptr<ArchiveWriter>>
  create(llvm::StringRef path, uint64_t wideFrom = kWideFrom);
  ~ArchiveWriter();

  /// Appends a record. Names are used once.
  void add(llvm::StringRef name, llvm::StringRef data);
  /// Ends the archive; reports what went wrong with this or any record.
  llvm::Error finish();

private:
  ArchiveWriter(llvm::StringRef path, uint64_t wideFrom)
      : path(path), wideFrom(wideFrom) {}
  void u16(uint64_t v);
  void u32(uint64_t v);
  void u64(uint64_t v);
  void put(llvm::StringRef bytes);

  struct Record {
    std::string name;
    uint32_t crc;
    uint64_t size, offset;
  };
  std::string path;
  uint64_t wideFrom;
  std::optional<llvm::sys::fs::TempFile> file;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
  uint64_t position = 0;
  std::vector<Record> records;
};

} // namespace coil

#endif // COIL_PACKAGE_ARCHIVEWRITER_H
