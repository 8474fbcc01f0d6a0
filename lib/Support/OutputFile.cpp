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

#include "coil/Support/OutputFile.h"

#include "coil/Support/Error.h"

#include "llvm/ADT/SmallString.h"

using namespace coil;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static Error cannotWrite(StringRef path, const llvm::Twine &reason) {
  return makeError("cannot write '" + path + "': " + reason);
}

bool coil::isSpecialFile(StringRef path) {
  fs::file_status status;
  return !fs::status(path, status) && fs::exists(status) &&
         !fs::is_regular_file(status) && !fs::is_directory(status);
}

Expected<std::unique_ptr<OutputFile>> OutputFile::open(StringRef path,
                                                       OutputKind kind) {
  std::unique_ptr<OutputFile> file(new OutputFile());
  file->path = path.str();
  if (path == "-") {
    file->stream = &llvm::outs();
    return file;
  }
  if (path.ends_with(".pt2"))
    return cannotWrite(path, "'.pt2' is the name of models that torch.export "
                             "writes, this would be another format");
  if (path.ends_with(".coilpkg") != (kind == OutputKind::Package))
    return cannotWrite(path, kind == OutputKind::Package
                                 ? "packages have names that end in '.coilpkg'"
                                 : "'.coilpkg' is the name of packages, this "
                                   "would be another format");
  if (isSpecialFile(path)) {
    std::error_code error;
    file->owned = std::make_unique<llvm::raw_fd_ostream>(path, error);
    if (error)
      return cannotWrite(path, error.message());
    file->stream = file->owned.get();
    return file;
  }
  // A link stays a link. What does not exist keeps its name.
  llvm::SmallString<128> target;
  fs::file_status status;
  bool exists = !fs::real_path(path, target) && !fs::status(target, status) &&
                fs::exists(status);
  if (!exists)
    target = path;
  else if (fs::is_directory(status))
    return cannotWrite(path, "it is a directory");
  else if (std::error_code error = fs::access(target, fs::AccessMode::Write))
    return cannotWrite(path, error.message());
  file->target = target.str().str();
  // Who may read a file that is replaced stays the same.
  Expected<fs::TempFile> made =
      exists ? fs::TempFile::create(target + ".%%%%%%%%.tmp",
                                    status.permissions() & ~fs::set_uid_on_exe &
                                        ~fs::set_gid_on_exe)
             : fs::TempFile::create(target + ".%%%%%%%%.tmp");
  if (!made)
    return cannotWrite(path, toString(made.takeError()));
  file->file.emplace(std::move(*made));
  file->owned = std::make_unique<llvm::raw_fd_ostream>(file->file->FD,
                                                       /*shouldClose=*/false);
  file->stream = file->owned.get();
  return file;
}

OutputFile::~OutputFile() {
  // The destructor of a stream with an unreported error ends the process.
  if (owned) {
    owned->flush();
    owned->clear_error();
    owned.reset();
  }
  if (file)
    llvm::consumeError(file->discard());
}

Error OutputFile::flush() {
  stream->flush();
  std::error_code error = stream->error();
  if (!error)
    return Error::success();
  stream->clear_error();
  return cannotWrite(path == "-" ? "<stdout>" : path, error.message());
}

Error OutputFile::commit() {
  if (Error error = flush())
    return error;
  owned.reset();
  if (!file)
    return Error::success();
  Error error = file->keep(target);
  file.reset();
  if (error)
    return cannotWrite(path, toString(std::move(error)));
  return Error::success();
}

Error coil::writeFile(StringRef path, StringRef bytes) {
  Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(path);
  if (!file)
    return file.takeError();
  (*file)->os() << bytes;
  return (*file)->commit();
}

Error coil::checkNotInput(StringRef output, llvm::ArrayRef<StringRef> inputs) {
  if (output.empty() || output == "-" || isSpecialFile(output))
    return Error::success();
  for (StringRef input : inputs)
    if (!input.empty() && input != "-" && fs::equivalent(output, input))
      return makeError("'" + output + "' is the input '" + input +
                       "', which is not overwritten");
  return Error::success();
}
