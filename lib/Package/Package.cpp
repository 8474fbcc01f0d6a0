//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packages: records with their hashes.
//
//===----------------------------------------------------------------------===//

#include "coil/Package/Package.h"

#include "Manifest.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/Package/ArchiveWriter.h"
#include "coil/Runtime/HostABI.h"
#include "coil/Support/Error.h"
#include "coil/Support/HostTensor.h"
#include "coil/Support/TensorText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <tuple>

using namespace coil;
using import::Archive;
using import::ArchiveRecord;
using import::JSONValue;
using llvm::Error;
using llvm::Expected;
using llvm::json::Array;
using llvm::json::Object;

static constexpr llvm::StringLiteral kManifest = "manifest.json";

bool coil::isPackagePath(llvm::StringRef path) {
  return path.ends_with(".coilpkg");
}

static std::string getXXH3(llvm::StringRef data) {
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(data));
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

static std::string getSHA256(llvm::StringRef data) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(data)),
                     /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// What callers see of a program.
static std::string getInterface(const ProgramImage &image) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto specs :
       {image.signature.getInputs(), image.signature.getOutputs()}) {
    for (const TensorSpec &spec : specs)
      if (spec.isPassed())
        os << spec.name << ": " << spec.str() << " on " << spec.deviceType
           << ":" << spec.deviceIndex << ", ";
    os << "-> ";
  }
  for (const SymbolSpec &symbol : image.signature.getSymbols())
    os << symbol.name << ": " << symbol.min << " to " << symbol.max << ", ";
  return text;
}

Expected<const ProgramVariant *>
coil::selectVariant(const ProgramPackage &package, int32_t device) {
  const ProgramVariant *best = nullptr;
  std::tuple<unsigned, bool, size_t> most;
  std::string reason, chips;
  for (const ProgramVariant &variant : package.variants) {
    const ProgramImage &main = *variant.main;
    std::string chip = getChip(main);
    if (!chip.empty() && !llvm::is_contained(llvm::split(chips, ", "), chip))
      chips += (chips.empty() ? "" : ", ") + chip;
    Error error = Error::success();
    for (const ProgramImage *image : {&main, variant.prepare.get()}) {
      if (image && !error)
        error = Engine::checkProcessor(*image);
      if (image && !error)
        error = Engine::checkDevice(*image, device);
    }
    if (error) {
      std::string text = toString(std::move(error));
      if (reason.empty())
        reason = std::move(text);
      continue;
    }
    bool isMachineCode =
        llvm::any_of(main.kernels,
                     [](const DeviceObject &kernel) { return !kernel.isText; });
    std::tuple<unsigned, bool, size_t> rank = {
        getChipRank(chip), isMachineCode,
        llvm::StringRef(main.features).count('+')};
    if (best && rank <= most)
      continue;
    best = &variant;
    most = rank;
  }
  if (best)
    return best;
  if (package.variants.size() > 1)
    reason += "; none of its " + std::to_string(package.variants.size()) +
              " variants is for this processor" +
              (chips.empty() ? "" : " and GPU, they are for " + chips);
  return makeError(reason);
}

Error coil::mergePackage(ProgramPackage &package, const ProgramPackage &other) {
  if (package.function != other.function)
    return makeError("it has the function '" + other.function + "', not '" +
                     package.function + "'");
  const ProgramImage &first = *package.variants.front().main;
  if (getInterface(*other.variants.front().main) != getInterface(first))
    return makeError("its program has another signature");
  // Programs for different processors may use different weights.
  for (const PackageWeight &weight : other.weights) {
    auto found = llvm::find_if(package.weights, [&](const PackageWeight &each) {
      return each.name == weight.name;
    });
    if (found == package.weights.end())
      package.weights.push_back(weight);
    else if (found->dtype != weight.dtype || found->sizes != weight.sizes ||
             found->data != weight.data)
      return makeError("its weight '" + weight.name + "' is another");
  }
  for (const ProgramVariant &variant : other.variants) {
    const ProgramImage &added = *variant.main;
    std::string chip = getChip(added);
    auto isText = [](const ProgramImage &image) {
      return llvm::all_of(image.kernels, [](const DeviceObject &kernel) {
        return kernel.isText;
      });
    };
    for (const ProgramVariant &each : package.variants)
      if (each.main->triple == added.triple &&
          each.main->features == added.features &&
          getChip(*each.main) == chip && isText(*each.main) == isText(added))
        return makeError("there is a program for such a processor already (" +
                         added.triple + ", " + added.cpu +
                         (chip.empty() ? "" : ", " + chip) + ")");
    package.variants.push_back(variant);
  }
  return Error::success();
}

/// The hash of all that the manifest says of a program, and of its code: what
/// belongs together. Which processor it is for is compared with this one.
static std::string getSeal(const ProgramVariant &variant) {
  auto hash = [](llvm::StringRef, llvm::StringRef data) {
    return getXXH3(data);
  };
  Array parts;
  for (const ProgramImage *image : {variant.main.get(), variant.prepare.get()})
    if (image) {
      llvm::json::Value part = toJSON(*image, hash);
      for (llvm::StringRef key : {"triple", "cpu", "features"})
        part.getAsObject()->erase(key);
      parts.push_back(std::move(part));
    }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(parts));
  return getSHA256(text);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Error coil::writePackage(const ProgramPackage &package, llvm::StringRef path,
                         OutputKind kind) {
  Expected<std::unique_ptr<ArchiveWriter>> writer =
      ArchiveWriter::create(path, kWideFrom, kind);
  if (!writer)
    return writer.takeError();
  Array records;
  // Equal contents are one record.
  llvm::StringMap<std::string> known;
  auto add = [&](llvm::StringRef kind, llvm::StringRef data) {
    std::string sha256 = getSHA256(data);
    std::string &name = known[sha256];
    if (name.empty()) {
      name = (kind + "/" + llvm::Twine(records.size())).str();
      (*writer)->add(name, data);
      records.push_back(Object{{"name", name},
                               {"bytes", int64_t(data.size())},
                               {"xxh3", getXXH3(data)},
                               {"sha256", sha256}});
    }
    return name;
  };
  Array weights;
  for (const PackageWeight &weight : package.weights)
    weights.push_back(Object{{"name", weight.name},
                             {"dtype", coil_dtype_name(weight.dtype)},
                             {"sizes", Array(weight.sizes)},
                             {"record", add("weights", weight.data)}});
  Object manifest{{"format", kPackageFormat},
                  {"version", COIL_VERSION},
                  {"abi", COIL_HOST_ABI_VERSION},
                  {"function", package.function},
                  {"weights", std::move(weights)}};
  // The first is in the manifest itself.
  Array others;
  for (auto [i, variant] : llvm::enumerate(package.variants)) {
    Object program;
    Object &to = i == 0 ? manifest : program;
    to["kernels_before_fusion"] = variant.kernelsBefore;
    to["launches"] = variant.launches;
    to["library_calls"] = variant.libraryCalls;
    to["seal"] = getSeal(variant);
    to["main"] = toJSON(*variant.main, add);
    if (variant.prepare)
      to["prepare"] = toJSON(*variant.prepare, add);
    if (i != 0)
      others.push_back(std::move(program));
  }
  if (!others.empty())
    manifest["others"] = std::move(others);
  manifest["records"] = std::move(records);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", llvm::json::Value(std::move(manifest))) << '\n';
  (*writer)->add(kManifest, text);
  return (*writer)->finish();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Compares the records of the archive with those of the manifest.
static Error checkRecords(const ProgramPackage &package, PackageCheck check) {
  if (package.archive->getRecords().size() != package.records.size() + 1)
    return makeError("the manifest knows " +
                     llvm::Twine(package.records.size() + 1) +
                     " records, the file has " +
                     llvm::Twine(package.archive->getRecords().size()));
  for (const PackageRecord &record : package.records) {
    const ArchiveRecord *found = package.archive->lookup(record.name);
    if (!found)
      return makeError("record '" + record.name + "' is missing");
    if (found->data.size() != record.bytes)
      return makeError("record '" + record.name + "' has " +
                       llvm::Twine(found->data.size()) +
                       " bytes, the manifest says " +
                       llvm::Twine(record.bytes));
    if (check == PackageCheck::None)
      continue;
    if (getXXH3(found->data) != record.xxh3 ||
        (check == PackageCheck::Full &&
         getSHA256(found->data) != record.sha256))
      return makeError("record '" + record.name +
                       "' is damaged: its hash is another than the "
                       "manifest's");
  }
  return Error::success();
}

static Expected<ProgramPackage> read(std::shared_ptr<const Archive> archive,
                                     PackageCheck check) {
  ProgramPackage package;
  package.archive = archive;
  const ArchiveRecord *text = archive->lookup(kManifest);
  if (!text)
    return makeError("it has no '" + kManifest + "', so it is no package");
  if (Error error = Archive::checkCRC(*text))
    return std::move(error);
  Expected<import::JSONDocument> document =
      import::JSONDocument::parse(text->data);
  if (!document)
    return makeError("the manifest is damaged: " +
                     toString(document.takeError()));
  JSONValue root = document->root();
  ManifestReader reader;
  int64_t format = reader.integer(root, "format");
  package.version = reader.text(root, "version");
  if (Error error = reader.take())
    return std::move(error);
  if (format != kPackageFormat)
    return makeError("it has format " + llvm::Twine(format) +
                     ", this is for format " + llvm::Twine(kPackageFormat));
  // Code refers to functions and structures of the runtime.
  int64_t abi = reader.integer(root, "abi");
  if (Error error = reader.take())
    return std::move(error);
  if (abi != COIL_HOST_ABI_VERSION)
    return makeError("its code is for version " + llvm::Twine(abi) +
                     " of the runtime's binary interface, this runtime has "
                     "version " +
                     llvm::Twine(COIL_HOST_ABI_VERSION) +
                     "; it was made by Coil " + package.version +
                     ", this is Coil " COIL_VERSION
                     ": compile the model again");
  package.function = reader.text(root, "function");
  reader.each(root, "records", [&](const JSONValue &each) {
    PackageRecord &record = package.records.emplace_back();
    record.name = reader.text(each, "name");
    record.bytes = uint64_t(reader.integer(each, "bytes", 0));
    record.xxh3 = reader.text(each, "xxh3");
    record.sha256 = reader.text(each, "sha256");
  });
  if (Error error = reader.take())
    return std::move(error);
  if (Error error = checkRecords(package, check))
    return std::move(error);

  // What has no hash is not believed.
  llvm::StringMap<llvm::StringRef> hashed;
  for (const PackageRecord &record : package.records)
    hashed[record.name] = archive->lookup(record.name)->data;
  auto find = [&](llvm::StringRef name) -> Expected<llvm::StringRef> {
    auto found = hashed.find(name);
    if (found == hashed.end())
      return makeError("there is no record '" + name + "'");
    return found->second;
  };
  reader.each(root, "weights", [&](const JSONValue &each) {
    PackageWeight &weight = package.weights.emplace_back();
    weight.name = reader.text(each, "name");
    std::optional<int32_t> dtype = parseDType(reader.text(each, "dtype"));
    if (!dtype)
      reader.fail("weight '" + weight.name + "' has an unknown element type");
    weight.dtype = dtype.value_or(COIL_F32);
    reader.each(each, "sizes", [&](const JSONValue &size) {
      weight.sizes.push_back(reader.integer(size, 0, INT64_MAX));
    });
    Expected<llvm::StringRef> data = find(reader.text(each, "record"));
    if (!data)
      return reader.fail(toString(data.takeError()));
    weight.data = *data;
    std::optional<int64_t> bytes = getTensorBytes(weight.dtype, weight.sizes);
    if (!bytes || uint64_t(*bytes) != data->size())
      reader.fail("weight '" + weight.name + "' has " +
                  llvm::Twine(data->size()) +
                  " bytes, which is not what its sizes say");
  });
  auto program =
      [&](const JSONValue &value) -> std::shared_ptr<const ProgramImage> {
    Expected<ProgramImage> image = readImage(value, find);
    if (!image) {
      reader.fail(toString(image.takeError()));
      return nullptr;
    }
    image->file = archive;
    return std::make_shared<const ProgramImage>(std::move(*image));
  };
  auto readVariant = [&](const JSONValue &value) {
    ProgramVariant &variant = package.variants.emplace_back();
    auto count = [&](llvm::StringRef key) {
      return reader.integer(value, key, 0, INT32_MAX);
    };
    variant.kernelsBefore = count("kernels_before_fusion");
    variant.launches = count("launches");
    variant.libraryCalls = count("library_calls");
    std::string seal = reader.text(value, "seal");
    if (std::optional<JSONValue> main = reader.member(value, "main"))
      variant.main = program(*main);
    if (std::optional<JSONValue> prepare = value.find("prepare"))
      variant.prepare = program(*prepare);
    if (!reader.failed() && getSeal(variant) != seal)
      reader.fail("'" + value.path() +
                  "' is not what the program was compiled as: its hash is "
                  "another");
  };
  readVariant(root);
  if (root.find("others"))
    reader.each(root, "others", readVariant);
  if (Error error = reader.take())
    return std::move(error);
  for (const ProgramVariant &variant : package.variants)
    if (getInterface(*variant.main) !=
        getInterface(*package.variants.front().main))
      return makeError("its variants have different signatures");
  return std::move(package);
}

Expected<ProgramPackage> coil::readPackage(llvm::StringRef path,
                                           PackageCheck check) {
  Expected<std::shared_ptr<const Archive>> archive = Archive::open(path);
  if (!archive)
    return makeError("'" + path + "': " + toString(archive.takeError()));
  Expected<ProgramPackage> package = read(std::move(*archive), check);
  if (!package)
    return makeError("'" + path + "': " + toString(package.takeError()));
  return package;
}
