//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of Options.def as flags of a tool.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COMMON_OPTIONFLAGS_H
#define COIL_TOOLS_COMMON_OPTIONFLAGS_H

#include "coil/Pipelines/Options.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace coil {

/// Reads a value of the declared option of the flag's name; a value that it
/// cannot have is one line on standard error.
struct OptionValueParser : llvm::cl::parser<std::string> {
  using parser::parser;
  bool parse(llvm::cl::Option &flag, llvm::StringRef name,
             llvm::StringRef value, std::string &result);
};

/// The declared options of one tool; one object at most.
class OptionFlags {
public:
  using Category =
      llvm::function_ref<llvm::cl::OptionCategory &(const OptionSpec &)>;

  OptionFlags(OptionTools tool, Category getCategory);

  bool isGiven(llvm::StringRef name) const;
  /// The value that is given or implied, else the default.
  llvm::StringRef get(llvm::StringRef name) const;
  int64_t getNumber(llvm::StringRef name) const;
  /// Sets an option that the command line leaves open.
  void imply(llvm::StringRef name, llvm::StringRef value);

  /// Options of the pipelines that are given or implied. Fails for options that
  /// contradict each other or have no effect on the targets; a program that
  /// `isCompiled` already knows its own.
  llvm::Expected<GivenOptions>
  getPipelineOptions(bool isCompiled = false) const;
  /// Fails for given options that no pass between the stages reads.
  llvm::Error checkStages(Stage from, Stage to) const;
  /// Fails if an option that compilation would read is given, for a program
  /// that is compiled already.
  llvm::Error checkCompiled() const;

  /// Loads what --load-plugin names; before anything is registered.
  llvm::Error loadPluginFiles() const;

private:
  using Flag =
      llvm::cl::opt<std::string, /*ExternalStorage=*/false, OptionValueParser>;
  struct Entry {
    const OptionSpec *spec;
    std::unique_ptr<Flag> flag;
    bool isImplied = false;
  };

  const Entry &find(llvm::StringRef name) const;
  llvm::Expected<GivenOptions> collect(bool withImplied) const;

  std::vector<Entry> entries;
  llvm::cl::list<std::string> insertPasses, loadPlugins;
};

/// The values by name of a flag, where it is that of a declared option.
llvm::SmallVector<llvm::StringRef> getFlagValues(const llvm::cl::Option &flag);

} // namespace coil

#endif // COIL_TOOLS_COMMON_OPTIONFLAGS_H
