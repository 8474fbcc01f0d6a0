//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures of functions: what the compiler knows of a program, without its
// IR.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/ExecutionEngine/Signature.h"
#include "coil/Support/Error.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

std::optional<int32_t> coil::getRuntimeDType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return COIL_BOOL;
    case 8:
      return isUnsigned ? COIL_U8 : COIL_I8;
    case 16:
      return isUnsigned ? COIL_U16 : COIL_I16;
    case 32:
      return isUnsigned ? COIL_U32 : COIL_I32;
    case 64:
      return isUnsigned ? COIL_U64 : COIL_I64;
    default:
      return std::nullopt;
    }
  }
  if (type.isF16())
    return COIL_F16;
  if (type.isBF16())
    return COIL_BF16;
  if (type.isF32())
    return COIL_F32;
  if (type.isF64())
    return COIL_F64;
  if (isa<Float8E4M3FNType>(type))
    return COIL_F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return COIL_F8E5M2;
  return std::nullopt;
}

/// Translates types; numbers symbols as they are met.
class Signature::Builder {
public:
  explicit Builder(DictionaryAttr symbols) {
    if (!symbols)
      return;
    for (NamedAttribute symbol : symbols)
      if (auto range = dyn_cast<sym::RangeAttr>(symbol.getValue())) {
        SymbolSpec &spec = signature.symbols[number(symbol.getName())];
        spec.min = range.getMin();
        spec.max = range.getMax();
        spec.hint = range.getHintOrDefault();
      }
  }

  Error add(TypeRange types, llvm::SmallVectorImpl<TensorSpec> &specs) {
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      std::optional<int32_t> dtype =
          tensor ? getRuntimeDType(tensor.getElementType()) : std::nullopt;
      if (!dtype) {
        std::string text;
        llvm::raw_string_ostream(text) << type;
        return makeError("cannot pass a value of type '" + text +
                         "' to a program");
      }
      TensorSpec &spec = specs.emplace_back();
      spec.dtype = *dtype;
      for (sym::ExprAttr size : sym::getSizes(tensor))
        spec.sizes.push_back(translate(size));
    }
    return Error::success();
  }

  void addStrides(sym::ShapeAttr strides, TensorSpec &spec) {
    if (strides.size() == spec.sizes.size())
      for (sym::ExprAttr stride : strides.getDims())
        spec.strides.push_back(translate(stride));
  }

  Signature signature;

  SizeExpr translate(sym::ExprAttr expr) {
    SizeExpr size;
    size.text = expr.str();
    if (std::optional<int64_t> value = expr.getConstant()) {
      size.offset = *value;
      return size;
    }
    sym::ExprAttr leaf;
    sym::walkLeaves(expr, [&](sym::ExprAttr l) { leaf = leaf ? leaf : l; });
    auto split = sym::splitLinear(expr, leaf);
    if (leaf.isSymbol() && split && split->first.isConstant() &&
        split->second.isConstant()) {
      size.kind = SizeExpr::Kind::Linear;
      size.symbol = number(leaf.getName());
      size.scale = *split->first.getConstant();
      size.offset = *split->second.getConstant();
      return size;
    }
    size.kind = SizeExpr::Kind::General;
    emit(expr, size.code);
    return size;
  }

private:
  unsigned number(llvm::StringRef name) {
    auto [entry, inserted] =
        numbers.try_emplace(name, unsigned(signature.symbols.size()));
    if (inserted)
      signature.symbols.push_back({name.str()});
    return entry->second;
  }

  void emit(sym::ExprAttr expr, llvm::SmallVectorImpl<SizeExpr::Step> &code) {
    using Op = SizeExpr::Op;
    auto apply = [&](Op op) {
      for (sym::ExprAttr operand : expr.getOperands())
        emit(operand, code);
      code.push_back({op, int64_t(expr.getOperands().size())});
    };
    // Sums and products hold a constant beside their operands.
    auto applyWithConstant = [&](Op op) {
      apply(op);
      code.push_back({Op::Constant, expr.getValue()});
      code.push_back({op, 2});
    };
    switch (expr.getKind()) {
    case sym::ExprKind::Constant:
      code.push_back({Op::Constant, expr.getValue()});
      return;
    case sym::ExprKind::Symbol:
      code.push_back({Op::Symbol, number(expr.getName())});
      return;
    case sym::ExprKind::Dim:
    case sym::ExprKind::Arg:
      // Not in the size of a tensor; evaluates to nothing.
      code.push_back({Op::Symbol, number(expr.str())});
      return;
    case sym::ExprKind::FloorDiv:
      return apply(Op::FloorDiv);
    case sym::ExprKind::Mod:
      return apply(Op::Mod);
    case sym::ExprKind::Min:
      return apply(Op::Min);
    case sym::ExprKind::Max:
      return apply(Op::Max);
    case sym::ExprKind::Mul:
      return applyWithConstant(Op::Mul);
    case sym::ExprKind::Add:
      return applyWithConstant(Op::Add);
    }
  }

  llvm::StringMap<unsigned> numbers;
};

Expected<Signature> Signature::create(TypeRange inputs, TypeRange outputs,
                                      DictionaryAttr symbols) {
  Builder builder(symbols);
  if (Error error = builder.add(inputs, builder.signature.inputs))
    return std::move(error);
  if (Error error = builder.add(outputs, builder.signature.outputs))
    return std::move(error);
  return std::move(builder.signature);
}

Expected<Signature> Signature::read(Operation *entryPoint) {
  auto typeAttr = entryPoint->getAttrOfType<TypeAttr>(kSignatureAttrName);
  auto type =
      typeAttr ? dyn_cast<FunctionType>(typeAttr.getValue()) : FunctionType();
  if (!type)
    return makeError("the program's entry point has no '" + kSignatureAttrName +
                     "' attribute");
  Builder builder(
      entryPoint->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName));
  Signature &signature = builder.signature;
  if (Error error = builder.add(type.getInputs(), signature.inputs))
    return std::move(error);
  if (Error error = builder.add(type.getResults(), signature.outputs))
    return std::move(error);
  if (auto complex =
          entryPoint->getAttrOfType<DenseI64ArrayAttr>(kComplexOutputsAttrName))
    for (int64_t number : complex.asArrayRef())
      if (number >= 0 && size_t(number) < signature.outputs.size())
        signature.outputs[size_t(number)].isComplex = true;
  if (auto outputs = entryPoint->getAttrOfType<ArrayAttr>(kOutputAttrsName))
    for (auto [spec, attr] : llvm::zip(signature.outputs, outputs)) {
      auto dictionary = dyn_cast<DictionaryAttr>(attr);
      if (!dictionary)
        continue;
      if (auto name = dictionary.getAs<StringAttr>("coil.name"))
        spec.name = name.str();
      for (llvm::StringRef kind : {"user_input", "buffer", "parameter"})
        if (auto target = dictionary.getAs<StringAttr>(
                ("coil." + kind + "_mutation").str())) {
          spec.mutationKind = kind.str();
          spec.mutationTarget = target.str();
        }
      for (llvm::StringRef kind : {"user_input", "parameter"})
        if (auto target = dictionary.getAs<StringAttr>(
                ("coil.gradient_to_" + kind).str())) {
          spec.gradientKind = kind.str();
          spec.gradientTarget = target.str();
        }
    }
  auto inputAttrs = entryPoint->getAttrOfType<ArrayAttr>(kInputAttrsName);
  if (!inputAttrs)
    return std::move(signature);
  for (auto [spec, attr] : llvm::zip(signature.inputs, inputAttrs)) {
    auto dictionary = dyn_cast<DictionaryAttr>(attr);
    if (!dictionary)
      continue;
    if (auto name = dictionary.getAs<StringAttr>("coil.name"))
      spec.name = name.str();
    if (auto weight = dictionary.getAs<StringAttr>("graph.weight"))
      spec.weight = weight.str();
    if (auto step = dictionary.getAs<sym::ExprAttr>("graph.random_state"))
      spec.randomStep = builder.translate(step);
    spec.isComplex = dictionary.contains("coil.complex");
    spec.isUpdated = dictionary.contains("wrapper.updated");
    if (auto device = dictionary.getAs<IntegerAttr>("coil.device_type"))
      spec.deviceType = int32_t(device.getInt());
    if (auto index = dictionary.getAs<IntegerAttr>("coil.device_index"))
      spec.deviceIndex = int32_t(index.getInt());
    if (auto strides = dictionary.getAs<sym::ShapeAttr>("coil.strides"))
      builder.addStrides(strides, spec);
    if (!spec.isUpdated)
      continue;
    for (TensorSpec &output : signature.outputs)
      output.isUpdated |=
          !output.mutationKind.empty() &&
          output.mutationTarget ==
              (output.mutationKind == "user_input" ? spec.name : spec.weight);
  }
  return std::move(signature);
}
