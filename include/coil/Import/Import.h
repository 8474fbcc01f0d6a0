//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The front end: a .pt2 file becomes a module of `graph.aten` operators.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_IMPORT_H
#define COIL_IMPORT_IMPORT_H

#include "coil/Import/Limits.h"
#include "coil/Import/Package.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coil::import {

struct ImportOptions {
  Limits limits;
  /// The program to import; may be empty when the file has only one.
  std::string model;
  /// Whether to look for the weights and check them against the program.
  bool loadWeights = true;
  /// Whether to compare the weights' bytes with their CRC-32.
  bool checkWeightCRC = false;
  /// Whether a program may be imported of which export assumed something that
  /// cannot be checked in its calls: a warning says what.
  bool allowUncheckedGuards = false;
};

/// A program and its weights. Arguments of `@main` that are weights have the
/// attribute `graph.weight` with the name to look up in the store.
struct ImportedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Null when the weights were not asked for. Keeps the file mapped.
  std::unique_ptr<WeightStore> weights;
};

/// Registers the dialects that imported modules consist of.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Imports the .pt2 file at \p path. The error is one line that does not
/// repeat the path.
llvm::Expected<ImportedProgram>
importExportedProgram(llvm::StringRef path, mlir::MLIRContext *context,
                      const ImportOptions &options = {});

/// Imports a program from the text that a .pt2 file has of it, JSON of schema
/// version 8. All that it takes are inputs of the user's: there are no weights.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importProgramText(llvm::StringRef text, mlir::MLIRContext *context,
                  const Limits &limits = {});

/// Builds the module of a parsed program. \p weights may be null.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildModule(const ExportedProgram &program, const WeightStore *weights,
            mlir::MLIRContext *context, const Limits &limits = {},
            bool allowUncheckedGuards = false);

/// Makes constants of the arguments of `@main` that are weights, so that the
/// module needs no other file. Weights that the program writes to stay
/// arguments.
llvm::Error inlineWeights(mlir::ModuleOp module, const WeightStore &weights);

} // namespace coil::import

#endif // COIL_IMPORT_IMPORT_H
