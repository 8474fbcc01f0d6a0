//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host programs as text of another language: what the text emitters offer to
// tools.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_HOSTTEXT_H
#define COIL_TARGET_HOSTTEXT_H

#include "mlir/Support/LLVM.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil {

/// What surrounds an emitted Python module.
struct PythonOptions {
  /// The file that the program came from, for the comment at the top and for
  /// the weights of the benchmark; may be empty.
  std::string source;
  /// Whether operators that are in `torch.ops` are called there, not in the
  /// registry of host functions.
  bool torchCalls = false;
};

/// Prints the host programs of `module`, with their kernels in value form, as a
/// Python module. What cannot be expressed is a diagnostic at its op.
mlir::LogicalResult emitPython(mlir::ModuleOp module, llvm::raw_ostream &os,
                               const PythonOptions &options = {});

/// Prints the host programs of `module`, with their kernels in value form, as
/// Python that builds a `torch.fx.GraphModule` of each public function.
mlir::LogicalResult emitFX(mlir::ModuleOp module, llvm::raw_ostream &os,
                           const PythonOptions &options = {});

/// What surrounds emitted C++.
struct CppOptions {
  /// The file that the program came from, for comments; may be empty.
  std::string source;
  /// An identifier that all names of the program begin with, and the name of
  /// its files.
  std::string name = "program";
  /// Lines that no file passes.
  size_t maxLines = 2000;
  /// Whether there is a file `<name>_benchmark.cpp` with a main function that
  /// measures the program (coil/Runtime/Benchmark.h).
  bool benchmarkMain = false;
};

/// A file of an emitted program.
struct EmittedFile {
  std::string name;
  std::string text;
};

/// Writes the host programs of `module`, whose kernels were lowered for their
/// devices, as C++: a header, and sources that compile apart.
mlir::LogicalResult emitCpp(mlir::ModuleOp module,
                            std::vector<EmittedFile> &files,
                            const CppOptions &options = {});

/// Prints the host programs of a module, with their kernels in value form,
/// which came from the file `source` (may be empty). What cannot be expressed
/// is a diagnostic at its op.
using HostEmitterFunction = std::function<mlir::LogicalResult(
    mlir::ModuleOp module, llvm::raw_ostream &os, llvm::StringRef source)>;

/// Adds an emitter: the language `name` of `coil-compile --emit`, and the
/// translation `wrapper-to-<name>` of coil-translate. A second emitter of a
/// name, Coil's own (mlir, python, fx, cpp) among them, is an error
/// (`checkRegistrations`). `coil/Target/HostText/HostEmitter.h` has a base
/// class with a method for each op.
void registerHostEmitter(llvm::StringRef name, llvm::StringRef description,
                         HostEmitterFunction emit);

/// An emitter from outside of Coil.
struct RegisteredEmitter {
  std::string name, description;
  HostEmitterFunction emit;
};

/// All of them, in the order of their registration.
std::vector<RegisteredEmitter> getRegisteredEmitters();

/// The languages of `coil-compile --emit`.
std::vector<std::string> getEmitterNames();

/// Puts `prefix` before the names of all kernels, so that objects of
/// several programs can be linked.
void prefixKernels(mlir::ModuleOp module, llvm::StringRef prefix);

/// Registers the translations `wrapper-to-python`, `wrapper-to-fx` and
/// `wrapper-to-cpp`, and one for each registered emitter.
void registerHostTextTranslations();

} // namespace coil

#endif // COIL_TARGET_HOSTTEXT_H
