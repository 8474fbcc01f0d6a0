//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kinds of devices that programs can be compiled for: the table after the
// option `target`, open to plugins.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_TARGET_IR_TARGETKIND_H
#define COIL_DIALECT_TARGET_IR_TARGETKIND_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace coil::target {

/// How kernels run on a device, which decides by which passes they get their
/// schedules and their code.
enum class KernelForm {
  /// Tasks on few cores that compute in vectors: `loop-select-schedule`,
  /// `convert-loop-to-cpu`.
  Vectors,
  /// Blocks of many threads: `loop-select-gpu-schedule`,
  /// `convert-loop-to-gpu`.
  Threads,
};

/// What is known of chips.
struct ChipFacts {
  /// By the name that `#target.device` has for each.
  std::vector<std::pair<std::string, int64_t>> facts;
  std::vector<std::string> features;

  std::optional<int64_t> getFact(llvm::StringRef name) const;
  bool hasFeature(llvm::StringRef name) const;
};

/// What the code of kernels depends on in addition to the kernels.
struct CodeOptions {
  /// The chips that code has to run on, joined by '+'.
  std::string chips;
  /// "off", "default" or "fast".
  std::string fastMath;
};

/// A kind of device that the option `target` may name.
struct TargetKind {
  /// What the option, `#wrapper.device` and entries of modules call it: "cuda".
  std::string name;
  /// What messages call its chips: "chip" stands for 'cuda:<chip>'. Empty: it
  /// has none to choose from.
  std::string chipWord;
  KernelForm form = KernelForm::Vectors;
  /// The chips that passes take for modules that say nothing of the kind.
  std::string defaultChips;
  /// Libraries that programs for it may call, the most useful first.
  std::vector<std::string> libraries;
  /// The one of these that sorts on the device; empty: its runtime does.
  std::string sortLibrary;
  /// Whether its runtime replays recordings of launches, for which programs
  /// are cut into partitions.
  bool replaysGraphs = false;
  /// Facts of chips, joined by '+'; or of none. Fails for unknown chips, with
  /// the known ones. May be empty for a kind of which nothing is known.
  std::function<llvm::Expected<ChipFacts>(llvm::StringRef chips)> describe;
  /// The text after the colon for the device of this process, with facts that
  /// are not those of the table; empty where nothing has to be asked. Called
  /// when a program is compiled for the kind without naming a chip.
  std::function<llvm::Expected<std::string>()> detect;
  /// Adds the passes that make code of the `gpu.module`s that
  /// `convert-loop-to-gpu` has made, for kinds of the form `Threads`; the pass
  /// manager is that of `wrapper.kernel`.
  std::function<void(mlir::OpPassManager &kernels, const CodeOptions &options)>
      buildCodePipeline;
};

/// Adds a kind of device; with `WrapperDialect::registerDevice`, all that a
/// plugin has to do for `--target=<kind>`. A second kind of a name is an error
/// (`checkRegistrations`).
void registerTargetKind(TargetKind kind);

/// Changes a kind that is registered: a library that depends on more than the
/// tables, such as on a runtime, adds what comes from there. Before anything is
/// compiled.
void extendTargetKind(llvm::StringRef name,
                      llvm::function_ref<void(TargetKind &)> change);

/// A kind that is registered, or null. It lives as long as the process.
const TargetKind *lookupTargetKind(llvm::StringRef name);

/// The names of all kinds, in the order of their registration.
std::vector<std::string> getTargetKindNames();

/// The kind that is meant where none is named: the first one.
llvm::StringRef getDefaultTargetKind();

/// A target as text: a kind, after a colon its chips, and after each '@' a
/// fact that is not that of the table. "cuda:sm_86@multiprocessors=82".
struct TargetText {
  const TargetKind *kind = nullptr;
  std::string chips;
  std::vector<std::pair<std::string, int64_t>> facts;

  /// The kind and the chips alone.
  std::string getName() const;
  std::string str() const;
};

/// Takes a text apart. Fails for an unknown kind, chip or fact, with what is
/// known.
llvm::Expected<TargetText> parseTarget(llvm::StringRef text);

/// The kind that a text begins with, or null.
const TargetKind *lookupKindOf(llvm::StringRef text);

/// All that is known of what a text names.
llvm::Expected<ChipFacts> describeTarget(const TargetText &text);

/// \name The tables of the kinds that come with Coil
/// @{
llvm::Expected<ChipFacts> describeNVIDIAChips(llvm::StringRef chips);
llvm::Expected<ChipFacts> describeAMDChips(llvm::StringRef chips);
llvm::Expected<ChipFacts> describeX86Processors(llvm::StringRef processors);
/// @}

} // namespace coil::target

#endif // COIL_DIALECT_TARGET_IR_TARGETKIND_H
