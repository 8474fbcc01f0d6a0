//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The object cache: one file per object, written under another name first.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "coil/Support/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using namespace llvm;

/// Bytes of the hash in front of the object.
static constexpr size_t hashBytes = 32;

static BLAKE3Result<hashBytes> hash(StringRef bytes) {
  BLAKE3 hasher;
  hasher.update(bytes);
  return hasher.final<hashBytes>();
}

std::string ObjectCache::getKey(StringRef bytes) {
  return toHex(ArrayRef<uint8_t>(hash(bytes)), /*LowerCase=*/true);
}

std::string ObjectCache::getPath(StringRef key) const {
  SmallString<128> path(directory);
  sys::path::append(path, key + ".o");
  return std::string(path);
}

std::unique_ptr<MemoryBuffer> ObjectCache::load(StringRef key) const {
  if (!isEnabled())
    return nullptr;
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      getPath(key), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file || (*file)->getBufferSize() < hashBytes)
    return nullptr;
  StringRef content = (*file)->getBuffer(),
            object = content.drop_front(hashBytes);
  if (content.take_front(hashBytes) != toStringRef(hash(object)))
    return nullptr;
  return MemoryBuffer::getMemBufferCopy(object, key);
}

void ObjectCache::store(StringRef key, StringRef object) const {
  if (!isEnabled() || sys::fs::create_directories(directory))
    return;
  // An object that cannot be kept is made again.
  consumeError(
      writeFile(getPath(key), (toStringRef(hash(object)) + object).str()));
}
