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

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <atomic>
#include <thread>

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

bool coil::isDeviceKernel(Operation *op) {
  auto kernel = dyn_cast<wrapper::KernelOp>(op);
  return kernel && kernel.getGeometry();
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

/// The first place in a file that a location mentions, or nothing.
static std::string describeLocation(Location location) {
  FileLineColLoc file;
  location->walk([&](Location inner) {
    file = dyn_cast<FileLineColLoc>(inner);
    return file ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!file)
    return "";
  return (llvm::Twine(file.getFilename().getValue()) + ":" +
          llvm::Twine(file.getLine()))
      .str();
}

/// What a user's kernel takes, as coil_cuda_kernel has it.
static std::string describeParameters(wrapper::KernelOp kernel) {
  std::string text;
  for (auto each : kernel.getParameters()->getAsRange<wrapper::ParamAttr>())
    if (each.isPassed())
      text += each.isTensorMap()                             ? 'm'
              : each.isBuffer()                              ? 'a'
              : each.getType().getIntOrFloatBitWidth() == 32 ? '4'
                                                             : '8';
  return text;
}

Expected<std::vector<DeviceObject>>
coil::compileKernels(ModuleOp module, const DeviceOptions &options,
                     EngineStats &stats) {
  llvm::SmallVector<wrapper::KernelOp> sources;
  llvm::SmallVector<gpu::GPUModuleOp> modules;
  for (auto kernel : module.getOps<wrapper::KernelOp>()) {
    if (!kernel.getGeometry())
      continue;
    auto inside = kernel.getBlock()->getOps<gpu::GPUModuleOp>();
    sources.push_back(kernel);
    if (kernel.getPtx())
      continue; // A user's.
    if (!llvm::hasSingleElement(inside))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "kernel '" + kernel.getSymName() +
                                         "' has a geometry but no GPU module");
    modules.push_back(*inside.begin());
  }
  std::vector<DeviceObject> result;
  if (sources.empty())
    return result;
  Expected<std::vector<DeviceImage>> images =
      compileDeviceKernels(modules, options);
  if (!images)
    return images.takeError();
  auto *next = images->data();
  for (wrapper::KernelOp source : sources) {
    DeviceImage text;
    if (source.getPtx())
      text.ptx = source.getPtx()->str();
    DeviceImage &image = source.getPtx() ? text : *next++;
    wrapper::GeometryAttr geometry = *source.getGeometry();
    DeviceObject &kernel = result.emplace_back();
    // The lowering of the host program renamed the op, not its module.
    kernel.symbol = source.getSymName().str();
    if (llvm::StringRef(kernel.symbol).ends_with(".module"))
      kernel.symbol.resize(kernel.symbol.size() - strlen(".module"));
    kernel.function = source.isUserKernel() && source.getEntry()
                          ? source.getEntry()->str()
                      : source.isUserKernel() || image.functions.empty()
                          ? kernel.symbol
                          : image.functions.front().name;
    kernel.location = describeLocation(source.getLoc());
    kernel.flags = (geometry.getErrors() ? COIL_CUDA_KERNEL_CHECKS : 0) |
                   (source.getBatch() ? COIL_CUDA_KERNEL_TABLE : 0) |
                   (llvm::StringRef(image.ptx).contains("griddepcontrol.wait")
                        ? COIL_CUDA_KERNEL_OVERLAPS
                        : 0);
    kernel.isText = image.cubin.empty();
    kernel.chip =
        image.chip.empty() ? getTargetOfPTX(image.ptx).str() : image.chip;
    kernel.code = std::move(kernel.isText ? image.ptx : image.cubin);
    kernel.numBuffers = int32_t(source.getNumInputs() + source.getNumOutputs());
    kernel.numSymbols = int32_t(source.getSymbols().size());
    for (size_t d = 0; d < 3; ++d)
      kernel.block[d] = int32_t(geometry.getBlock()[d]);
    kernel.dynamicShared = int32_t(geometry.getShared());
    kernel.blockScratch = int32_t(geometry.getScratch());
    if (source.isUserKernel())
      kernel.parameters = describeParameters(source);
    stats.imageBytes += int64_t(kernel.code.size() + kernel.isText);
    stats.cachedImages += image.cached;
    ++stats.deviceKernels;
    ++stats.kernels;
  }
  return result;
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
