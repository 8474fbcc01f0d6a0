//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A reader for the zip container of a .pt2 file. The file is mapped into memory
// and every record is a view of the mapping, so weights are used in place.
//
// The reader trusts nothing: it works from the central directory, accepts only
// stored (uncompressed) records, and refuses an archive whose parts overlap or
// disagree with each other.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_ARCHIVE_H
#define COIL_IMPORT_ARCHIVE_H

#include "coil/Import/Limits.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <memory>
#include <optional>
#include <vector>

namespace coil::import {

/// One record of an archive.
struct ArchiveRecord {
  /// Name as stored, with the root folder. Points into the mapping.
  llvm::StringRef name;
  /// The bytes of the record. Points into the mapping.
  llvm::StringRef data;
  /// CRC-32 of the bytes as the central directory has it.
  uint32_t crc = 0;
};

/// A mapped archive whose structure has been checked. Records stay valid for as
/// long as the archive lives, hence the shared ownership.
class Archive {
public:
  /// Maps the file at \p path and checks its structure.
  static llvm::Expected<std::shared_ptr<const Archive>>
  open(llvm::StringRef path, const Limits &limits = {});

  /// Checks the structure of an archive in memory that outlives the result.
  static llvm::Expected<std::shared_ptr<const Archive>>
  fromMemory(llvm::StringRef bytes, const Limits &limits = {});

  /// All records in the order of the central directory, without folders.
  llvm::ArrayRef<ArchiveRecord> getRecords() const { return records; }

  /// The record of that full name, or null.
  const ArchiveRecord *lookup(llvm::StringRef name) const;

  /// Compares the bytes of \p record with its CRC-32.
  static llvm::Error checkCRC(const ArchiveRecord &record);

private:
  Archive() = default;
  llvm::Error parse(const Limits &limits);

  std::optional<llvm::sys::fs::mapped_file_region> mapping;
  llvm::StringRef bytes;
  std::vector<ArchiveRecord> records;
  llvm::StringMap<size_t> index;
};

} // namespace coil::import

#endif // COIL_IMPORT_ARCHIVE_H
