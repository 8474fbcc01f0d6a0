//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes what the runtime is told of a kernel into an object file.
//
//===----------------------------------------------------------------------===//

#include "KernelObject.h"

#include "coil/Runtime/CUDA.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

#include <cstddef>

using namespace coil;

// The fields below are those of the struct, in their order.
static_assert(offsetof(coil_cuda_kernel, flags) == 4 &&
              offsetof(coil_cuda_kernel, name) == 8 &&
              offsetof(coil_cuda_kernel, location) == 16 &&
              offsetof(coil_cuda_kernel, image) == 24 &&
              offsetof(coil_cuda_kernel, image_size) == 32 &&
              offsetof(coil_cuda_kernel, num_buffers) == 40 &&
              offsetof(coil_cuda_kernel, num_symbols) == 44 &&
              offsetof(coil_cuda_kernel, block) == 48 &&
              offsetof(coil_cuda_kernel, dynamic_shared) == 60 &&
              offsetof(coil_cuda_kernel, block_scratch) == 64 &&
              offsetof(coil_cuda_kernel, state) == 72 &&
              offsetof(coil_cuda_kernel, parameters) == 80 &&
              sizeof(coil_cuda_kernel) == 88);

std::unique_ptr<llvm::Module>
coil::makeKernelData(llvm::ArrayRef<DeviceObject> kernels,
                     llvm::LLVMContext &context) {
  auto module = std::make_unique<llvm::Module>("kernels", context);
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *ptr = llvm::PointerType::get(context, 0);
  auto *block = llvm::ArrayType::get(i32, 3);
  auto *type =
      llvm::StructType::get(context, {i32, i32, ptr, ptr, ptr, i64, i32, i32,
                                      block, i32, i32, ptr, ptr});
  // Kernels of one module have one image.
  llvm::StringMap<llvm::GlobalVariable *> data;
  auto bytes = [&](llvm::StringRef text, bool isText) -> llvm::Constant * {
    llvm::GlobalVariable *&global = data[text];
    if (!global) {
      auto *value = llvm::ConstantDataArray::getString(context, text, isText);
      global = new llvm::GlobalVariable(
          *module, value->getType(), /*isConstant=*/true,
          llvm::GlobalValue::PrivateLinkage, value, "data");
      // As machine code wants it.
      global->setAlignment(llvm::Align(64));
    }
    return global;
  };
  auto number = [&](llvm::IntegerType *width, uint64_t value) {
    return llvm::ConstantInt::get(width, value);
  };
  for (const DeviceObject &kernel : kernels) {
    llvm::SmallVector<llvm::Constant *> sizes;
    for (int32_t size : kernel.block)
      sizes.push_back(number(i32, static_cast<uint32_t>(size)));
    llvm::Constant *fields[] = {
        number(i32, sizeof(coil_cuda_kernel)),
        number(i32, kernel.flags),
        bytes(kernel.function, /*isText=*/true),
        bytes(kernel.location, /*isText=*/true),
        bytes(kernel.code, kernel.isText),
        number(i64, kernel.code.size() + kernel.isText),
        number(i32, static_cast<uint32_t>(kernel.numBuffers)),
        number(i32, static_cast<uint32_t>(kernel.numSymbols)),
        llvm::ConstantArray::get(block, sizes),
        number(i32, static_cast<uint32_t>(kernel.dynamicShared)),
        number(i32, static_cast<uint32_t>(kernel.blockScratch)),
        llvm::ConstantPointerNull::get(ptr),
        kernel.parameters.empty() ? llvm::ConstantPointerNull::get(ptr)
                                  : bytes(kernel.parameters, /*isText=*/true)};
    auto *global = new llvm::GlobalVariable(
        *module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantStruct::get(type, fields), kernel.symbol);
    global->setAlignment(llvm::Align(8));
  }
  return module;
}
