//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures as JSON.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/SignatureJSON.h"
#include "coil/ExecutionEngine/Signature.h"

using llvm::json::Array;
using llvm::json::Object;

static Object toJSON(const coil::TensorSpec &spec) {
  Array sizes;
  for (const coil::SizeExpr &size : spec.sizes)
    if (size.kind == coil::SizeExpr::Kind::Constant)
      sizes.push_back(size.offset);
    else
      sizes.push_back(size.text);
  Object tensor{{"dtype", coil_dtype_name(spec.dtype)},
                {"sizes", std::move(sizes)}};
  if (spec.isComplex)
    tensor["complex"] = true;
  if (!spec.name.empty())
    tensor["name"] = spec.name;
  if (!spec.weight.empty())
    tensor["weight"] = spec.weight;
  if (spec.isUpdated)
    tensor["updated"] = true;
  if (!spec.mutationKind.empty())
    tensor["mutation"] =
        Object{{"kind", spec.mutationKind}, {"target", spec.mutationTarget}};
  if (!spec.gradientKind.empty())
    tensor["gradient"] =
        Object{{"kind", spec.gradientKind}, {"target", spec.gradientTarget}};
  return tensor;
}

llvm::json::Value coil::toJSON(llvm::ArrayRef<TensorSpec> inputs,
                               llvm::ArrayRef<TensorSpec> outputs,
                               llvm::ArrayRef<SymbolSpec> symbols) {
  Array inputList, outputList, symbolList;
  for (const TensorSpec &spec : inputs)
    inputList.push_back(::toJSON(spec));
  for (const TensorSpec &spec : outputs)
    outputList.push_back(::toJSON(spec));
  for (const SymbolSpec &symbol : symbols) {
    Object entry{
        {"name", symbol.name}, {"min", symbol.min}, {"hint", symbol.hint}};
    if (symbol.max != INT64_MAX)
      entry["max"] = symbol.max;
    symbolList.push_back(std::move(entry));
  }
  return Object{{"inputs", std::move(inputList)},
                {"outputs", std::move(outputList)},
                {"symbols", std::move(symbolList)}};
}

llvm::json::Value coil::toJSON(const Signature &signature) {
  return toJSON(signature.getInputs(), signature.getOutputs(),
                signature.getSymbols());
}
