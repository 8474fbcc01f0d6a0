//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that only a run can know, and predicates of them.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

//===----------------------------------------------------------------------===//
// ItemOp
//===----------------------------------------------------------------------===//

void ItemOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  if (getSymbol()) // Nobody uses a result, but types mention the symbol.
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}

LogicalResult ItemOp::verify() {
  auto type = cast<BufferType>(getSource().getType());
  if (!hasOneElement(type)) // (C1)
    return emitOpError() << "expected one element but got " << type;
  if (getSymbol().has_value() == static_cast<bool>(getResult())) // (C2)
    return emitOpError("expected either a symbol or a result");
  Type element = type.getElementType();
  Type given = getResult() ? getResult().getType() : Type();
  bool fits = !given          ? isa<IntegerType>(element)
              : given.isF64() ? isa<FloatType>(element)
                              : element.isInteger(1);
  if (!fits) { // (C3)
    InFlightDiagnostic diag = emitOpError() << "cannot read an element of type "
                                            << element << " as ";
    if (given)
      return diag << given;
    return diag << "a symbol";
  }
  if (std::optional<uint64_t> divisor = getDivideBy()) { // (C4)
    if (!getSymbol() || element.isInteger(1))
      return emitOpError("only a symbol from an integer is divided");
    if (static_cast<int64_t>(*divisor) < 1)
      return emitOpError() << "cannot divide by "
                           << static_cast<int64_t>(*divisor);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// BindSymbolOp
//===----------------------------------------------------------------------===//

LogicalResult BindSymbolOp::verify() {
  if (!hasRunLayout(getSource())) // (C1)
    return emitOpError("expected the result of a call");
  auto type = cast<BufferType>(getSource().getType());
  auto keys = getPath().getAsRange<KeyAttr>();
  if (getPath().empty() ||
      (*keys.begin()).getKind() == KeyKind::DivideBy) // (C2)
    return emitOpError("expected a path that begins with a size or a stride");
  int64_t dim = (*keys.begin()).getValue();
  if (dim < 0 || dim >= static_cast<int64_t>(type.getRank())) // (C2)
    return emitOpError() << "dimension " << dim
                         << " does not exist in a buffer of rank "
                         << type.getRank();
  for (KeyAttr key : llvm::drop_begin(keys))
    if (key.getKind() != KeyKind::DivideBy || key.getValue() < 1) // (C3)
      return emitOpError() << "expected a division by a positive number but "
                              "got "
                           << key;
  return success();
}

//===----------------------------------------------------------------------===//
// CompareOp
//===----------------------------------------------------------------------===//

LogicalResult CompareOp::verify() {
  return failure(failed(verifyOnlySymbols(*this, getLhs())) || // (C1)
                 failed(verifyOnlySymbols(*this, getRhs())));
}
