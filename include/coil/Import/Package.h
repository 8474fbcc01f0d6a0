//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The records of a .pt2 file: which of them is the program, and where in the
// mapped file each weight lies.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_PACKAGE_H
#define COIL_IMPORT_PACKAGE_H

#include "coil/Import/Archive.h"
#include "coil/Import/ExportedProgram.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace coil::import {

/// A weight inside the mapped file: a view of a storage that several weights
/// may share.
struct Weight {
  std::string name; ///< Fully qualified, such as "layers.0.weight".
  DType dtype = DType::Float32;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides; ///< In elements.
  int64_t storageOffset = 0;             ///< In elements.
  /// The bytes of the whole storage, aligned to at least 64.
  llvm::StringRef storage;
  /// Name of the record; weights that share it are tied.
  llvm::StringRef record;

  /// Address of the first element.
  const char *data() const {
    return storage.data() + storageOffset * getByteSize(dtype);
  }
  /// Whether the elements lie row by row without gaps.
  bool isContiguous() const;
};

/// The weights of a program. Keeps the file mapped.
class WeightStore {
public:
  /// The weight of that name, or null.
  const Weight *lookup(llvm::StringRef name) const;
  /// All weights, in the order of the file's configuration.
  llvm::ArrayRef<Weight> getWeights() const { return weights; }

private:
  friend class Package;
  std::shared_ptr<const Archive> archive;
  std::vector<Weight> weights;
  llvm::StringMap<size_t> index;
  /// Copies of storages that are not aligned in the file.
  std::vector<std::unique_ptr<char[]>> copies;
};

/// A .pt2 file as PyTorch 2.9 and later write it.
class Package {
public:
  /// Opens the file at \p path and checks that it is such a package.
  static llvm::Expected<Package> open(llvm::StringRef path,
                                      const Limits &limits = {});
  /// The same for an archive that is already open.
  static llvm::Expected<Package> create(std::shared_ptr<const Archive> archive);

  /// Names of the programs inside; usually just "model".
  llvm::ArrayRef<llvm::StringRef> getModels() const { return models; }

  /// \p model, or the name of the only program when it is empty.
  llvm::Expected<llvm::StringRef> resolveModel(llvm::StringRef model) const;

  /// The JSON text of the program \p model, or of the only program when the
  /// name is empty. The CRC-32 has been checked.
  llvm::Expected<llvm::StringRef> getProgramText(llvm::StringRef model) const;

  /// Reads the weights and constants of the program \p model. With
  /// \p checkCRC the bytes are compared with their CRC-32, which reads them.
  llvm::Expected<std::unique_ptr<WeightStore>>
  loadWeights(llvm::StringRef model, const Limits &limits,
              bool checkCRC = false) const;

private:
  const ArchiveRecord *lookup(const llvm::Twine &name) const;
  llvm::Error addWeights(WeightStore &store, llvm::StringRef folder,
                         llvm::StringRef model,
                         llvm::ArrayRef<llvm::StringRef> configNames,
                         const Limits &limits, bool checkCRC) const;

  std::shared_ptr<const Archive> archive;
  llvm::StringRef root;
  llvm::SmallVector<llvm::StringRef, 1> models;
};

} // namespace coil::import

#endif // COIL_IMPORT_PACKAGE_H
