//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registry of kinds of devices, and targets as text.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/IR/TargetKind.h"

#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <memory>

using namespace coil;
using namespace coil::target;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

std::optional<int64_t> ChipFacts::getFact(StringRef name) const {
  for (const auto &[each, value] : facts)
    if (each == name)
      return value;
  return std::nullopt;
}

bool ChipFacts::hasFeature(StringRef name) const {
  return llvm::is_contained(features, name);
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

using Registry = NamedRegistry<std::shared_ptr<TargetKind>>;

/// The processor of the host: 64-bit x86, whose libraries are the runtime's.
static TargetKind makeHost() {
  TargetKind host;
  host.name = "cpu";
  host.chipWord = "processor";
  host.form = KernelForm::Vectors;
  host.libraries = {"onednn"};
  host.describe = describeX86Processors;
  return host;
}

static TargetKind makeNVIDIA() {
  TargetKind gpu;
  gpu.name = "cuda";
  gpu.chipWord = "chip";
  gpu.form = KernelForm::Threads;
  gpu.defaultChips = "sm_90";
  gpu.libraries = {"cublaslt", "cudnn", "cub"};
  gpu.sortLibrary = "cub";
  gpu.replaysGraphs = true;
  gpu.describe = describeNVIDIAChips;
  return gpu;
}

/// Compiled for, and not run: there is no runtime that launches its kernels.
static TargetKind makeAMD() {
  TargetKind gpu;
  gpu.name = "rocm";
  gpu.chipWord = "chip";
  gpu.form = KernelForm::Threads;
  gpu.describe = describeAMDChips;
  return gpu;
}

/// Never destroyed: plugins register at any time.
static Registry &getRegistry() {
  static Registry *registry = [] {
    auto *made = new Registry("target");
    for (TargetKind (*make)() : {makeHost, makeNVIDIA, makeAMD}) {
      auto kind = std::make_shared<TargetKind>(make());
      std::string name = kind->name;
      made->add(name, std::move(kind), __builtin_return_address(0));
    }
    return made;
  }();
  return *registry;
}

void target::registerTargetKind(TargetKind kind) {
  const void *caller = __builtin_return_address(0);
  auto shared = std::make_shared<TargetKind>(std::move(kind));
  std::string name = shared->name;
  if (name.empty() ||
      StringRef(name).find_first_of(":+@,= ") != StringRef::npos)
    return reportRegistrationError("target '" + llvm::Twine(name) +
                                   "': the name of a kind of device is a word");
  if (!shared->describe)
    return reportRegistrationError("target '" + llvm::Twine(name) +
                                   "' does not describe its chips");
  getRegistry().add(name, std::move(shared), caller);
}

void target::extendTargetKind(StringRef name,
                              llvm::function_ref<void(TargetKind &)> change) {
  if (std::shared_ptr<TargetKind> found = getRegistry().lookup(name))
    change(*found);
}

const TargetKind *target::lookupTargetKind(StringRef name) {
  // Entries are never removed.
  return getRegistry().lookup(name).get();
}

std::vector<std::string> target::getTargetKindNames() {
  std::vector<std::string> names;
  for (const Registry::Entry &entry : getRegistry().getEntries())
    names.push_back(entry.name);
  return names;
}

StringRef target::getDefaultTargetKind() {
  static const std::string name = getTargetKindNames().front();
  return name;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string TargetText::getName() const {
  return chips.empty() ? kind->name : kind->name + ":" + chips;
}

std::string TargetText::str() const {
  std::string text = getName();
  for (const auto &[name, value] : facts)
    text += "@" + name + "=" + std::to_string(value);
  return text;
}

/// What the option `target` takes: "'cpu', 'cpu:<processor>' or 'cuda'".
static std::string listTargets() {
  std::vector<std::string> forms;
  for (const Registry::Entry &entry : getRegistry().getEntries()) {
    forms.push_back("'" + entry.name + "'");
    if (!entry.value->chipWord.empty())
      forms.push_back("'" + entry.name + ":<" + entry.value->chipWord + ">'");
  }
  std::string last = std::move(forms.back());
  forms.pop_back();
  return forms.empty() ? last : llvm::join(forms, ", ") + " or " + last;
}

const TargetKind *target::lookupKindOf(StringRef text) {
  return lookupTargetKind(
      text.take_until([](char c) { return c == ':' || c == '@'; }));
}

Expected<TargetText> target::parseTarget(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '@');
  auto [name, chips] = parts.front().split(':');
  TargetText result;
  result.kind = lookupTargetKind(name);
  bool hasColon = parts.front().contains(':');
  if (!result.kind || (hasColon && chips.empty()))
    return makeError("unknown target '" + text + "', expected " +
                     listTargets());
  if (hasColon && result.kind->chipWord.empty())
    return makeError("the target '" + name +
                     "' has no chips to choose from, "
                     "but '" +
                     text + "' names one");
  // The device of this process, as without chips.
  result.chips = chips == "native" ? "" : chips.str();
  Expected<ChipFacts> known = result.kind->describe(result.chips);
  if (!known)
    return known.takeError();
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [fact, number] = part.split('=');
    int64_t value = 0;
    if (!known->getFact(fact)) {
      std::vector<std::string> names;
      for (const auto &each : known->facts)
        names.push_back("'" + each.first + "'");
      llvm::SmallVector<StringRef> candidates;
      for (const auto &each : known->facts)
        candidates.push_back(each.first);
      return makeError(
          "the target '" + parts.front() + "' does not state a fact '" + fact +
          "', but " +
          (names.empty() ? "none at all" : llvm::join(names, ", ")) +
          suggestName(fact, candidates));
    }
    if (number.getAsInteger(10, value) || value <= 0)
      return makeError("the fact '" + fact + "' of the target '" + text +
                       "' is '" + number + "', expected a positive number");
    result.facts.push_back({fact.str(), value});
  }
  return result;
}

Expected<ChipFacts> target::describeTarget(const TargetText &text) {
  Expected<ChipFacts> known = text.kind->describe(text.chips);
  if (!known)
    return known.takeError();
  for (const auto &[name, value] : text.facts)
    for (auto &each : known->facts)
      if (each.first == name)
        each.second = value;
  return known;
}
