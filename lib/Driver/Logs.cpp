//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logs and debug directories that the environment asks for.
//
//===----------------------------------------------------------------------===//

#include "Logs.h"

#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

using namespace mlir;
using namespace coil;

const Logs &Logs::get() {
  static const Logs logs = [] {
    Logs made;
    std::optional<std::string> text = llvm::sys::Process::GetEnv("COIL_LOGS");
    if (!text)
      return made;
    SmallVector<StringRef> names;
    StringRef(*text).split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      name = name.trim();
      if (name == "stages")
        made.stages = true;
      else if (name == "pipelines")
        made.pipelines = true;
      else if (name == "ir")
        made.ir = true;
      else if (name == "provenance")
        made.provenance = true;
      else if (name == "all")
        made = {true, true, true, true};
      else
        llvm::errs() << "warning: COIL_LOGS has no '" << name
                     << "': expected stages, pipelines, ir, provenance or "
                        "all, separated by commas\n";
    }
    return made;
  }();
  return logs;
}

void Logs::stageDone(Stage stage, ModuleOp module, double seconds) const {
  // One write for each stage: several programs may be compiled at once.
  std::string text;
  llvm::raw_string_ostream os(text);
  if (stages)
    os << "coil: stage '" << stringifyStage(stage)
       << "': " << llvm::format("%.3f", seconds * 1e3) << " ms\n";
  if (provenance && stage == Stage::Wrapper) {
    wrapper::CallHandles handles(module);
    module.walk([&](wrapper::ComputeOpInterface step) {
      SmallVector<std::string> sources;
      for (const wrapper::Source &source : wrapper::getSources(step.getLoc()))
        sources.push_back(source.str());
      os << "coil: step " << handles.get(step) << ": "
         << (sources.empty() ? "of unknown source" : llvm::join(sources, ", "))
         << '\n';
    });
  }
  if (ir) {
    os << "// Stage '" << stringifyStage(stage) << "':\n";
    module.print(os);
  }
  llvm::errs() << text;
}

std::string coil::nextDebugDirectory(llvm::StringRef model) {
  std::optional<std::string> folder = llvm::sys::Process::GetEnv("COIL_DEBUG");
  if (!folder || folder->empty())
    return "";
  static std::atomic<unsigned> number;
  llvm::SmallString<128> path(*folder);
  llvm::StringRef stem = llvm::sys::path::stem(model);
  llvm::sys::path::append(
      path, (stem.empty() || stem == "-" ? "program" : stem) + "-" +
                llvm::Twine(llvm::sys::Process::getProcessId()) + "-" +
                llvm::Twine(number++));
  return path.str().str();
}
