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
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <utility>

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
  file->endsBySignal = kind != OutputKind::CacheEntry;
  if (path.ends_with(".pt2"))
    return cannotWrite(path, "'.pt2' is the name of models that torch.export "
                             "writes, this would be another format");
  if (kind != OutputKind::CacheEntry &&
      path.ends_with(".coilpkg") != (kind == OutputKind::Package))
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
  fs::perms mode =
      exists ? status.permissions() & ~fs::set_uid_on_exe & ~fs::set_gid_on_exe
             : fs::all_read | fs::all_write;
  if (std::error_code error = file->createTemporary(mode))
    return cannotWrite(path, error.message());
  return file;
}

std::error_code OutputFile::createTemporary(fs::perms mode) {
  // As many names as `fs::createUniqueFile` tries.
  std::error_code error;
  for (int attempt = 0; attempt < 128; ++attempt) {
    llvm::SmallString<128> name;
    fs::createUniquePath(target + ".%%%%%%%%.tmp", name,
                         /*MakeAbsolute=*/false);
    // The name is registered before the file exists: a signal may arrive while
    // the system creates it. `fs::TempFile` registers afterwards.
    if (endsBySignal && llvm::sys::RemoveFileOnSignal(name))
      return std::make_error_code(std::errc::not_enough_memory);
    error = fs::openFileForReadWrite(name, descriptor, fs::CD_CreateNew,
                                     fs::OF_None, mode);
    if (!error) {
      temporary = name.str().str();
      owned = std::make_unique<llvm::raw_fd_ostream>(descriptor,
                                                     /*shouldClose=*/false);
      stream = owned.get();
      return {};
    }
    if (endsBySignal)
      llvm::sys::DontRemoveFileOnSignal(name);
    if (error != std::errc::file_exists)
      return error;
  }
  return error;
}

OutputFile::~OutputFile() {
  // The destructor of a stream with an unreported error ends the process.
  if (owned) {
    owned->flush();
    owned->clear_error();
    owned.reset();
  }
  if (descriptor >= 0)
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  if (temporary.empty())
    return;
  fs::remove(temporary);
  if (endsBySignal)
    llvm::sys::DontRemoveFileOnSignal(temporary);
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
  if (temporary.empty())
    return Error::success();
  if (std::error_code error = llvm::sys::Process::SafelyCloseFileDescriptor(
          std::exchange(descriptor, -1)))
    return cannotWrite(path, error.message());
  if (std::error_code error = fs::rename(temporary, target))
    return cannotWrite(path, error.message());
  if (endsBySignal)
    llvm::sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
  return Error::success();
}

Error coil::writeFile(StringRef path, StringRef bytes, OutputKind kind) {
  Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(path, kind);
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
