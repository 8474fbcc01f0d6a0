//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalizations of framework operators from outside of Coil.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_TRANSFORMS_ATENREGISTRY_H
#define COIL_DIALECT_GRAPH_TRANSFORMS_ATENREGISTRY_H

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

namespace coil::graph {

/// Adds a legalization for `aten.<name>` for each name in a blank-separated
/// list, as `AtenLegalizations::add` does: "logit_special foo.Tensor". A second
/// legalization of an operator, Coil's own among them, is an error
/// (`checkRegistrations`); whoever wants another one than Coil's rewrites the
/// operator at the extension point `before-legalization`.
void registerAtenLegalization(llvm::StringRef names, AtenHandler handler);

/// Whether Coil has a legalization of an overload, such as "aten.add.Tensor".
bool hasOwnLegalization(llvm::StringRef overload);

/// Whether something else was registered for an overload.
bool hasRegisteredLegalization(llvm::StringRef overload);

/// The overloads that a list of names says, with spaces between them, as
/// operators are called: "add.Tensor relu" are "aten.add.Tensor" and
/// "aten.relu.default".
llvm::SmallVector<std::string> getOverloads(llvm::StringRef names);

/// What was registered for an op, or null. Valid as long as the process.
const AtenHandler *findRegisteredLegalization(AtenOp op);

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_TRANSFORMS_ATENREGISTRY_H
