//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest of a package as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_PACKAGE_MANIFEST_H
#define COIL_LIB_PACKAGE_MANIFEST_H

#include "coil/Import/JSON.h"
#include "coil/Package/Package.h"

#include "llvm/Support/JSON.h"

namespace coil {

/// Gives a record's data, or an error if there is no such record.
using RecordLookup =
    llvm::function_ref<llvm::Expected<llvm::StringRef>(llvm::StringRef)>;
/// Keeps data as a record; returns its name.
using RecordSink =
    llvm::function_ref<std::string(llvm::StringRef kind, llvm::StringRef data)>;

llvm::json::Value toJSON(const ProgramImage &image, RecordSink add);
llvm::Expected<ProgramImage> readImage(const import::JSONValue &value,
                                       RecordLookup find);

/// Reads members of JSON objects. The first error is kept; what is read after
/// it has no meaning.
class ManifestReader {
public:
  /// The member of that name. An absent one is an error.
  std::optional<import::JSONValue> member(const import::JSONValue &object,
                                          llvm::StringRef key);
  std::string text(const import::JSONValue &object, llvm::StringRef key);
  int64_t integer(const import::JSONValue &object, llvm::StringRef key,
                  int64_t min = INT64_MIN, int64_t max = INT64_MAX);
  bool boolean(const import::JSONValue &object, llvm::StringRef key);
  /// Calls `read` for each element of an array.
  void each(const import::JSONValue &object, llvm::StringRef key,
            llvm::function_ref<void(const import::JSONValue &)> read);
  std::string text(const import::JSONValue &value);
  int64_t integer(const import::JSONValue &value, int64_t min, int64_t max);

  void fail(const llvm::Twine &message) {
    if (error.empty())
      error = message.str();
  }
  bool failed() const { return !error.empty(); }
  llvm::Error take();

private:
  std::string error;
};

} // namespace coil

#endif // COIL_LIB_PACKAGE_MANIFEST_H
