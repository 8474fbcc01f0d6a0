//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvJitLink, loaded when it is first needed, and the programs of the CUDA
// toolkit: `ptxas` and a disassembler.
//
//===----------------------------------------------------------------------===//

#include "DeviceAssembler.h"

#include "coil/Support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace coil;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// Directories where a CUDA toolkit may be, most specific first.
static SmallVector<std::string> getToolkits() {
  SmallVector<std::string> result;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::optional<std::string> value = sys::Process::GetEnv(variable))
      result.push_back(*value);
  result.push_back("/usr/local/cuda");
  return result;
}

/// A program of the CUDA toolkit, or "".
static std::string findTool(StringRef name) {
  for (const std::string &toolkit : getToolkits()) {
    SmallString<128> path(toolkit);
    sys::path::append(path, "bin", name);
    if (sys::fs::can_execute(path))
      return std::string(path);
  }
  if (ErrorOr<std::string> found = sys::findProgramByName(name))
    return *found;
  return "";
}

namespace {

/// The functions of nvJitLink that we use; the ABI is stable since CUDA 12.
struct NvJitLink {
  using Handle = void *;
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*add)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;
  std::string version;
  bool loaded = false;

  NvJitLink() {
    SmallVector<std::string> names;
    if (auto name = sys::Process::GetEnv("COIL_NVJITLINK"))
      names.push_back(*name); // The only one, so that "" turns it off.
    else
      for (const char *library : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
        names.push_back(library);
        for (const std::string &toolkit : getToolkits())
          for (const char *directory : {"lib64", "lib"}) {
            SmallString<128> path(toolkit);
            sys::path::append(path, directory, library);
            names.push_back(std::string(path));
          }
      }
    void *library = nullptr;
    for (const std::string &name : names)
      if (!library && !name.empty())
        library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    bool complete = true;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, name));
      complete &= function != nullptr;
    };
    find(create, "nvJitLinkCreate");
    find(destroy, "nvJitLinkDestroy");
    find(add, "nvJitLinkAddData");
    find(this->complete, "nvJitLinkComplete");
    find(cubinSize, "nvJitLinkGetLinkedCubinSize");
    find(cubin, "nvJitLinkGetLinkedCubin");
    find(errorSize, "nvJitLinkGetErrorLogSize");
    find(errorLog, "nvJitLinkGetErrorLog");
    find(infoSize, "nvJitLinkGetInfoLogSize");
    find(infoLog, "nvJitLinkGetInfoLog");
    int (*getVersion)(unsigned *, unsigned *) = nullptr;
    find(getVersion, "nvJitLinkVersion");
    unsigned major = 0, minor = 0;
    if (!complete || getVersion(&major, &minor))
      return;
    version =
        "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
    loaded = true;
  }

  static const NvJitLink &get() {
    static NvJitLink library;
    return library;
  }
};

} // namespace

bool coil::isNvJitLinkAvailable() { return NvJitLink::get().loaded; }

/// `ptxas`, and its version as far as that is known without starting it.
static ChosenAssembler findPtxas() {
  static const ChosenAssembler found = [] {
    ChosenAssembler result;
    result.path = findTool("ptxas");
    if (result.path.empty())
      return result;
    result.kind = DeviceAssembler::Ptxas;
    sys::fs::file_status status;
    if (!sys::fs::status(result.path, status))
      result.version =
          "ptxas " + std::to_string(status.getSize()) + " " +
          std::to_string(sys::toTimeT(status.getLastModificationTime()));
    return result;
  }();
  return found;
}

Expected<ChosenAssembler> coil::chooseAssembler(StringRef ptx,
                                                const DeviceOptions &options) {
  ChosenAssembler ptxas = findPtxas(), library;
  if (NvJitLink::get().loaded) {
    library.kind = DeviceAssembler::NvJitLink;
    library.version = NvJitLink::get().version;
  }
  switch (options.assembler) {
  case DeviceAssembler::NvJitLink:
    if (library.kind == DeviceAssembler::Auto)
      return makeError("nvJitLink cannot be loaded");
    return library;
  case DeviceAssembler::Ptxas:
    if (ptxas.kind == DeviceAssembler::Auto)
      return makeError("'ptxas' is not installed");
    return ptxas;
  case DeviceAssembler::Auto:
    break;
  }
  // nvJitLink compiles relocatably and then ignores setmaxnreg.
  bool prefersPtxas = ptx.contains("setmaxnreg");
  if (ptxas.kind != DeviceAssembler::Auto &&
      (prefersPtxas || library.kind == DeviceAssembler::Auto))
    return ptxas;
  if (library.kind != DeviceAssembler::Auto)
    return library;
  return makeError("machine code needs nvJitLink or 'ptxas', and neither is "
                   "installed");
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

static Error assembleByLibrary(DeviceImage &image, bool lineInfo) {
  const NvJitLink &library = NvJitLink::get();
  std::string arch = "-arch=" + image.chip;
  SmallVector<const char *> options = {arch.c_str(), "-O3", "-verbose"};
  if (lineInfo)
    options.push_back("-lineinfo");
  NvJitLink::Handle handle = nullptr;
  if (library.create(&handle, options.size(), options.data()))
    return makeError("nvJitLink does not know the chip '" + image.chip + "'");
  auto readLog = [&](auto size, auto read) {
    size_t bytes = 0;
    std::string text;
    if (!size(handle, &bytes) && bytes > 1) {
      text.resize(bytes);
      read(handle, text.data());
      text.resize(std::min(text.find('\0'), text.size()));
    }
    return text;
  };
  // 2: PTX, which must end in a zero.
  int status = library.add(handle, 2, image.ptx.c_str(), image.ptx.size() + 1,
                           image.name.c_str());
  if (!status)
    status = library.complete(handle);
  image.log = readLog(library.infoSize, library.infoLog);
  size_t size = 0;
  if (!status)
    status = library.cubinSize(handle, &size);
  if (!status) {
    image.cubin.resize(size);
    status = library.cubin(handle, image.cubin.data());
  }
  std::string message;
  if (status)
    message = readLog(library.errorSize, library.errorLog);
  library.destroy(&handle);
  if (!status)
    return Error::success();
  return makeError("nvJitLink failed with status " + Twine(status) + ": " +
                   StringRef(message).trim());
}

/// Runs a program with its output and errors in a file, which is returned.
static Expected<std::string> run(StringRef path, ArrayRef<StringRef> arguments,
                                 unsigned seconds, int &status) {
  SmallString<128> log;
  if (std::error_code code =
          sys::fs::createTemporaryFile("coil-device", "log", log))
    return makeError("no temporary file can be made: " + code.message());
  FileRemover remover(log);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  SmallVector<StringRef> command = {path};
  llvm::append_range(command, arguments);
  std::string message;
  status = sys::ExecuteAndWait(path, command, std::nullopt, redirects, seconds,
                               /*MemoryLimit=*/0, &message);
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(log);
  std::string result = text ? (*text)->getBuffer().str() : "";
  return message.empty() ? result : message + "\n" + result;
}

static Error assembleByProgram(DeviceImage &image, StringRef path,
                               bool lineInfo) {
  SmallString<128> input, output;
  int descriptor = -1;
  if (std::error_code code =
          sys::fs::createTemporaryFile("coil-device", "ptx", descriptor, input))
    return makeError("no temporary file can be made: " + code.message());
  FileRemover removeInput(input);
  {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << image.ptx;
    os.close();
    if (os.has_error()) {
      std::error_code code = os.error();
      os.clear_error();
      return makeError("the PTX cannot be written: " + code.message());
    }
  }
  if (std::error_code code =
          sys::fs::createTemporaryFile("coil-device", "cubin", output))
    return makeError("no temporary file can be made: " + code.message());
  FileRemover removeOutput(output);
  std::string arch = "-arch=" + image.chip;
  SmallVector<StringRef> arguments = {arch, "-O3", "-v", "-o", output, input};
  if (lineInfo)
    arguments.push_back("-lineinfo");
  int status = 0;
  Expected<std::string> log = run(path, arguments, /*seconds=*/300, status);
  if (!log)
    return log.takeError();
  if (status)
    return makeError("'ptxas' failed with status " + Twine(status) + ": " +
                     StringRef(*log).trim());
  image.log = std::move(*log);
  ErrorOr<std::unique_ptr<MemoryBuffer>> cubin = MemoryBuffer::getFile(
      output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!cubin)
    return makeError("the output of 'ptxas' cannot be read: " +
                     cubin.getError().message());
  image.cubin = (*cubin)->getBuffer().str();
  return Error::success();
}

Error coil::assemble(DeviceImage &image, const ChosenAssembler &assembler,
                     bool lineInfo) {
  if (assembler.kind == DeviceAssembler::NvJitLink)
    return assembleByLibrary(image, lineInfo);
  return assembleByProgram(image, assembler.path, lineInfo);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The number in front of some words, or zero.
static unsigned numberBefore(StringRef line, StringRef words) {
  size_t end = line.find(words);
  if (end == StringRef::npos)
    return 0;
  StringRef number = line.take_front(end).rtrim();
  number = number.substr(number.find_last_not_of("0123456789") + 1);
  unsigned result = 0;
  return number.getAsInteger(10, result) ? 0 : result;
}

void coil::readResources(DeviceImage &image) {
  std::string rest;
  DeviceFunction *current = nullptr;
  for (StringRef line : llvm::split(StringRef(image.log), '\n')) {
    size_t start = std::string::npos;
    for (StringRef words :
         {"Compiling entry function '", "Function properties for "})
      if ((start = line.find(words)) != StringRef::npos) {
        StringRef name = line.drop_front(start + words.size());
        name = name.take_while([](char c) { return c != '\'' && c != ' '; });
        name = name.trim("'");
        current = nullptr;
        for (DeviceFunction &function : image.functions)
          if (function.name == name)
            current = &function;
        break;
      }
    if (start != StringRef::npos)
      continue;
    if (line.contains(" bytes stack frame")) {
      if (current) {
        current->stackBytes = numberBefore(line, " bytes stack frame");
        current->spillStoreBytes = numberBefore(line, " bytes spill stores");
        current->spillLoadBytes = numberBefore(line, " bytes spill loads");
      }
    } else if (line.contains(" registers")) {
      if (current) {
        current->registers = numberBefore(line, " registers");
        current->barriers = numberBefore(line, " barriers");
        current->sharedBytes = numberBefore(line, " bytes smem");
        current->constantBytes = numberBefore(line, " bytes cmem[0]");
      }
    } else if (!line.trim().empty() && !line.contains("ptxas info") &&
               !line.contains("bytes gmem") && !line.contains("info    ")) {
      rest += line.str() + "\n";
    }
  }
  image.log = std::move(rest);
}

Expected<std::string> coil::disassembleCubin(StringRef cubin) {
  std::string nvdisasm = findTool("nvdisasm"), cuobjdump;
  if (nvdisasm.empty())
    cuobjdump = findTool("cuobjdump");
  if (nvdisasm.empty() && cuobjdump.empty())
    return makeError("machine code cannot be printed: neither 'nvdisasm' nor "
                     "'cuobjdump' is installed");
  SmallString<128> path;
  int descriptor = -1;
  if (std::error_code code = sys::fs::createTemporaryFile(
          "coil-device", "cubin", descriptor, path))
    return makeError("no temporary file can be made: " + code.message());
  FileRemover remover(path);
  {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << cubin;
    os.close();
    if (os.has_error()) {
      std::error_code code = os.error();
      os.clear_error();
      return makeError("the machine code cannot be written: " + code.message());
    }
  }
  int status = 0;
  SmallVector<StringRef> arguments;
  if (nvdisasm.empty())
    arguments.push_back("-sass");
  else
    arguments.push_back("-c");
  arguments.push_back(path);
  StringRef tool = nvdisasm.empty() ? cuobjdump : nvdisasm;
  Expected<std::string> text = run(tool, arguments, /*seconds=*/60, status);
  if (!text)
    return text.takeError();
  if (status)
    return makeError("'" + tool + "' failed: " + StringRef(*text).trim());
  return text;
}
