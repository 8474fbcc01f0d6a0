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

#include "coil/Support/OutputFile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace coil {

/// What a record's first byte is a multiple of.
constexpr uint64_t kRecordAlignment = 64;

/// Sizes and offsets from here on do not fit in 32 bits: they are in fields of
/// their own (zip64).
constexpr uint64_t kWideFrom = 0xffffffff;

/// Writes a package. The file appears when it is complete, see `OutputFile`.
class ArchiveWriter {
public:
  static llvm::Expected<std::unique_ptr<ArchiveWriter>>
  create(llvm::StringRef path, uint64_t wideFrom = kWideFrom,
         OutputKind kind = OutputKind::Package);

  /// Appends a record. Names are used once.
  void add(llvm::StringRef name, llvm::StringRef data);
  /// Ends the archive; reports what went wrong with this or any record.
  llvm::Error finish();

private:
  ArchiveWriter(std::unique_ptr<OutputFile> file, uint64_t wideFrom)
      : file(std::move(file)), wideFrom(wideFrom) {}
  void u16(uint64_t v);
  void u32(uint64_t v);
  void u64(uint64_t v);
  void put(llvm::StringRef bytes);

  struct Record {
    std::string name;
    uint32_t crc;
    uint64_t size, offset;
  };
  std::unique_ptr<OutputFile> file;
  uint64_t wideFrom;
  uint64_t position = 0;
  std::vector<Record> records;
};

} // namespace coil

#endif // COIL_PACKAGE_ARCHIVEWRITER_H
