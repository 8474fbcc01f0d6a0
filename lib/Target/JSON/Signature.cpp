//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes signatures as JSON.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/Signature.h"
#include "coil/InitAllDialects.h"
#include "coil/Target/SignatureJSON.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
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
  return tensor;
}

llvm::json::Value coil::toJSON(ArrayRef<TensorSpec> inputs,
                               ArrayRef<TensorSpec> outputs,
                               ArrayRef<SymbolSpec> symbols) {
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

/// Reads the signature of a lowered entry point or of a function of tensors.
static llvm::Expected<coil::Signature> readSignature(FunctionOpInterface func) {
  if (func->hasAttr(coil::kSignatureAttrName))
    return coil::Signature::read(func);
  // A copy with the attributes that lowering would set.
  OwningOpRef<Operation *> copy(func->cloneWithoutRegions());
  Builder builder(func.getContext());
  SmallVector<Attribute> inputs;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    inputs.push_back(builder.getDictionaryAttr(func.getArgAttrs(i)));
  (*copy)->setDiscardableAttr(
      coil::kSignatureAttrName,
      TypeAttr::get(builder.getFunctionType(func.getArgumentTypes(),
                                            func.getResultTypes())));
  (*copy)->setDiscardableAttr(coil::kInputAttrsName,
                              builder.getArrayAttr(inputs));
  return coil::Signature::read(*copy);
}

static LogicalResult translate(Operation *op, llvm::raw_ostream &os) {
  FunctionOpInterface entry;
  for (StringRef name : {"coil_main", "main"})
    if (!entry)
      entry = dyn_cast_or_null<FunctionOpInterface>(
          SymbolTable::lookupSymbolIn(op, name));
  if (!entry)
    return op->emitError("expected a function 'main' or 'coil_main'");
  llvm::Expected<coil::Signature> signature = readSignature(entry);
  if (!signature)
    return entry.emitError(llvm::toString(signature.takeError()));
  os << llvm::formatv("{0:2}\n", coil::toJSON(*signature));
  return success();
}

void coil::registerSignatureTranslation() {
  TranslateFromMLIRRegistration registration(
      "signature-to-json", "write the signature of a program as JSON",
      [](Operation *op, llvm::raw_ostream &os) { return translate(op, os); },
      [](DialectRegistry &registry) {
        registerAllDialects(registry);
        registry.insert<LLVM::LLVMDialect>();
      });
}
