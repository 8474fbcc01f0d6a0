//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of the libraries that a program may call, as options name them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_LIBRARIES_H
#define COIL_SUPPORT_LIBRARIES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace coil {

/// The names of a list, which are separated by commas.
inline llvm::SmallVector<llvm::StringRef>
splitLibraries(llvm::StringRef libraries) {
  llvm::SmallVector<llvm::StringRef> names;
  libraries.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return names;
}

/// Whether a list has this name.
inline bool hasLibrary(llvm::StringRef libraries, llvm::StringRef library) {
  return llvm::is_contained(splitLibraries(libraries), library);
}

/// Whether every name of a list is that of a library, or the list is "none";
/// otherwise `unknown` is the first that is not.
inline bool areLibraries(llvm::StringRef libraries, llvm::StringRef &unknown) {
  if (libraries == "none")
    return true;
  for (llvm::StringRef name : splitLibraries(libraries))
    if (name != "onednn" && name != "cublaslt" && name != "cudnn" &&
        name != "cub") {
      unknown = name;
      return false;
    }
  unknown = libraries;
  return !splitLibraries(libraries).empty();
}

} // namespace coil

#endif // COIL_SUPPORT_LIBRARIES_H
