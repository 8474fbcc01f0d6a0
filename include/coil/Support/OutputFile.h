//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that appear complete or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_OUTPUTFILE_H
#define COIL_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <system_error>

namespace coil {

/// What a file holds, as far as its name has to agree.
enum class OutputKind {
  Other,
  Package,
  /// A file of a cache, of any name. What a signal leaves of it is removed
  /// later, so the process keeps its own signal handlers.
  CacheEntry
};

/// A file that is being written. The bytes go to a temporary file in the same
/// directory, which takes the name of the wanted one in `commit`. A file that
/// is not committed leaves nothing behind, also when a signal ends the process.
/// Devices and pipes, and the standard output ("-"), are written directly.
class OutputFile {
public:
  /// Fails for a name that promises another format: nothing but packages is
  /// called `.coilpkg`, and nothing that Coil writes is called `.pt2`.
  static llvm::Expected<std::unique_ptr<OutputFile>>
  open(llvm::StringRef path, OutputKind kind = OutputKind::Other);
  ~OutputFile();

  llvm::raw_ostream &os() { return *stream; }

  /// Writes what is buffered and reports any error of any write: for several
  /// files, of which none is to appear where one cannot be written.
  llvm::Error flush();
  /// Flushes, and gives the file its name.
  llvm::Error commit();

private:
  OutputFile() = default;
  /// Opens a new file next to `target`.
  std::error_code createTemporary(llvm::sys::fs::perms mode);

  std::string path;      ///< As the caller calls it.
  std::string target;    ///< After symbolic links.
  std::string temporary; ///< The file that takes the name `target`, or empty.
  bool endsBySignal = true; ///< Whether a signal removes the temporary file.
  int descriptor = -1;      ///< Of the temporary file.
  std::unique_ptr<llvm::raw_fd_ostream> owned;
  llvm::raw_fd_ostream *stream = nullptr;
};

/// Writes a file of these bytes.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes,
                      OutputKind kind = OutputKind::Other);

/// Fails when `output` is the same file as one of the inputs, by whatever name
/// or link. Empty names, "-", devices and files that do not exist are never the
/// same.
llvm::Error checkNotInput(llvm::StringRef output,
                          llvm::ArrayRef<llvm::StringRef> inputs);

/// Whether `path` is a device, a pipe or a socket: written as it is.
bool isSpecialFile(llvm::StringRef path);

} // namespace coil

#endif // COIL_SUPPORT_OUTPUTFILE_H
