//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registry of passes as a list, and errors of textual pipelines.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/PassNames.h"

#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;
using namespace coil;
using llvm::Error;

/// MLIR's registry can only be listed through a parser of the command line.
SmallVector<StringRef> coil::getPassNames() {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  auto find = [](SmallVectorImpl<StringRef> &names) {
    auto &options = llvm::cl::getRegisteredOptions();
    auto found = options.find("canonicalize");
    if (found == options.end())
      return false;
    found->second->getExtraOptionNames(names);
    return true;
  };
  SmallVector<StringRef> names;
  // coil-opt has them as flags.
  if (find(names))
    return names;
  // Kept, since the names are its own.
  static auto *parser = new PassPipelineCLParser("", "");
  (void)parser;
  find(names);
  return names;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// The level that a pass works at, by its name.
static StringRef getLevel(StringRef name) {
  if (PassPipelineInfo::lookup(name))
    return "pipelines";
  for (StringRef level : {"graph", "loop", "wrapper", "sym", "target"})
    if (name.starts_with((level + "-").str()))
      return level;
  if (name.contains("-to-"))
    return "conversions";
  return "others";
}

void coil::printPasses(llvm::raw_ostream &os) {
  SmallVector<StringRef> names = getPassNames();
  llvm::sort(names);
  for (auto [level, title] : {
           std::pair(StringRef("pipelines"), "Pipelines"),
           {"graph", "Passes on operators ('graph')"},
           {"loop", "Passes on kernels ('loop')"},
           {"wrapper", "Passes on host programs ('wrapper')"},
           {"sym", "Passes on symbolic sizes ('sym')"},
           {"target", "Passes on targets ('target')"},
           {"conversions", "Conversions between levels"},
           {"others", "Others, MLIR's among them"},
       }) {
    os << title << ":\n";
    for (StringRef name : names) {
      if (getLevel(name) != level)
        continue;
      const PassRegistryEntry *entry = PassInfo::lookup(name);
      if (!entry)
        entry = PassPipelineInfo::lookup(name);
      os << "  " << llvm::left_justify(name, 32) << ' '
         << entry->getPassDescription().split('\n').first << '\n';
    }
  }
}

//===----------------------------------------------------------------------===//
// Errors of textual pipelines
//===----------------------------------------------------------------------===//

/// The options of a pass, as its own text has them.
static std::vector<std::string> getOptionNames(StringRef pass) {
  OpPassManager pm;
  std::string ignored, text;
  llvm::raw_string_ostream errors(ignored), os(text);
  if (failed(parsePassPipeline(pass, pm, errors)))
    return {};
  pm.printAsTextualPipeline(os);
  // "any(pass{first=1 second={a b}})".
  std::vector<std::string> names;
  StringRef rest = StringRef(text).split('{').second;
  while (!rest.empty()) {
    auto [word, next] = rest.split(' ');
    if (word.contains('='))
      names.push_back(word.split('=').first.str());
    rest = next;
  }
  return names;
}

static std::string suggest(StringRef name, ArrayRef<std::string> names) {
  return suggestName(name, SmallVector<StringRef>(names.begin(), names.end()));
}

/// The pass whose options in a textual pipeline have this one.
static StringRef findPassOf(StringRef option, StringRef pipeline) {
  for (size_t at = pipeline.find(option); at != StringRef::npos;
       at = pipeline.find(option, at + 1)) {
    if (at == 0 || !StringRef("{ ").contains(pipeline[at - 1]))
      continue;
    size_t end = pipeline.take_front(at).rfind('{');
    if (end == StringRef::npos)
      continue;
    StringRef before = pipeline.take_front(end);
    size_t begin = before.find_last_of("(,");
    return before.substr(begin == StringRef::npos ? 0 : begin + 1).trim();
  }
  return "";
}

/// Explains what MLIR's parser says of a textual pipeline.
static Error explain(StringRef pipeline, StringRef message) {
  // It shows the text again, with a caret.
  StringRef line = message.split('\n').first.rtrim();
  size_t at = line.find("error: ");
  line = line.substr(at == StringRef::npos ? 0 : at + strlen("error: "));
  std::string suggestion;
  if (line.contains("does not refer to a registered pass"))
    suggestion =
        suggestName(line.split('\'').second.split('\'').first, getPassNames());
  StringRef option = line.split("no such option ").second;
  if (StringRef pass = findPassOf(option, pipeline);
      !option.empty() && !pass.empty())
    suggestion = " of the pass '" + pass.str() + "'" +
                 suggest(option, getOptionNames(pass));
  return makeError(line + suggestion);
}

Error coil::parsePipeline(StringRef text, OpPassManager &pm) {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(text, pm, os)))
    return explain(text, message);
  return Error::success();
}
