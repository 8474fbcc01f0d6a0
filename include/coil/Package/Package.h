//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled program as one file, `.coilpkg`: a zip container of machine code
// and weights, which are used where they lie in the mapped file, and a manifest
// that says what they are.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PACKAGE_PACKAGE_H
#define COIL_PACKAGE_PACKAGE_H

#include "coil/ExecutionEngine/ProgramImage.h"
#include "coil/Import/Archive.h"
#include "coil/Support/OutputFile.h"

namespace coil {

/// The version of the format, which a reader and a file have to share.
constexpr int64_t kPackageFormat = 2;

/// Whether a file name is that of a package.
bool isPackagePath(llvm::StringRef path);

/// A weight, row by row.
struct PackageWeight {
  std::string name;
  int32_t dtype = COIL_F32;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::StringRef data;
};

/// A record, as the manifest knows it.
struct PackageRecord {
  std::string name;
  uint64_t bytes = 0;
  /// Hexadecimal: of XXH3 (128 bits), which loading compares, and of SHA-256.
  std::string xxh3, sha256;
};

/// A program for one kind of processor.
struct ProgramVariant {
  std::shared_ptr<const ProgramImage> main;
  /// What runs once for each set of weights; null if nothing does.
  std::shared_ptr<const ProgramImage> prepare;
  /// As compilation counted them.
  int64_t kernelsBefore = 0, launches = 0, libraryCalls = 0;
};

struct ProgramPackage {
  /// Name of the function that was compiled.
  std::string function;
  /// At least one. They have the same signature.
  std::vector<ProgramVariant> variants;
  std::vector<PackageWeight> weights;

  /// \name Of a package that was read
  /// @{
  /// The version of Coil that wrote it.
  std::string version;
  std::vector<PackageRecord> records;
  /// What weights and code lie in.
  std::shared_ptr<const import::Archive> archive;
  /// @}
};

/// The variant for this processor, and this GPU, that uses most of them: the
/// newest chip first, then features. An error, which says what is missing for
/// the first and for which chips there are variants, if there is none.
llvm::Expected<const ProgramVariant *>
selectVariant(const ProgramPackage &package, int32_t device = 0);

/// Adds the variants of another package of the same program, which has to have
/// the same signature and weights.
llvm::Error mergePackage(ProgramPackage &package, const ProgramPackage &other);

/// Writes a package. A file of that name is replaced once the new one is whole.
llvm::Error writePackage(const ProgramPackage &package, llvm::StringRef path,
                         OutputKind kind = OutputKind::Package);

/// How much of a package to compare with its hashes.
enum class PackageCheck { None, Fast, Full };

/// Maps a package and reads its manifest. Everything is checked before it is
/// believed, but for the code itself: a package is as trusted as a program.
llvm::Expected<ProgramPackage> readPackage(llvm::StringRef path,
                                           PackageCheck check);

} // namespace coil

#endif // COIL_PACKAGE_PACKAGE_H
