//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The schemas of PyTorch's operators, from a table generated out of PyTorch's
// own registrations. Exported programs leave out arguments that equal their
// defaults; the schemas put them back.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_ATENSCHEMA_H
#define COIL_IMPORT_ATENSCHEMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <variant>

namespace coil::import {

/// A type in a schema: a base with list and optional marks around it.
struct SchemaType {
  enum class Base : uint8_t {
    Tensor,
    Scalar,
    Int,
    SymInt,
    Float,
    Bool,
    String,
    ScalarType,
    Layout,
    Device,
    MemoryFormat,
    Generator,
    Complex,
    SymBool, ///< Results only.
  };
  Base base = Base::Tensor;
  bool isList = false;
  unsigned listSize = 0;            ///< Of `T[n]`; 0 for any size.
  bool isOptional = false;          ///< `T?` or `T[]?`.
  bool hasOptionalElements = false; ///< `T?[]`.

  bool isTensor() const { return base == Base::Tensor; }
};

/// A default value; monostate stands for None.
using SchemaDefault = std::variant<std::monostate, bool, int64_t, double,
                                   std::string, llvm::SmallVector<int64_t, 4>>;

struct SchemaArgument {
  llvm::StringRef name;
  SchemaType type;
  bool isKeywordOnly = false;
  /// Alias set of the storage, such as "a"; empty for none, "*" for wildcard.
  llvm::StringRef aliasSet;
  bool isMutated = false;
  /// Absent for a required argument.
  std::optional<SchemaDefault> defaultValue;
};

struct SchemaReturn {
  SchemaType type;
  llvm::StringRef aliasSet;
};

struct OpSchema {
  llvm::SmallVector<SchemaArgument, 6> arguments;
  llvm::SmallVector<SchemaReturn, 2> returns;

  bool isMutating() const;
  const SchemaArgument *find(llvm::StringRef name) const;
};

/// A row of the table.
struct AtenSchemaEntry {
  const char *name;      ///< "add.Tensor"
  const char *signature; ///< "(Tensor self, ...) -> Tensor"
  uint8_t tags;

  bool isCore() const { return tags & 1; }
  bool isPointwise() const { return tags & 2; }
};

/// All rows in order of name.
llvm::ArrayRef<AtenSchemaEntry> getAtenSchemas();

/// The row of the overload \p name ("add.Tensor"), or null.
const AtenSchemaEntry *findAtenSchema(llvm::StringRef name);

/// Parses a signature in PyTorch's notation. Strings of the result point into
/// \p signature.
llvm::Expected<OpSchema> parseSchema(llvm::StringRef signature);

} // namespace coil::import

#endif // COIL_IMPORT_ATENSCHEMA_H
