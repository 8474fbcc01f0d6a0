//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the GPU kernels of a program and describes them.
//
//===----------------------------------------------------------------------===//

#include "DeviceKernels.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

bool coil::isDeviceKernel(Operation *op) {
  auto kernel = dyn_cast<wrapper::KernelOp>(op);
  return kernel && kernel.getGeometry();
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
