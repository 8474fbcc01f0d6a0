//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of a compilation as data: what Options.def declares, and the
// checks that all interfaces share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PIPELINES_OPTIONS_H
#define COIL_PIPELINES_OPTIONS_H

#include "coil/Pipelines/Stage.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coil {

/// How the text of a value is read.
enum class OptionKind {
  Flag,        ///< true or false
  Choice,      ///< one of `values`
  LibraryList, ///< some of `values` or of plugins' with commas, or of `others`
  Names,       ///< any names, with commas or '+' between
  Number,      ///< an integer from `min` to `max`
  Bytes,       ///< a number of bytes: 4096, 64K, 512M, 2G
  PowerOfTwo,  ///< 0, or a power of two from `min` on
  Target,      ///< a kind of device and its chips
  Passes,      ///< <extension point>:<pipeline>, with semicolons between
  File,
  Directory,
  Text, ///< anything
};

/// What values an option may have.
struct OptionConstraint {
  OptionKind kind;
  /// What help shows in place of a value.
  llvm::StringLiteral valueName;
  /// Names of values with '|' between.
  llvm::StringLiteral values = "";
  llvm::StringLiteral others = "";
  int64_t min = 0;
  int64_t max = INT64_MAX;
};

enum class OptionScope { Pipeline, Program, Tool };
enum class OptionGroup { Code, Memory, Debug };
/// The devices whose programs an option changes.
enum class OptionDevices { Any, Vectors, Threads };
/// The tools that have an option as a flag. None: it is one of C and Python.
enum class OptionTools { Compile, Run, Both, None };

/// An entry of Options.def.
struct OptionSpec {
  OptionScope scope;
  llvm::StringLiteral name;
  /// The keyword of Python; empty: the name with underscores.
  llvm::StringLiteral keyword;
  std::string defaultValue;
  OptionConstraint constraint;
  OptionGroup group;
  OptionDevices devices;
  Stage firstStage, lastStage;
  OptionTools tools;
  llvm::StringLiteral description;

  llvm::SmallVector<llvm::StringRef> getValues() const;
  std::string getKeyword() const;
  bool isOf(OptionTools tool) const {
    return tools == OptionTools::Both || tools == tool;
  }
};

/// All options in the order of their declaration.
llvm::ArrayRef<OptionSpec> getOptionSpecs();
/// An option by its name, or null.
const OptionSpec *lookupOption(llvm::StringRef name);

/// A number of bytes: "4096", "64K", "512M" or "2G", by powers of 1024; nothing
/// for other text and for what does not fit.
std::optional<int64_t> parseBytes(llvm::StringRef text);

/// Fails unless an option may have this value, with what it may have and the
/// nearest of these. Targets and passes are checked where they are resolved.
llvm::Error checkOptionValue(const OptionSpec &spec, llvm::StringRef value);

/// Checks a value by the name of its option.
llvm::Error checkOption(llvm::StringRef name, llvm::StringRef value);

/// Options of the pipelines as they were given, in order.
class GivenOptions {
public:
  /// Takes text such as "plan=pool debug-filter='a b'" apart. Fails for an
  /// unknown option, with the nearest one, for values that an option cannot
  /// have, and for two values of one.
  static llvm::Expected<GivenOptions> parse(llvm::StringRef text);

  bool isGiven(llvm::StringRef name) const;
  /// The value that is given, else the default.
  llvm::StringRef get(llvm::StringRef name) const;
  /// Sets a value that was checked.
  void set(llvm::StringRef name, llvm::StringRef value);
  /// The options as text that pipelines take: bytes as numbers, names with '+'
  /// between.
  std::string str() const;

  /// Fails for options that contradict each other, or that have no effect
  /// because of others.
  llvm::Error checkTogether() const;
  /// Fails for options that no pass from the stage `from` (exclusive) to `to`
  /// reads.
  llvm::Error checkStages(Stage from, Stage to) const;
  /// Fails for options that have no effect on any of the targets, which have
  /// commas between.
  llvm::Error checkDevices() const;

private:
  std::vector<std::pair<const OptionSpec *, std::string>> given;
};

/// Fails for a program option of a kind of device that none of `targets` is.
llvm::Error checkOptionDevices(const OptionSpec &spec, llvm::StringRef targets);

/// All options as JSON: a list of {"name", "keyword", "scope", "kind",
/// "default", "values", "min", "max", "tools", "description"}.
void printOptionsJSON(llvm::raw_ostream &os);
/// The tables of docs/reference/Options.md.
void printOptionsMarkdown(llvm::raw_ostream &os);

} // namespace coil

#endif // COIL_PIPELINES_OPTIONS_H
