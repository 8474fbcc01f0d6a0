//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table from framework operators of complex numbers to those of real ones,
// and what its entries are written in.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_COMPLEXCALL_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_COMPLEXCALL_H

#include "ComplexMath.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace coil::graph {

/// The type of the parts of complex elements; null for other elements.
mlir::Type getPartType(mlir::Type elementType);
/// A tensor of complex elements as its real and imaginary parts, which are the
/// last dimension, and the other way.
mlir::Value pack(TensorBuilder &b, ComplexParts parts);
ComplexParts unpack(TensorBuilder &b, mlir::Value packed);
/// A number among arguments: an integer, a float, a bool, or a dictionary of
/// `real` and `imag`. Nothing for other attributes.
std::optional<std::pair<mlir::Attribute, mlir::Attribute>>
getNumber(mlir::Attribute attribute);

/// A call of a framework operator with complex operands or results while it is
/// being rewritten.
class ComplexCall {
public:
  using PartsMap = llvm::DenseMap<mlir::Value, ComplexParts>;

  ComplexCall(AtenOp op, mlir::OpBuilder &builder, const PartsMap &parts)
      : op(op), b(builder, op.getLoc()), math(b), parts(parts),
        defines(op.getDefinesAttr()) {}

  AtenOp op;
  /// Inserts in front of `op`.
  TensorBuilder b;
  ComplexMath math;

  /// \name Arguments
  /// @{
  static bool isComplex(mlir::Value value);
  /// The parts of a complex operand, those of a real one, converted to `type`.
  ComplexParts partsOf(mlir::Value value, mlir::Type type);
  /// A tensor or number argument, in the type to compute in; null parts when
  /// absent.
  ComplexParts get(llvm::StringRef name);
  bool has(llvm::StringRef name) {
    return op.getTensor(name) || op.getArgument(name);
  }
  /// The type of parts that `get` gives: that of the first complex result, else
  /// the widest of the operands; `f32` for `f16`.
  mlir::Type getComputeType();
  /// @}

  /// \name Calls of operators of real numbers
  /// @{
  /// The same call with other tensors (`operands`, one for each of the op's),
  /// another name unless that is empty, and other arguments. Complex results
  /// become tensors of their parts.
  llvm::SmallVector<mlir::Value> clone(mlir::ValueRange operands,
                                       mlir::DictionaryAttr arguments,
                                       llvm::StringRef name = "");
  /// A call of another operator with one result.
  mlir::Value
  call(llvm::StringRef name,
       llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> operands,
       llvm::ArrayRef<mlir::NamedAttribute> arguments, SizesRef sizes,
       mlir::Type elementType);
  /// @}

  /// \name Results
  /// @{
  mlir::RankedTensorType resultType(unsigned i = 0) {
    return mlir::cast<mlir::RankedTensorType>(op.getOutputs()[i].getType());
  }
  Sizes resultSizes(unsigned i = 0) { return sym::getSizes(resultType(i)); }
  /// Gives the op's results; those that are real have no imaginary part. They
  /// are converted to the types that the op has.
  mlir::LogicalResult replace(llvm::ArrayRef<ComplexParts> values);
  mlir::LogicalResult replaceReal(mlir::Value value) {
    return replace(ComplexParts{value, nullptr});
  }
  mlir::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }
  /// @}

  llvm::SmallVector<ComplexParts> results;
  std::string reason;

private:
  const PartsMap &parts;
  /// Symbols that the first call which replaces the op defines.
  mlir::ArrayAttr defines;
  mlir::Type computeType;
};

using ComplexHandler = std::function<mlir::LogicalResult(ComplexCall &)>;

/// The handlers by the name of an operator, without namespace and overload:
/// what overloads differ in are arguments, which handlers look at.
class ComplexExpansions {
public:
  /// Adds a handler for each name in a blank-separated list.
  void add(llvm::StringRef names, ComplexHandler handler);
  const ComplexHandler *find(AtenOp op) const;

private:
  llvm::StringMap<ComplexHandler> entries;
};

/// Whether the elements of a tensor certainly lie in memory in their order:
/// values have no layout, so only what the framework makes that way is known
/// to.
bool isContiguous(mlir::Value x);

/// Operators that do the same to both parts: called once for each.
mlir::LogicalResult expandByParts(ComplexCall &c);

/// Operators of magnitudes: called with those of their operands.
mlir::LogicalResult expandOfMagnitude(ComplexCall &c);

/// gradient, where the places of elements are complex.
mlir::LogicalResult expandGradientAtPlaces(ComplexCall &c);

/// The product along one dimension, which then has one element.
ComplexParts multiplyAlong(TensorBuilder &b, ComplexParts x, int64_t dim);

/// \name The families
/// @{
void populateComplexStructure(ComplexExpansions &table);
void populateComplexScatter(ComplexExpansions &table);
void populateComplexReductions(ComplexExpansions &table);
void populateComplexProducts(ComplexExpansions &table);
void populateComplexFunctions(ComplexExpansions &table);
void populateComplexFft(ComplexExpansions &table);
void populateComplexLinalg(ComplexExpansions &table);
void populateComplexNorms(ComplexExpansions &table);
/// Fourier transforms of real tensors to real ones, which are complex only in
/// between.
void populateRealTransforms(AtenLegalizations &table);
/// @}

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_COMPLEXCALL_H
