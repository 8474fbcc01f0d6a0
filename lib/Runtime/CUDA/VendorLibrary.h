//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries of the vendor, which are loaded when something first needs them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_VENDORLIBRARY_H
#define COIL_LIB_RUNTIME_CUDA_VENDORLIBRARY_H

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace coil::rt::cuda {

/// One library, as the addresses of the functions `names`, in that order.
class VendorLibrary {
public:
  /// `name` is what errors call it, `variable` the environment variable that
  /// may name its file, and `files` are looked for when nobody does.
  VendorLibrary(const char *name, const char *variable,
                std::vector<const char *> files,
                std::vector<const char *> names)
      : name(name), variable(variable), files(std::move(files)),
        names(std::move(names)) {}

  /// The functions' addresses, loaded at the first call, or null with the error
  /// recorded. They stay where they are for good.
  void *const *get();
  /// Whether get() will find the library, without loading it if its file is
  /// where the system's loader looks first.
  bool isPresent();
  /// Chooses the file to load from the next call on; null: the default.
  void setFile(const char *file);

private:
  std::string getNamedFile() const;
  void **load();

  const char *const name;
  const char *const variable;
  const std::vector<const char *> files;
  const std::vector<const char *> names;
  std::mutex mutex;
  std::atomic<void **> loaded{nullptr};
  bool tried = false;
  /// Whether one of `files` has been found, not loaded.
  bool isInstalled = false;
  std::string reason;
  std::string file;
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_VENDORLIBRARY_H
