//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The zip container of a .pt2 file, read through its central directory.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Archive.h"

#include "coil/Support/CRC32.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace llvm;
using namespace coil::import;

namespace {

constexpr uint32_t localSignature = 0x04034b50;
constexpr uint32_t centralSignature = 0x02014b50;
constexpr uint32_t descriptorSignature = 0x08074b50;
constexpr uint32_t endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50;
constexpr uint32_t locator64Signature = 0x07064b50;

constexpr uint64_t localSize = 30;
constexpr uint64_t centralSize = 46;
constexpr uint64_t endSize = 22;
constexpr uint64_t locator64Size = 20;
constexpr uint64_t end64Size = 56;
constexpr uint64_t maxCommentSize = 65535;

constexpr uint16_t flagEncrypted = 0x2041; // Encrypted, strong, masked headers.
constexpr uint16_t flagDescriptor = 0x0008;
constexpr uint16_t zip64ExtraID = 0x0001;

/// Reads little-endian fields at checked places.
class Bytes {
public:
  explicit Bytes(StringRef text) : text(text) {}
  uint64_t size() const { return text.size(); }
  /// Whether [offset, offset + length) lies inside.
  bool holds(uint64_t offset, uint64_t length) const {
    return offset <= text.size() && length <= text.size() - offset;
  }
  uint16_t u16(uint64_t at) const { return read<uint16_t>(at); }
  uint32_t u32(uint64_t at) const { return read<uint32_t>(at); }
  uint64_t u64(uint64_t at) const { return read<uint64_t>(at); }
  StringRef slice(uint64_t at, uint64_t length) const {
    assert(holds(at, length) && "caller checks bounds");
    return text.substr(at, length);
  }

private:
  template <typename T>
  T read(uint64_t at) const {
    assert(holds(at, sizeof(T)) && "caller checks bounds");
    return support::endian::read<T, endianness::little>(text.data() + at);
  }
  StringRef text;
};

/// Where the central directory is.
struct Directory {
  uint64_t entries = 0, offset = 0, size = 0;
};

/// Sizes and offset of an entry, which zip64 moves to an extra field.
struct WideFields {
  uint64_t stored = 0, plain = 0, offset = 0;
};

/// What a file occupies from its local header to its data descriptor.
struct Extent {
  uint64_t begin, end;
};

} // namespace

/// Finds the end record and, where there is one, the zip64 end record.
static Expected<Directory> findDirectory(const Bytes &file) {
  if (file.size() < endSize)
    return makeError("not a zip archive: the file has only " +
                     Twine(file.size()) + " bytes");
  // The comment runs to the end of the file, which tells a real end record from
  // bytes that look like one.
  uint64_t last = file.size() - endSize;
  uint64_t lowest = last > maxCommentSize ? last - maxCommentSize : 0;
  std::optional<uint64_t> end;
  for (uint64_t at = last + 1; at-- > lowest;) {
    if (file.u32(at) == endSignature && file.u16(at + 20) == last - at) {
      end = at;
      break;
    }
  }
  if (!end)
    return makeError("not a zip archive, or a truncated one: no end of central "
                     "directory record");

  Directory dir;
  uint16_t disk = file.u16(*end + 4), dirDisk = file.u16(*end + 6);
  uint16_t entriesHere = file.u16(*end + 8), entries = file.u16(*end + 10);
  uint32_t size = file.u32(*end + 12), offset = file.u32(*end + 16);
  uint64_t dirEnd = *end;
  bool has64 = *end >= locator64Size &&
               file.u32(*end - locator64Size) == locator64Signature;
  if (has64) {
    uint64_t locator = *end - locator64Size;
    uint64_t at = file.u64(locator + 8);
    if (file.u32(locator + 4) != 0 || file.u32(locator + 16) > 1)
      return makeError("an archive split over several files is not supported");
    if (at > locator || !file.holds(at, end64Size) ||
        locator - at < end64Size || file.u32(at) != end64Signature)
      return makeError("the zip64 locator does not point at a zip64 end "
                       "record");
    if (file.u64(at + 4) != locator - at - 12)
      return makeError("the zip64 end record has the wrong size");
    if (file.u32(at + 16) != 0 || file.u32(at + 20) != 0 ||
        file.u64(at + 24) != file.u64(at + 32))
      return makeError("an archive split over several files is not supported");
    dir.entries = file.u64(at + 32);
    dir.size = file.u64(at + 40);
    dir.offset = file.u64(at + 48);
    if ((entries != 0xffff && entries != dir.entries) ||
        (size != 0xffffffff && size != dir.size) ||
        (offset != 0xffffffff && offset != dir.offset))
      return makeError("the end record and the zip64 end record disagree");
    dirEnd = at;
  } else {
    if (disk != 0 || dirDisk != 0 || entriesHere != entries)
      return makeError("an archive split over several files is not supported");
    if (entries == 0xffff || size == 0xffffffff || offset == 0xffffffff)
      return makeError("the zip64 end record is missing");
    dir = {entries, offset, size};
  }
  if (dir.offset > dirEnd || dir.size != dirEnd - dir.offset)
    return makeError("the central directory does not end where the end record "
                     "begins");
  return dir;
}

/// Takes 64-bit values from the zip64 extra field for those that are all ones.
static Error readZip64Extra(StringRef extra, WideFields &fields,
                            bool withOffset, StringRef name) {
  bool wantPlain = fields.plain == 0xffffffff;
  bool wantStored = fields.stored == 0xffffffff;
  bool wantOffset = withOffset && fields.offset == 0xffffffff;
  Bytes bytes(extra);
  uint64_t at = 0;
  while (bytes.holds(at, 4)) {
    uint16_t id = bytes.u16(at), length = bytes.u16(at + 2);
    at += 4;
    if (!bytes.holds(at, length))
      return makeError("record " + quoted(name) +
                       " has a malformed extra field");
    if (id == zip64ExtraID) {
      uint64_t pos = at, end = at + length;
      for (auto [want, field] : {std::pair(wantPlain, &fields.plain),
                                 std::pair(wantStored, &fields.stored),
                                 std::pair(wantOffset, &fields.offset)}) {
        if (!want)
          continue;
        if (end - pos < 8)
          return makeError("record " + quoted(name) +
                           " has a zip64 extra field that is too short");
        *field = bytes.u64(pos);
        pos += 8;
      }
      return Error::success();
    }
    at += length;
  }
  if (wantPlain || wantStored || wantOffset)
    return makeError("record " + quoted(name) + " lacks its zip64 extra field");
  return Error::success();
}

static Error checkName(StringRef name, const Limits &limits) {
  if (name.empty())
    return makeError("a record has an empty name");
  if (name.size() > limits.maxNameLength)
    return makeLimitError("the length of the record name " + quoted(name),
                          name.size(), limits.maxNameLength, "max-name-length");
  if (name.contains('\0'))
    return makeError("the record name " + quoted(name) + " has a NUL byte");
  if (name.contains('\\'))
    return makeError("the record name " + quoted(name) + " has a backslash");
  if (!json::isUTF8(name))
    return makeError("the record name " + quoted(name) + " is not UTF-8");
  if (name.starts_with("/"))
    return makeError("the record name " + quoted(name) + " is absolute");
  StringRef rest = name;
  rest.consume_back("/");
  SmallVector<StringRef> parts;
  rest.split(parts, '/');
  for (StringRef part : parts)
    if (part.empty() || part == "." || part == "..")
      return makeError("the record name " + quoted(name) +
                       " has an empty, '.' or '..' component");
  return Error::success();
}

/// Checks the data descriptor behind a record; returns its length. A descriptor
/// may lack its signature and may have 64-bit sizes.
static Expected<uint64_t> checkDescriptor(const Bytes &file, uint64_t at,
                                          uint32_t crc, uint64_t size,
                                          StringRef name) {
  for (uint64_t skip : {4, 0}) {
    for (bool wide : {false, true}) {
      uint64_t length = skip + 4 + (wide ? 16 : 8);
      if (!file.holds(at, length) ||
          (skip && file.u32(at) != descriptorSignature))
        continue;
      uint64_t fields = at + skip;
      uint64_t stored = wide ? file.u64(fields + 4) : file.u32(fields + 4);
      uint64_t plain = wide ? file.u64(fields + 12) : file.u32(fields + 8);
      if (file.u32(fields) == crc && stored == size && plain == size)
        return length;
    }
  }
  return makeError("record " + quoted(name) +
                   ": the data descriptor and the central directory disagree");
}

Error Archive::parse(const Limits &limits) {
  Bytes file(bytes);
  Expected<Directory> dir = findDirectory(file);
  if (!dir)
    return dir.takeError();
  if (dir->entries > limits.maxEntries)
    return makeLimitError("the number of archive entries", dir->entries,
                          limits.maxEntries, "max-entries");
  if (dir->entries > dir->size / centralSize)
    return makeError("the central directory is too small for its " +
                     Twine(dir->entries) + " entries");

  std::vector<Extent> extents;
  extents.reserve(dir->entries);
  records.reserve(dir->entries);
  StringMap<char> names;
  uint64_t at = dir->offset, dirEnd = dir->offset + dir->size;
  for (uint64_t i = 0; i < dir->entries; ++i) {
    if (dirEnd - at < centralSize || file.u32(at) != centralSignature)
      return makeError("central directory entry " + Twine(i) + " is malformed");
    uint16_t flags = file.u16(at + 8), method = file.u16(at + 10);
    uint32_t crc = file.u32(at + 16);
    WideFields fields{file.u32(at + 20), file.u32(at + 24), file.u32(at + 42)};
    uint64_t nameLength = file.u16(at + 28), extraLength = file.u16(at + 30);
    uint64_t commentLength = file.u16(at + 32);
    uint16_t disk = file.u16(at + 34);
    if (nameLength + extraLength + commentLength > dirEnd - at - centralSize)
      return makeError("central directory entry " + Twine(i) + " is malformed");
    StringRef name = file.slice(at + centralSize, nameLength);
    StringRef extra = file.slice(at + centralSize + nameLength, extraLength);
    at += centralSize + nameLength + extraLength + commentLength;

    if (Error error = checkName(name, limits))
      return error;
    StringRef key = name;
    key.consume_back("/");
    if (!names.try_emplace(key).second)
      return makeError("the record name " + quoted(name) +
                       " occurs more than once");
    if (Error error = readZip64Extra(extra, fields, /*withOffset=*/true, name))
      return error;
    if (flags & flagEncrypted)
      return makeError("record " + quoted(name) + " is encrypted");
    if (method != 0)
      return makeError("record " + quoted(name) + " is compressed (method " +
                       Twine(method) +
                       "); only stored records are read, as "
                       "torch.export.save writes them");
    if (fields.stored != fields.plain)
      return makeError("record " + quoted(name) +
                       " is stored but has two different sizes");
    if (disk != 0 && disk != 0xffff)
      return makeError("an archive split over several files is not supported");

    // The local header must tell the same; zero stands for "not known yet".
    uint64_t local = fields.offset;
    if (local > dir->offset || dir->offset - local < localSize ||
        file.u32(local) != localSignature)
      return makeError("record " + quoted(name) +
                       " has no local header where the central directory "
                       "says");
    uint64_t localNameLength = file.u16(local + 26);
    uint64_t localExtraLength = file.u16(local + 28);
    uint64_t head = localSize + localNameLength + localExtraLength;
    if (dir->offset - local < head ||
        dir->offset - local - head < fields.stored)
      return makeError("record " + quoted(name) +
                       " reaches into the central directory");
    if (file.slice(local + localSize, localNameLength) != name)
      return makeError("record " + quoted(name) +
                       " has another name in its local header");
    WideFields localFields{file.u32(local + 18), file.u32(local + 22), 0};
    StringRef localExtra =
        file.slice(local + localSize + localNameLength, localExtraLength);
    if (Error error = readZip64Extra(localExtra, localFields,
                                     /*withOffset=*/false, name))
      return error;
    uint32_t localCRC = file.u32(local + 14);
    if (file.u16(local + 8) != method ||
        (file.u16(local + 6) & flagEncrypted) ||
        (localCRC != 0 && localCRC != crc) ||
        (localFields.stored != 0 && localFields.stored != fields.stored) ||
        (localFields.plain != 0 && localFields.plain != fields.plain))
      return makeError("record " + quoted(name) +
                       ": the local header and the central directory "
                       "disagree");

    uint64_t begin = local + head, end = begin + fields.stored;
    StringRef data = file.slice(begin, fields.stored);
    if ((flags | file.u16(local + 6)) & flagDescriptor) {
      Expected<uint64_t> length =
          checkDescriptor(file, end, crc, fields.stored, name);
      if (!length)
        return length.takeError();
      end += *length;
    }
    extents.push_back({local, end});
    if (name.ends_with("/")) {
      if (!data.empty())
        return makeError("the folder " + quoted(name) + " has contents");
      continue;
    }
    index.try_emplace(name, records.size());
    records.push_back({name, data, crc});
  }
  if (at != dirEnd)
    return makeError("the central directory holds more than its " +
                     Twine(dir->entries) + " entries");

  llvm::sort(extents, [](const Extent &a, const Extent &b) {
    return a.begin < b.begin;
  });
  uint64_t previousEnd = 0;
  for (const Extent &extent : extents) {
    if (extent.begin < previousEnd || extent.end > dir->offset)
      return makeError("the records of the archive overlap");
    previousEnd = extent.end;
  }
  return Error::success();
}

Expected<std::shared_ptr<const Archive>>
Archive::fromMemory(StringRef bytes, const Limits &limits) {
  std::shared_ptr<Archive> archive(new Archive());
  archive->bytes = bytes;
  if (Error error = archive->parse(limits))
    return std::move(error);
  return std::shared_ptr<const Archive>(std::move(archive));
}

Expected<std::shared_ptr<const Archive>> Archive::open(StringRef path,
                                                       const Limits &limits) {
  auto fail = [](std::error_code ec) { return makeError(ec.message()); };
  sys::fs::file_status status;
  if (std::error_code ec = sys::fs::status(path, status))
    return fail(ec);
  if (!sys::fs::is_regular_file(status))
    return makeError("not a regular file");
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  // The size of what was opened, which the path may no longer name.
  std::error_code ec = sys::fs::status(*file, status);
  uint64_t size = ec ? 0 : status.getSize();
  std::shared_ptr<Archive> archive(new Archive());
  if (!ec && size != 0)
    archive->mapping.emplace(*file, sys::fs::mapped_file_region::readonly, size,
                             /*offset=*/0, ec);
  (void)sys::fs::closeFile(*file);
  if (ec)
    return fail(ec);
  if (size == 0)
    return makeError("the file is empty");
  if (limits.maxFileSize != 0 && size > limits.maxFileSize)
    return makeLimitError("the size of the file", size, limits.maxFileSize,
                          "max-file-size");
  archive->bytes = StringRef(archive->mapping->const_data(), size);
  if (Error error = archive->parse(limits))
    return std::move(error);
  return std::shared_ptr<const Archive>(std::move(archive));
}

const ArchiveRecord *Archive::lookup(StringRef name) const {
  auto it = index.find(name);
  return it == index.end() ? nullptr : &records[it->second];
}

Error Archive::checkCRC(const ArchiveRecord &record) {
  if (coil::crc32(record.data) != record.crc)
    return makeError("record " + quoted(record.name) +
                     " is damaged: its CRC-32 does not match");
  return Error::success();
}
