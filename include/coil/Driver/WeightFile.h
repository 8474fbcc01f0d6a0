//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a .pt2 file or of a package, for a program that is there
// already.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DRIVER_WEIGHTFILE_H
#define COIL_DRIVER_WEIGHTFILE_H

#include "coil/ExecutionEngine/ModelContainer.h"

#include "llvm/ADT/StringMap.h"

namespace coil {

struct ProgramPackage;

namespace import {
struct Weight;
class WeightStore;
} // namespace import

/// A weight of a model where it lies, kept by the store that has it. Fails when
/// programs cannot have its element type.
llvm::Expected<NamedWeight>
toNamedWeight(const import::Weight &weight,
              std::shared_ptr<const import::WeightStore> store);

/// The weights of a file, where they lie in it. Their owners keep the file
/// mapped; sizes and strides belong to this object. Move-only.
class WeightFile {
public:
  /// Maps a .pt2 file or a package, and compares what it reads with checksums.
  static llvm::Expected<WeightFile> open(llvm::StringRef path);
  /// Of a package that was read, which has to stay.
  explicit WeightFile(const ProgramPackage &package);

  llvm::ArrayRef<NamedWeight> getWeights() const { return weights; }
  const NamedWeight *lookup(llvm::StringRef name) const;

private:
  WeightFile() = default;
  void add(NamedWeight weight);

  std::vector<NamedWeight> weights;
  llvm::StringMap<size_t> numbers;
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  std::shared_ptr<const import::WeightStore> store;
};

/// Updates a program's inactive weights from a file, which has to have all of
/// them and may have others. Errors name the file.
llvm::Error updateWeights(ModelContainer &container, llvm::StringRef path);

} // namespace coil

#endif // COIL_DRIVER_WEIGHTFILE_H
