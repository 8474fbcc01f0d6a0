//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registry of library functions that compute operators: open to plugins.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GRAPHTOLIBRARY_LIBRARYFUNCTIONS_H
#define COIL_CONVERSION_GRAPHTOLIBRARY_LIBRARYFUNCTIONS_H

#include "coil/Runtime/Functions.h"
#include "mlir/IR/Attributes.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace coil {

/// A function of a library, and the operators that it computes.
struct LibraryFunction {
  /// What programs call: "accelmath::silu". What is before the colons is the
  /// name that the option `library` has for the library.
  std::string name;
  /// The device whose memory it works on: "cpu" or a kind of the registry of
  /// targets, and its number in `coil_tensor`.
  std::string target = "cpu";
  int32_t deviceType = 0;

  /// \name Loading rule
  /// The library is the file that the environment variable names, or else the
  /// first of `files` that the dynamic linker finds. It is loaded when an
  /// operator may become a call, not before. No file: the function is `call`.
  /// @{
  std::string variable;
  std::vector<std::string> files;
  /// The name of a `coil_function_pointer` in the library.
  std::string symbol;
  coil_function_pointer call = nullptr;
  /// @}
  uint32_t flags = 0; ///< Of `coil_function_flags`.

  /// The arguments of the call in place of an operator: a unit attribute for
  /// each operand in order, and literals between them, as `graph.custom_call`
  /// has them; nothing for an operator that the function does not compute.
  std::function<std::optional<mlir::SmallVector<mlir::Attribute>>(
      mlir::Operation *op)>
      match;

  /// What the function computes, on the host: the interpreter calls this in
  /// its place. Null: the function is its own reference.
  coil_function_pointer reference = nullptr;
};

/// Adds a library function. The lowering to `wrapper`, native code and the
/// emitters know it as any host function. A second one of a name is an error
/// (`checkRegistrations`).
void registerLibraryFunction(LibraryFunction function);

/// The libraries of registered functions, in the order of their registration;
/// all, or those for a target.
std::vector<std::string> getPluginLibraries(llvm::StringRef target = "");

/// Makes the functions of a library known to the runtime. Fails where its file
/// cannot be loaded or has no such symbol, with what was tried.
llvm::Error loadPluginLibrary(llvm::StringRef library);

/// The functions of those libraries.
std::vector<LibraryFunction>
getLibraryFunctions(mlir::ArrayRef<llvm::StringRef> libraries);

} // namespace coil

#endif // COIL_CONVERSION_GRAPHTOLIBRARY_LIBRARYFUNCTIONS_H
