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

/// Reads the signature of a lowered entry point or of a function of tensors.
static llvm::Expected<coil::Signature> readSignature(FunctionOpInterface func) {
  if (func->hasAttr(coil::kSignatureAttrName))
    return coil::Signature::read(func);
  // A copy with the attributes that lowering would set.
  OwningOpRef<Operation *> copy(func->cloneWithoutRegions());
  Builder builder(func.getContext());
  SmallVector<Attribute> inputs, outputs;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    inputs.push_back(builder.getDictionaryAttr(func.getArgAttrs(i)));
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    outputs.push_back(builder.getDictionaryAttr(func.getResultAttrs(i)));
  (*copy)->setDiscardableAttr(
      coil::kSignatureAttrName,
      TypeAttr::get(builder.getFunctionType(func.getArgumentTypes(),
                                            func.getResultTypes())));
  (*copy)->setDiscardableAttr(coil::kInputAttrsName,
                              builder.getArrayAttr(inputs));
  (*copy)->setDiscardableAttr(coil::kOutputAttrsName,
                              builder.getArrayAttr(outputs));
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
