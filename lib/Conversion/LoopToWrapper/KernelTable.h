//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distinct kernels of a module.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOWRAPPER_KERNELTABLE_H
#define COIL_LIB_CONVERSION_LOOPTOWRAPPER_KERNELTABLE_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <unordered_map>
#include <vector>

namespace coil::wrapper {

/// Makes one `wrapper.kernel` of all kernels that are equal but for their names
/// and locations.
class KernelTable {
public:
  /// New kernels go where `builder` inserts.
  explicit KernelTable(mlir::OpBuilder builder) : builder(builder) {}

  /// Returns the kernel that runs `kernel` on buffers of the given layouts on a
  /// device.
  /// `alignment` has the bytes that each input's address is a multiple of, or
  /// is empty. `ranges` gives the ranges of symbols.
  KernelOp getOrCreate(loop::KernelOp kernel, DeviceAttr device,
                       llvm::ArrayRef<sym::ShapeAttr> inputStrides,
                       llvm::ArrayRef<sym::ShapeAttr> outputStrides,
                       llvm::ArrayRef<int64_t> alignment,
                       mlir::DictionaryAttr ranges);

private:
  using Key = std::vector<const void *>;
  struct HashKey {
    size_t operator()(const Key &key) const;
  };

  std::string makeName(llvm::StringRef name);

  mlir::OpBuilder builder;
  std::unordered_map<Key, KernelOp, HashKey> kernels;
};

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_LOOPTOWRAPPER_KERNELTABLE_H
