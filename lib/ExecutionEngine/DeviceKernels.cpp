//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From lowered GPU kernels to objects that the runtime launches.
//
//===----------------------------------------------------------------------===//

#include "DeviceKernels.h"
#include "KernelLoader.h"

#include "coil/ExecutionEngine/Engine.h"
#include "coil/Support/ThreadPool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <thread>

using namespace coil;
using llvm::Error;
using llvm::Expected;

llvm::json::Object coil::provenanceToJSON(llvm::StringRef provenance) {
  llvm::json::Object steps;
  llvm::SmallVector<llvm::StringRef> lines, parts;
  provenance.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    parts.clear();
    line.split(parts, '\t');
    llvm::json::Array sources;
    for (llvm::StringRef source : llvm::drop_begin(parts))
      sources.push_back(source);
    steps[parts.front()] = std::move(sources);
  }
  return steps;
}

llvm::StringRef coil::getTargetOfPTX(llvm::StringRef ptx) {
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    line = line.ltrim();
    if (line.consume_front(".target"))
      return line.ltrim().take_until([](char c) {
        return c == ',' || c == ' ' || c == '\t' || c == '\r';
      });
    if (line.starts_with(".visible") || line.starts_with(".entry"))
      break;
  }
  return "";
}

/// The number of "sm_90a", and whether code is for this chip alone.
static std::pair<unsigned, bool> splitChip(llvm::StringRef chip) {
  unsigned number = 0;
  chip.consume_front("sm_");
  (void)chip.consumeInteger(10, number);
  return {number, !chip.empty()};
}

unsigned coil::getChipRank(llvm::StringRef chip) {
  auto [number, isAlone] = splitChip(chip);
  return 2 * number + isAlone;
}

bool coil::canRun(const DeviceObject &kernel, int major, int minor) {
  auto [number, isAlone] = splitChip(kernel.chip);
  auto device = static_cast<unsigned>(major * 10 + minor);
  if (number == 0) // Nobody says what it is for.
    return true;
  if (isAlone)
    return number == device;
  return number <= device &&
         (kernel.isText || number / 10 == static_cast<unsigned>(major));
}

std::string coil::getChip(const ProgramImage &image) {
  llvm::StringRef newest;
  for (const DeviceObject &kernel : image.kernels)
    if (newest.empty() || getChipRank(kernel.chip) > getChipRank(newest))
      newest = kernel.chip;
  return newest.str();
}

DeviceKernels::DeviceKernels(llvm::ArrayRef<DeviceObject> sources) {
  for (const DeviceObject &source : sources) {
    Kernel &kernel = kernels.emplace_back();
    kernel.symbol = source.symbol;
    coil_cuda_kernel &object = kernel.object;
    object = {};
    object.struct_size = sizeof(object);
    object.flags = source.flags;
    object.name = source.function.c_str();
    object.location = source.location.c_str();
    // PTX ends in 0.
    object.image = source.code.c_str();
    object.image_size = source.code.size() + source.isText;
    numTexts += source.isText;
    object.num_buffers = source.numBuffers;
    object.num_symbols = source.numSymbols;
    llvm::copy(source.block, object.block);
    object.dynamic_shared = source.dynamicShared;
    object.block_scratch = source.blockScratch;
    if (!source.parameters.empty())
      object.parameters = source.parameters.c_str();
  }
}

DeviceKernels::~DeviceKernels() {
  for (Kernel &kernel : kernels)
    coil_cuda_kernel_unload(&kernel.object);
}

Error DeviceKernels::load(int32_t device, llvm::StringRef cache,
                          bool lineInfo) {
  // PTX is compiled here: worth all processors.
  KernelLoader loader(device, numTexts, cache, lineInfo);
  std::atomic<size_t> next{0};
  std::vector<std::string> errors(kernels.size());
  std::vector<int32_t> statuses(kernels.size(), COIL_OK);
  auto work = [&] {
    for (size_t i = next++; i < kernels.size(); i = next++) {
      statuses[i] = loader.load(kernels[i].object);
      if (statuses[i] != COIL_OK)
        errors[i] = coil_last_error();
    }
  };
  runOnThreads(unsigned(std::min<size_t>(kernels.size(),
                                         std::thread::hardware_concurrency())),
               [&](unsigned) { work(); });
  for (auto [status, error] : llvm::zip(statuses, errors))
    if (status != COIL_OK)
      return llvm::make_error<RunError>(status, error);
  return Error::success();
}
