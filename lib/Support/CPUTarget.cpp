//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and features of processors.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/CPUTarget.h"

#include "coil/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdlib>
#include <mutex>
#include <optional>

using namespace coil;
using namespace llvm;

bool CPUTarget::has(StringRef feature) const {
  for (StringRef each : split(features, ','))
    if (each.consume_front("+") && each == feature)
      return true;
  return false;
}

static std::string join(SmallVectorImpl<std::string> &features) {
  sort(features, [](StringRef x, StringRef y) {
    return x.drop_front() < y.drop_front();
  });
  return llvm::join(features, ",");
}

/// The features of a processor that detection knows of: only these can be
/// compared with those of another.
static std::string getFeatures(StringRef cpu) {
  static const StringMap<bool> known = sys::getHostCPUFeatures();
  SmallVector<StringRef> enabled;
  X86::getFeaturesForCPU(cpu, enabled);
  // Some processors are described by fewer features, which imply others.
  StringMap<bool> all;
  for (StringRef name : enabled) {
    all[name] = true;
    X86::updateImpliedFeatures(name, /*Enabled=*/true, all);
  }
  SmallVector<std::string> features;
  for (const auto &[name, isEnabled] : all)
    if (isEnabled && known.contains(name))
      features.push_back(("+" + name).str());
  return ::join(features);
}

static std::string getNativeFeatures() {
  SmallVector<std::string> features;
  for (const auto &[name, enabled] : sys::getHostCPUFeatures())
    features.push_back(((enabled ? "+" : "-") + name).str());
  return ::join(features);
}

static Error unknownCPU(StringRef name) {
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  StringRef nearest;
  unsigned least =
      std::max<unsigned>(2, static_cast<unsigned>(name.size()) / 3);
  for (StringRef each : known)
    if (unsigned distance = name.edit_distance(each); distance <= least) {
      least = distance;
      nearest = each;
    }
  if (!nearest.empty())
    return makeError("unknown processor '" + name + "', did you mean '" +
                     nearest + "'?");
  sort(known);
  return makeError("unknown processor '" + name + "', expected 'native' or " +
                   llvm::join(known, ", "));
}

static Expected<CPUTarget> lookUp(StringRef name) {
  CPUTarget target;
  target.triple = sys::getProcessTriple();
  if (name == "native") {
    target.cpu = sys::getHostCPUName().str();
    target.features = getNativeFeatures();
  } else {
    if (X86::parseArchX86(name, /*Only64Bit=*/true) == X86::CK_None)
      return unknownCPU(name);
    target.cpu = name.str();
    target.features = getFeatures(name);
  }
  std::string oldest = getFeatures(kOldestCPU);
  for (StringRef feature : split(oldest, ','))
    if (!target.has(feature.drop_front()))
      return makeError("the processor '" + target.cpu + "' lacks '" +
                       feature.drop_front() +
                       "'; the oldest that code is "
                       "generated for are those of " +
                       kOldestCPU);
  // What all processors with AVX-512 have but those of Xeon Phi.
  bool isWide = all_of(ArrayRef<StringRef>{"avx512f", "avx512bw", "avx512cd",
                                           "avx512dq", "avx512vl"},
                       [&](StringRef feature) { return target.has(feature); });
  target.vectorBits = isWide ? 512 : 256;
  return target;
}

Expected<CPUTarget> coil::resolveCPU(StringRef name) {
  if (!name.empty() && name != "native")
    return lookUp(name);
  // The processor of this process stays what it is. Detection takes about half
  // a millisecond.
  static std::mutex mutex;
  static std::optional<CPUTarget> native;
  std::lock_guard<std::mutex> lock(mutex);
  if (!native) {
    const char *instead = std::getenv("COIL_CPU");
    bool isNamed = instead && *instead;
    Expected<CPUTarget> found = lookUp(isNamed ? instead : "native");
    if (!found)
      return isNamed ? makeError("COIL_CPU: " + toString(found.takeError()))
                     : found.takeError();
    native = std::move(*found);
  }
  return *native;
}

Error coil::checkCPU(StringRef cpu, StringRef features,
                     const CPUTarget &processor) {
  for (StringRef feature : split(features, ','))
    if (feature.consume_front("+") && !processor.has(feature))
      return makeError("the program was compiled for the processor '" + cpu +
                       "', which has '" + feature + "'; this one ('" +
                       processor.cpu + "') lacks it");
  return Error::success();
}
