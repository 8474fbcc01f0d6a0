//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The layout of a .pt2 file and the checks on its weights.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Package.h"
#include "coil/Support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace coil::import;

/// Alignment that PyTorch gives every record.
static constexpr size_t storageAlignment = 64;

bool Weight::isContiguous() const {
  int64_t expected = 1;
  for (auto [size, stride] : zip_equal(reverse(sizes), reverse(strides))) {
    if (size == 0)
      return true;
    if (size != 1 && stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

const Weight *WeightStore::lookup(StringRef name) const {
  auto it = index.find(name);
  return it == index.end() ? nullptr : &weights[it->second];
}

//===----------------------------------------------------------------------===//
// Package
//===----------------------------------------------------------------------===//

const ArchiveRecord *Package::lookup(const Twine &name) const {
  return archive->lookup((root + "/" + name).str());
}

Expected<Package> Package::open(StringRef path, const Limits &limits) {
  Expected<std::shared_ptr<const Archive>> archive =
      Archive::open(path, limits);
  if (!archive)
    return archive.takeError();
  return create(std::move(*archive));
}

Expected<Package> Package::create(std::shared_ptr<const Archive> archive) {
  Package package;
  package.archive = std::move(archive);
  ArrayRef<ArchiveRecord> records = package.archive->getRecords();
  if (records.empty())
    return makeError("the archive is empty");
  if (package.archive->lookup("serialized_exported_program.json"))
    return makeError("the file was saved by PyTorch 2.8 or older; save it "
                     "again with PyTorch 2.9 or newer");
  package.root = records.front().name.split('/').first;
  for (const ArchiveRecord &record : records)
    if (record.name.split('/').first != package.root)
      return makeError("the record " + quoted(record.name) +
                       " is not in the archive's root folder " +
                       quoted(package.root));

  auto require = [&](StringRef name, StringRef value) -> Error {
    const ArchiveRecord *record = package.lookup(name);
    if (!record)
      return makeError("not a .pt2 file: the record '" + name + "' is missing");
    if (Error error = Archive::checkCRC(*record))
      return error;
    if (record->data.trim() != value)
      return makeError("the record '" + name + "' says " +
                       quoted(record->data.trim()) + ", expected '" + value +
                       "'");
    return Error::success();
  };
  if (Error error = require("archive_format", "pt2"))
    return std::move(error);
  if (Error error = require("archive_version", "0"))
    return std::move(error);
  if (Error error = require("byteorder", "little"))
    return std::move(error);

  for (const ArchiveRecord &record : records) {
    StringRef name = record.name.drop_front(package.root.size() + 1);
    if (name.consume_front("models/") && name.consume_back(".json"))
      package.models.push_back(name);
  }
  if (package.models.empty())
    return makeError("not an exported program: the archive has no record "
                     "'models/*.json'");
  return package;
}

Expected<StringRef> Package::resolveModel(StringRef model) const {
  if (!model.empty()) {
    if (is_contained(models, model))
      return model;
    return makeError("the file has no program named " + quoted(model));
  }
  if (models.size() == 1)
    return models.front();
  std::string names;
  for (StringRef name : models)
    names += " " + quoted(name);
  return makeError("the file has several programs, choose one with --model:" +
                   names);
}

Expected<StringRef> Package::getProgramText(StringRef model) const {
  Expected<StringRef> name = resolveModel(model);
  if (!name)
    return name.takeError();
  const ArchiveRecord *record = lookup("models/" + *name + ".json");
  if (Error error = Archive::checkCRC(*record))
    return std::move(error);
  return record->data;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Turns sizes or strides into numbers.
static bool getNumbers(ArrayRef<SymInt> dims, SmallVectorImpl<int64_t> &out) {
  for (const SymInt &dim : dims) {
    if (dim.isSymbolic())
      return false;
    out.push_back(dim.value);
  }
  return true;
}

/// Checks that every element of \p weight lies inside its storage.
static Error checkExtent(const Weight &weight) {
  auto fail = [&](const Twine &what) {
    return makeError("weight " + quoted(weight.name) + ": " + what);
  };
  uint64_t itemSize = getByteSize(weight.dtype);
  uint64_t bytes = weight.storage.size();
  if (bytes % itemSize != 0)
    return fail("the " + Twine(bytes) + " bytes of the record " +
                quoted(weight.record) + " are no whole number of elements");
  if (is_contained(weight.sizes, 0))
    return Error::success();
  unsigned __int128 last = uint64_t(weight.storageOffset);
  for (auto [size, stride] : zip_equal(weight.sizes, weight.strides)) {
    if (stride < 0)
      return fail("a stride is negative");
    // Both factors are below 2^63, and the sum has at most 64 + 1 terms that
    // are cut off as soon as one is too large.
    last += static_cast<unsigned __int128>(size - 1) * uint64_t(stride);
    if (last >= bytes / itemSize)
      break;
  }
  if (last >= bytes / itemSize)
    return fail("it reaches beyond the " + Twine(bytes) +
                " bytes of the record " + quoted(weight.record));
  return Error::success();
}

/// What is worth a start of threads: a tenth of a millisecond of checking.
static constexpr uint64_t kMinParallelBytes = 1 << 20;

/// Compares records with their CRC-32, several at a time; the error is that of
/// the first one that differs.
static Error checkCRCs(ArrayRef<const ArchiveRecord *> records) {
  SmallVector<char> damaged(records.size());
  uint64_t bytes = 0;
  for (const ArchiveRecord *record : records)
    bytes += record->data.size();
  auto check = [&](size_t i) {
    damaged[i] = errorToBool(Archive::checkCRC(*records[i]));
  };
  if (records.size() < 2 || bytes < kMinParallelBytes) {
    for (size_t i = 0; i < records.size(); ++i)
      check(i);
  } else {
    // Threads of its own: those of the process, which LLVM makes once, do not
    // exist in the child of a fork, which would wait for them.
    coil::runOnThreads(static_cast<unsigned>(records.size()), check);
  }
  for (auto [record, isDamaged] : zip_equal(records, damaged))
    if (isDamaged)
      return Archive::checkCRC(*record);
  return Error::success();
}

Error Package::addWeights(WeightStore &store, StringRef folder, StringRef model,
                          ArrayRef<StringRef> configNames, const Limits &limits,
                          bool checkCRC) const {
  const ArchiveRecord *configRecord = nullptr;
  for (StringRef name : configNames)
    if (!configRecord)
      configRecord = lookup(folder + "/" + model + name);
  if (!configRecord) {
    if (lookup(folder + "/" + model + ".pt"))
      return makeError("the weights are in a pickle ('" + folder + "/" +
                       quoted((model + ".pt").str()).substr(1) +
                       ", written by PyTorch 2.8); save the file again with "
                       "PyTorch 2.9 or newer");
    return Error::success(); // A program without weights.
  }
  if (Error error = Archive::checkCRC(*configRecord))
    return error;
  BumpPtrAllocator storage;
  std::vector<WeightConfig> configs;
  if (Error error =
          parseWeightsConfig(configRecord->data, limits, storage, configs))
    return makeError(configRecord->name.drop_front(root.size() + 1) + ": " +
                     toString(std::move(error)));

  StringMap<StringRef> aligned;
  SmallVector<const ArchiveRecord *> unchecked;
  for (const WeightConfig &config : configs) {
    auto fail = [&](const Twine &what) {
      return makeError("weight " + quoted(config.fqn) + ": " + what);
    };
    if (config.usesPickle)
      return fail("it is stored as a pickle, which is not read; only plain "
                  "tensors are supported");
    if (!config.meta)
      return fail("it has no 'tensor_meta'");
    const ArchiveRecord *record = lookup(folder + "/" + config.path);
    if (!record)
      return fail("the record " + quoted(config.path) + " is missing");
    if (config.meta->layout != stridedLayout)
      return fail("only strided tensors are supported, not layout " +
                  Twine(config.meta->layout));

    Weight weight;
    weight.name = config.fqn.str();
    weight.dtype = config.meta->dtype;
    weight.record = record->name;
    if (!getNumbers(config.meta->sizes, weight.sizes) ||
        !getNumbers(config.meta->strides, weight.strides) ||
        config.meta->storageOffset.isSymbolic())
      return fail("its sizes are not numbers");
    weight.storageOffset = config.meta->storageOffset.value;

    auto [it, isNew] = aligned.try_emplace(record->name, record->data);
    if (isNew) {
      if (checkCRC)
        unchecked.push_back(record);
      if (!isAddrAligned(Align(storageAlignment), record->data.data()) &&
          !record->data.empty()) {
        // Rewritten by another tool: what was aligned no longer is.
        size_t size = record->data.size();
        auto &copy = store.copies.emplace_back(
            new (std::nothrow) char[size + storageAlignment]);
        if (!copy)
          return fail("not enough memory for " + Twine(size) + " bytes");
        char *start = reinterpret_cast<char *>(
            alignAddr(copy.get(), Align(storageAlignment)));
        std::memcpy(start, record->data.data(), size);
        it->second = StringRef(start, size);
      }
    }
    weight.storage = it->second;
    if (Error error = checkExtent(weight))
      return error;
    if (!store.index.try_emplace(weight.name, store.weights.size()).second)
      return fail("it occurs more than once");
    store.weights.push_back(std::move(weight));
  }
  return checkCRCs(unchecked);
}

Expected<std::unique_ptr<WeightStore>>
Package::loadWeights(StringRef model, const Limits &limits,
                     bool checkCRC) const {
  Expected<StringRef> name = resolveModel(model);
  if (!name)
    return name.takeError();
  auto store = std::make_unique<WeightStore>();
  store->archive = archive;
  if (Error error =
          addWeights(*store, "data/weights", *name,
                     {"_weights_config.json", "_model_param_config.json"},
                     limits, checkCRC))
    return std::move(error);
  if (Error error = addWeights(*store, "data/constants", *name,
                               {"_constants_config.json"}, limits, checkCRC))
    return std::move(error);
  return std::move(store);
}
