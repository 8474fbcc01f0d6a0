//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directory of compiled programs: names, checks, writes and eviction.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/ProgramCache.h"

#include "coil/Pipelines/Options.h"
#include "coil/Support/Error.h"
#include "coil/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

using namespace coil;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;

/// Documented in docs/concepts/CompileCache.md: some ten thousand programs of
/// common size.
static constexpr uint64_t kDefaultLimit = uint64_t(2) << 30;
/// Entries that a process writes before it looks again at what others wrote.
static constexpr unsigned kStoresPerScan = 64;
/// How much of the limit eviction leaves, so that not each store evicts.
static constexpr double kFillAfterEviction = 0.9;
/// Nobody writes one file for so long: what is left is of a process that died.
static constexpr std::chrono::hours kTemporaryLife(1);
/// Precision of the order in which entries are used.
static constexpr std::chrono::seconds kUsePrecision(60);

static constexpr StringRef kProgram = ".coilpkg", kRefusal = ".refusal";

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

CacheKey &CacheKey::add(uint64_t number) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, number);
  hasher.update(StringRef(bytes, sizeof(bytes)));
  return *this;
}

CacheKey &CacheKey::add(StringRef bytes) {
  add(bytes.size());
  hasher.update(bytes);
  return *this;
}

std::string CacheKey::finish() {
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hasher.final()),
                     /*LowerCase=*/true);
}

/// The hash in front of a refusal.
static std::string getHash(StringRef text) {
  return CacheKey().add(text).finish();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

namespace {
struct Counters {
  std::atomic<int64_t> hits{0}, misses{0}, refusals{0}, stores{0}, damaged{0},
      evicted{0};
};
} // namespace

static Counters counters;

CacheCounts ProgramCache::getCounts() {
  return {counters.hits,   counters.misses,  counters.refusals,
          counters.stores, counters.damaged, counters.evicted};
}

void ProgramCache::countHit() { ++counters.hits; }
void ProgramCache::countMiss() { ++counters.misses; }

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static StringRef getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Where the cache is, by the environment.
static Expected<std::string> findDirectory() {
  if (StringRef named = getVariable("COIL_CACHE_DIR"); !named.empty())
    return named.str();
  llvm::SmallString<128> path(getVariable("XDG_CACHE_HOME"));
  // The specification of base directories ignores paths that are not absolute.
  if (!llvm::sys::path::is_absolute(path)) {
    if (!llvm::sys::path::home_directory(path))
      return makeError("there is no home directory; set COIL_CACHE_DIR, or "
                       "COIL_CACHE=0 for none");
    llvm::sys::path::append(path, ".cache");
  }
  llvm::sys::path::append(path, "coil");
  return std::string(path);
}

Expected<std::optional<ProgramCache>> ProgramCache::open() {
  StringRef use = getVariable("COIL_CACHE");
  if (use == "0")
    return std::nullopt;
  if (!use.empty() && use != "1")
    return makeError("COIL_CACHE is '" + use + "', expected 0 or 1");
  uint64_t limit = kDefaultLimit;
  if (StringRef size = getVariable("COIL_CACHE_SIZE"); !size.empty()) {
    std::optional<int64_t> bytes = parseBytes(size);
    if (!bytes)
      return makeError("COIL_CACHE_SIZE is '" + size +
                       "', expected a number of bytes such as 512M or 2G");
    limit = uint64_t(*bytes);
  }
  Expected<std::string> found = findDirectory();
  if (!found)
    return found.takeError();
  llvm::SmallString<128> path(*found);
  llvm::sys::path::append(path, "programs");
  auto refuse = [&](const Twine &why) {
    return makeError("'" + Twine(path) +
                     "' cannot keep compiled programs: " + why);
  };
  if (std::error_code error =
          fs::create_directories(path, /*IgnoreExisting=*/true, fs::owner_all))
    return refuse(error.message());
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return refuse(llvm::errnoAsErrorCode().message());
  bool isTrusted = status.st_uid == geteuid() || status.st_uid == 0;
  if (!isTrusted || (status.st_mode & S_IWOTH))
    return refuse("it belongs to another user, or any user may write to it");
  return ProgramCache(std::string(path), limit);
}

std::string ProgramCache::getPath(StringRef key, StringRef extension) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, key.take_front(2), key + extension);
  return std::string(path);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Notes that an entry was used now, for eviction.
static void touch(const std::string &path, const fs::file_status &status) {
  auto now = std::chrono::system_clock::now();
  if (now - status.getLastModificationTime() < kUsePrecision)
    return;
  timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  // Where the directory is not writable nothing is evicted either.
  (void)utimensat(AT_FDCWD, path.c_str(), times, /*flags=*/0);
}

std::optional<ProgramPackage> ProgramCache::load(StringRef key) const {
  std::string path = getPath(key, kProgram);
  fs::file_status status;
  if (fs::status(path, status))
    return std::nullopt;
  Expected<ProgramPackage> package = readPackage(path, PackageCheck::Fast);
  if (!package) {
    llvm::consumeError(package.takeError());
    // Another process may have removed it.
    if (fs::exists(path)) {
      ++counters.damaged;
      fs::remove(path);
    }
    return std::nullopt;
  }
  touch(path, status);
  return std::move(*package);
}

std::optional<std::string> ProgramCache::loadRefusal(StringRef key) const {
  std::string path = getPath(key, kRefusal);
  fs::file_status status;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file || fs::status(path, status))
    return std::nullopt;
  auto [hash, reason] = (*file)->getBuffer().split('\n');
  if (hash != getHash(reason)) {
    ++counters.damaged;
    fs::remove(path);
    return std::nullopt;
  }
  touch(path, status);
  ++counters.refusals;
  return reason.str();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Makes the directory of an entry.
static Error makeParent(StringRef path) {
  StringRef parent = llvm::sys::path::parent_path(path);
  if (std::error_code error =
          fs::create_directory(parent, /*IgnoreExisting=*/true, fs::owner_all))
    return makeError("cannot make '" + parent + "': " + error.message());
  return Error::success();
}

Error ProgramCache::store(StringRef key, const ProgramPackage &package) const {
  std::string path = getPath(key, kProgram);
  if (Error error = makeParent(path))
    return error;
  if (Error error = writePackage(package, path, OutputKind::CacheEntry))
    return error;
  ++counters.stores;
  keepLimit(path);
  return Error::success();
}

Error ProgramCache::storeRefusal(StringRef key, StringRef reason) const {
  std::string path = getPath(key, kRefusal);
  if (Error error = makeParent(path))
    return error;
  if (Error error = writeFile(path, (getHash(reason) + "\n" + reason).str(),
                              OutputKind::CacheEntry))
    return error;
  ++counters.stores;
  keepLimit(path);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

namespace {
struct Entry {
  std::string path;
  uint64_t bytes;
  llvm::sys::TimePoint<> used;
};

/// What this process knows of the directory that it wrote to last.
struct Usage {
  std::mutex mutex;
  std::string directory;
  uint64_t bytes = 0;
  unsigned stores = 0;
};
} // namespace

/// Lists the entries of a directory, and removes what processes left that died
/// while they wrote.
static std::vector<Entry> scan(StringRef directory) {
  std::vector<Entry> entries;
  auto now = std::chrono::system_clock::now();
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error)) {
    auto status = it->status();
    if (!status || status->type() != fs::file_type::regular_file)
      continue; // Removed meanwhile, or a directory.
    StringRef path = it->path();
    if (path.ends_with(kProgram) || path.ends_with(kRefusal))
      entries.push_back(
          {path.str(), status->getSize(), status->getLastModificationTime()});
    else if (path.ends_with(".tmp") &&
             now - status->getLastModificationTime() > kTemporaryLife)
      fs::remove(path);
  }
  return entries;
}

void ProgramCache::keepLimit(StringRef path) const {
  static auto *usage = new Usage;
  std::lock_guard<std::mutex> lock(usage->mutex);
  uint64_t bytes = 0;
  if (!fs::file_size(path, bytes))
    usage->bytes += bytes;
  bool isKnown =
      usage->directory == directory && ++usage->stores < kStoresPerScan;
  if (isKnown && usage->bytes <= limit)
    return;
  std::vector<Entry> entries = scan(directory);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.bytes;
  if (total > limit) {
    llvm::sort(entries,
               [](const Entry &a, const Entry &b) { return a.used < b.used; });
    auto wanted = uint64_t(double(limit) * kFillAfterEviction);
    for (const Entry &entry : entries) {
      if (total <= wanted)
        break;
      // Whoever has it mapped keeps it.
      if (!fs::remove(entry.path, /*IgnoreNonExisting=*/false))
        ++counters.evicted;
      total -= entry.bytes;
    }
  }
  usage->directory = directory;
  usage->bytes = total;
  usage->stores = 0;
}
