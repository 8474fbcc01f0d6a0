//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLoader.h"

#include "DeviceAssembler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace coil;
using namespace llvm;

/// Whether kernels are assembled before the driver gets them.
static bool usesAssembler(size_t numKernels) {
  std::string choice = sys::Process::GetEnv("COIL_CUDA_ASSEMBLER").value_or("");
  if (!choice.empty())
    return choice == "nvjitlink";
  // Nobody knows what another driver than the system's takes.
  return numKernels > 1 &&
         sys::Process::GetEnv("COIL_CUDA_DRIVER").value_or("").empty();
}

KernelLoader::KernelLoader(int32_t device, size_t numKernels, StringRef cache,
                           bool lineInfo)
    : device(device), lineInfo(lineInfo), cache(cache) {
  coil_cuda_device_info info = {};
  if (usesAssembler(numKernels) && isNvJitLinkAvailable() &&
      coil_cuda_get_device_info(device, &info) == COIL_OK)
    chip = "sm_" + std::to_string(info.major) + std::to_string(info.minor);
}

std::string KernelLoader::assemble(const coil_cuda_kernel &kernel) const {
  StringRef ptx(static_cast<const char *>(kernel.image));
  // nvJitLink compiles relocatably and then ignores this.
  if (ptx.contains("setmaxnreg"))
    return "";
  StringRef target = ptx.split(".target ").second;
  target = target.take_while([](char c) { return isAlnum(c) || c == '_'; });
  DeviceImage image;
  image.name = kernel.name;
  image.ptx = ptx.str();
  // What is for one chip alone says so: sm_90a.
  image.chip = target.starts_with(chip) ? target.str() : chip;
  DeviceOptions options;
  options.assembler = DeviceAssembler::NvJitLink;
  options.lineInfo = lineInfo;
  Expected<ChosenAssembler> assembler = chooseAssembler(ptx, options);
  if (!assembler) {
    consumeError(assembler.takeError());
    return "";
  }
  std::string key;
  if (cache.isEnabled()) {
    key = ObjectCache::getKey(image.chip + "\n" + assembler->version + "\n" +
                              (lineInfo ? "lines\n" : "\n") + image.ptx);
    if (std::unique_ptr<MemoryBuffer> found = cache.load(key))
      return found->getBuffer().str();
  }
  // The driver says what is wrong with PTX, or compiles it all the same.
  if (Error error = coil::assemble(image, *assembler, lineInfo)) {
    consumeError(std::move(error));
    return "";
  }
  if (cache.isEnabled())
    cache.store(key, image.cubin);
  return std::move(image.cubin);
}

int32_t KernelLoader::load(coil_cuda_kernel &kernel) const {
  StringRef magic(static_cast<const char *>(kernel.image),
                  std::min<size_t>(kernel.image_size, 4));
  if (!chip.empty() && magic != "\x7f"
                                "ELF")
    if (std::string code = assemble(kernel);
        !code.empty() &&
        coil_cuda_kernel_load_code(&kernel, device, code.data()) == COIL_OK)
      return COIL_OK;
  return coil_cuda_kernel_load(&kernel, device);
}
