//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiled program takes and gives: element types and shapes in terms of
// symbols, and the ranges of these. Inputs are checked against it before
// anything runs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXECUTIONENGINE_SIGNATURE_H
#define COIL_EXECUTIONENGINE_SIGNATURE_H

#include "coil/Runtime/Runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlir {
class DictionaryAttr;
class Operation;
class Type;
class TypeRange;
} // namespace mlir

namespace coil {

/// \name Attributes of an entry point
/// Lowering keeps them on the LLVM function, so that a program says what it
/// takes. Symbols and their ranges are in `sym.symbols`.
/// @{
/// The function type over tensors.
inline constexpr llvm::StringLiteral kSignatureAttrName = "coil.signature";
/// A dictionary for each input: `coil.name`, `coil.strides` (a `#sym.shape`)
/// for an input that is not row-major, `coil.complex` for one whose last
/// dimension is the parts of complex numbers, `coil.device_type` (the runtime's
/// number) for an input that is not on the CPU, `coil.device_index` for one
/// that is not on the first device, `graph.weight` for an input that a weight
/// of this name is for, and `graph.random_state` for the state of the random
/// generator.
inline constexpr llvm::StringLiteral kInputAttrsName = "coil.input_attrs";
/// The numbers of the outputs whose last dimension is the parts of complex
/// numbers, `array<i64>`.
inline constexpr llvm::StringLiteral kComplexOutputsAttrName =
    "coil.complex_outputs";
/// A dictionary for each output: `coil.name`, and `coil.user_input_mutation`,
/// `coil.buffer_mutation` or `coil.parameter_mutation` for what an input or
/// weight of the given name holds after a run, `coil.gradient_to_parameter` or
/// `coil.gradient_to_user_input` for the gradient of the loss by one.
inline constexpr llvm::StringLiteral kOutputAttrsName = "coil.output_attrs";
/// @}

/// Of an entry point: the host functions that it calls, each an array of its
/// name, the runtime's number of the device, and the location in the model.
inline constexpr llvm::StringLiteral kHostFunctionsAttrName =
    "coil.host_functions";

/// The text of a program's signature, a symbol of its code: what an image says
/// is compared with it when the code is linked.
inline constexpr llvm::StringLiteral kSignatureSymbol = "coil_signature";

/// Marks a symbol table next to the entry points as a part of the host program;
/// others are kernels.
inline constexpr llvm::StringLiteral kHostPartAttrName = "coil.host_part";

/// The runtime's number of an element type; signless integers are signed.
std::optional<int32_t> getRuntimeDType(mlir::Type type);

/// A size in terms of symbols. Holds no IR, so that a program outlives the
/// context that it was compiled in.
struct SizeExpr {
  enum class Kind {
    Constant, ///< `offset`
    Linear,   ///< `scale` * symbol + `offset`
    General   ///< `code`
  };
  enum class Op { Constant, Symbol, FloorDiv, Mod, Min, Max, Mul, Add };
  /// One step in postfix order. `value` is a constant, a symbol's number, or
  /// the number of operands.
  struct Step {
    Op op;
    int64_t value;
  };

  Kind kind = Kind::Constant;
  int64_t offset = 0;
  int64_t scale = 0;
  unsigned symbol = 0;
  llvm::SmallVector<Step, 0> code;
  std::string text; ///< As in IR.

  /// The value, or nothing when a symbol has none or the arithmetic fails.
  std::optional<int64_t>
  evaluate(llvm::ArrayRef<std::optional<int64_t>> symbols) const;
};

/// One input or output.
struct TensorSpec {
  std::string name;   ///< May be empty.
  std::string weight; ///< Empty for an ordinary input.
  /// Of an output that is what an input or weight holds after a run:
  /// "user_input", "buffer" or "parameter", and its name. Else empty.
  std::string mutationKind, mutationTarget;
  /// Of an output that is a gradient of the loss: "user_input" or "parameter",
  /// and the name of what it is the gradient of. Else empty.
  std::string gradientKind, gradientTarget;
  /// For the state of the random generator: how far a call moves its offset.
  std::optional<SizeExpr> randomStep;
  int32_t dtype = COIL_F32;
  int32_t deviceType = COIL_CPU;
  /// Whether the last dimension, of size two, is the real and the imaginary
  /// part of what callers know as a complex number.
  bool isComplex = false;
  /// Of an input: whether the program writes to it, and returns it. Of an
  /// output: whether it is such an input.
  bool isUpdated = false;
  /// How many positions it is after the device that a run is bound to.
  int32_t deviceIndex = 0;
  llvm::SmallVector<SizeExpr, 0> sizes;
  /// The layout that the program was compiled for; empty for row-major.
  llvm::SmallVector<SizeExpr, 0> strides;

  /// Whether the caller passes it: it is no weight and no hidden state.
  bool isPassed() const { return weight.empty() && !randomStep; }

  /// As in IR: "s0x4xf32".
  std::string str() const;
};

/// A symbol and the values that it may take.
struct SymbolSpec {
  std::string name;
  int64_t min = 0;
  int64_t max = INT64_MAX;
  int64_t hint = 1;
};

/// Values of a signature's symbols for one call, in its order.
using SymbolValues = llvm::SmallVector<std::optional<int64_t>, 4>;

/// The signature of a program.
class Signature {
public:
  /// Builds the signature of a function of ranked tensors. `symbols` is the
  /// function's `sym.symbols` attribute or null.
  static llvm::Expected<Signature> create(mlir::TypeRange inputs,
                                          mlir::TypeRange outputs,
                                          mlir::DictionaryAttr symbols);

  /// A signature of its parts, which a file may have given. Fails when a size
  /// mentions a symbol that there is none of or its code is none, and when a
  /// number is out of the range that runs compute with.
  static llvm::Expected<Signature>
  create(llvm::SmallVector<TensorSpec, 0> inputs,
         llvm::SmallVector<TensorSpec, 0> outputs,
         llvm::SmallVector<SymbolSpec> symbols);

  /// Reads the attributes above from an entry point.
  static llvm::Expected<Signature> read(mlir::Operation *entryPoint);

  llvm::ArrayRef<TensorSpec> getInputs() const { return inputs; }
  llvm::ArrayRef<TensorSpec> getOutputs() const { return outputs; }
  llvm::ArrayRef<SymbolSpec> getSymbols() const { return symbols; }

  /// Checks inputs and returns the values of the symbols, or an error that
  /// names the input. A symbol that no size determines has no value.
  /// What is in `known` was checked before, by `checkFixed`.
  llvm::Expected<SymbolValues>
  bind(llvm::ArrayRef<coil_tensor> tensors,
       const llvm::BitVector &known = llvm::BitVector()) const;

  /// Whether all sizes of an input are constants.
  bool isFixed(size_t input) const;
  /// Checks an input of which that is true.
  llvm::Error checkFixed(size_t input, const coil_tensor &tensor) const;

  /// Sizes of a tensor under values of symbols; error when a symbol is missing
  /// or a size is negative.
  llvm::Expected<llvm::SmallVector<int64_t>>
  evaluate(const TensorSpec &spec,
           llvm::ArrayRef<std::optional<int64_t>> values) const;

  /// All that a signature says, as text: code and its signature agree where
  /// these do.
  std::string str() const;

  /// The symbols' hints, as values for made-up inputs.
  SymbolValues getHints() const;

private:
  class Builder;

  /// What messages call an input.
  std::string describe(size_t input) const;
  llvm::Error checkKind(size_t input, const coil_tensor &tensor) const;

  llvm::SmallVector<TensorSpec, 0> inputs;
  llvm::SmallVector<TensorSpec, 0> outputs;
  llvm::SmallVector<SymbolSpec> symbols;
};

} // namespace coil

#endif // COIL_EXECUTIONENGINE_SIGNATURE_H
