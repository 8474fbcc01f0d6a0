//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics of a compilation as the lines of one error.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DRIVER_ERRORLINES_H
#define COIL_LIB_DRIVER_ERRORLINES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace coil {

/// Prints a location as "file:line:col" where there is one inside, else as IR
/// does.
inline void printLocation(llvm::raw_ostream &os, mlir::Location location) {
  mlir::FileLineColLoc file;
  location->walk([&](mlir::Location inner) {
    file = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    return file ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (file)
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn() << ": ";
  else if (auto name = mlir::dyn_cast<mlir::NameLoc>(location))
    os << name.getName().getValue() << ": ";
}

/// Collects the errors of a scope as lines of text. Warnings go to the standard
/// error.
class ErrorLines {
public:
  /// With `nameNodes` a line begins with the nodes that it is about.
  explicit ErrorLines(mlir::MLIRContext *context, bool nameNodes = false)
      : nameNodes(nameNodes),
        handler(context, [this](mlir::Diagnostic &diagnostic) {
          // Nobody is asked about a warning, and nobody may miss it.
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning) {
            printLocation(llvm::errs(), diagnostic.getLocation());
            llvm::errs() << "warning: " << diagnostic.str() << '\n';
            return mlir::success();
          }
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return mlir::failure();
          add(diagnostic);
          return mlir::success();
        }) {}

  /// The collected lines, or `summary` when there are none.
  llvm::Error take(llvm::Error summary) {
    if (text.empty())
      return summary;
    llvm::consumeError(std::move(summary));
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  }

private:
  void add(mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(text);
    if (!text.empty())
      os << '\n';
    if (!nameNodes || !printNodes(os, diagnostic.getLocation()))
      printLocation(os, diagnostic.getLocation());
    // Notes follow on the same line.
    os << diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      if (!mlir::isa<mlir::UnknownLoc>(note.getLocation()) &&
          note.str().size() < 200)
        os << "; " << note.str();
  }

  /// Prints "node 'add', 'mul' (model.py:3:0): "; false if there are no names.
  static bool printNodes(llvm::raw_ostream &os, mlir::Location location) {
    llvm::SmallSetVector<llvm::StringRef, 4> names;
    mlir::FileLineColLoc file;
    location->walk([&](mlir::Location inner) {
      if (auto name = mlir::dyn_cast<mlir::NameLoc>(inner))
        names.insert(name.getName().getValue());
      if (!file)
        file = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
      return mlir::WalkResult::advance();
    });
    if (names.empty())
      return false;
    os << "node ";
    llvm::interleaveComma(
        names, os, [&](llvm::StringRef name) { os << '\'' << name << '\''; });
    if (file)
      os << " (" << file.getFilename().getValue() << ':' << file.getLine()
         << ')';
    os << ": ";
    return true;
  }

  std::string text;
  bool nameNodes;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace coil

#endif // COIL_LIB_DRIVER_ERRORLINES_H
