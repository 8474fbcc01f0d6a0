//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table from framework operators to `graph` ops, and what its entries are
// written in.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_TRANSFORMS_LEGALIZEATEN_H
#define COIL_DIALECT_GRAPH_TRANSFORMS_LEGALIZEATEN_H

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <string>

namespace coil::graph {

/// Attribute with the reason why legalisation left an op.
inline constexpr llvm::StringLiteral kReasonAttrName = "graph.reason";

/// On a call that looks at the memory of its operand: this lies row by row, as
/// far as the call is concerned, though the value does not show it.
inline constexpr llvm::StringLiteral kRowByRowAttrName = "graph.row_by_row";

/// On arguments and results of a function that are complex numbers to its
/// callers: their last dimension is the real and the imaginary part.
inline constexpr llvm::StringLiteral kComplexAttrName = "coil.complex";

/// On the argument that is the state of the random generator: how far a call
/// moves its offset, a `#sym.expr`. On a result: the state that it moves to,
/// where that depends on branches and loops.
inline constexpr llvm::StringLiteral kRandomStateAttrName =
    "graph.random_state";

/// The state of the random generator in each block of a function. It is an
/// argument of the function; a branch or a loop in which something is drawn is
/// given it and gives where it then is. Operators are taken in their order.
class RandomStates {
public:
  /// Where a block is: a state, and what was drawn of it since.
  struct Position {
    mlir::Value state;
    sym::ExprAttr drawn;
  };

  /// The position of a block, which is made the first time; null in the
  /// condition of a loop, which hands nothing on.
  Position *find(mlir::Block *block);
  /// States how far the function moves the state.
  void finish(mlir::Operation *function);

private:
  Position *enterFunction(mlir::Block *block);

  llvm::MapVector<mlir::Block *, Position> positions;
  /// Whether a branch or loop draws.
  bool isThreaded = false;
};

/// What masks of a function select. Export knows that two operators which are
/// given one mask find as many elements, and so the host reads the number once.
class Selections {
public:
  /// The elements of a mask that are true, in row-major order.
  struct Selection {
    /// Where they are in the mask as a vector, followed by as many numbers as
    /// there are others.
    mlir::Value order;
    /// How many there are up to each element of the mask.
    mlir::Value sums;
    /// How many there are, a tensor of rank zero and its symbol.
    mlir::Value total;
    sym::ExprAttr count;
  };
  /// What is known of a mask at an op, if anything.
  std::optional<Selection> find(mlir::Value mask, mlir::Operation *at) const;
  void note(mlir::Value mask, const Selection &selection) {
    noted[mask] = selection;
    order.push_back(mask);
  }
  size_t size() const { return order.size(); }
  /// Forgets all but the first `count`, as their ops are dropped.
  void truncate(size_t count);

private:
  llvm::DenseMap<mlir::Value, Selection> noted;
  llvm::SmallVector<mlir::Value> order;
};

/// A call of a framework operator while it is being rewritten.
class AtenCall {
public:
  AtenCall(AtenOp op, mlir::OpBuilder &builder, RandomStates &states)
      : op(op), b(builder, op.getLoc()), states(states) {}

  /// What masks select, while a function is rewritten.
  Selections *selections = nullptr;

  AtenOp op;
  /// Inserts before `op`.
  TensorBuilder b;
  /// Where random numbers come from.
  RandomStates &states;

  /// \name Operands; null when absent
  /// @{
  mlir::Value tensor(llvm::StringRef name) {
    readExprs.insert(name);
    return op.getTensor(name);
  }
  llvm::SmallVector<mlir::Value> tensors(llvm::StringRef name) {
    return op.getTensors(name);
  }
  /// The elements of a `Tensor?[]` argument at their positions.
  llvm::SmallVector<mlir::Value> optionalTensors(llvm::StringRef name);
  /// A tensor or number argument as a tensor of the given element type.
  mlir::Value operand(llvm::StringRef name, mlir::Type elementType);
  /// @}

  /// \name Attributes
  /// @{
  bool has(llvm::StringRef name) {
    return bool(op.getArgument(name)) || op.isNumber(name);
  }
  std::optional<int64_t> getInt(llvm::StringRef name);
  int64_t intOr(llvm::StringRef name, int64_t value);
  /// A number as a double.
  std::optional<double> getFloat(llvm::StringRef name);
  double floatOr(llvm::StringRef name, double value);
  bool boolOr(llvm::StringRef name, bool value);
  llvm::StringRef stringOr(llvm::StringRef name, llvm::StringRef value);
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name);
  /// A list of numbers as doubles.
  std::optional<llvm::SmallVector<double>> getFloats(llvm::StringRef name);
  /// A list of integers, symbolic or not.
  std::optional<Sizes> getExprs(llvm::StringRef name);
  /// An integer, symbolic or not; null when absent.
  sym::ExprAttr getExpr(llvm::StringRef name);
  /// A dimension number, counted from the front. Nothing when outside `rank`.
  std::optional<int64_t> getDim(llvm::StringRef name, int64_t rank);
  /// A list of dimensions (or a single one), sorted and distinct; all
  /// dimensions when the argument is absent or empty.
  std::optional<llvm::SmallVector<int64_t>> getDims(llvm::StringRef name,
                                                    int64_t rank);
  /// @}

  /// \name Results
  /// @{
  mlir::RankedTensorType resultType(unsigned i = 0);
  mlir::Type resultElementType(unsigned i = 0) {
    return resultType(i).getElementType();
  }
  Sizes resultSizes(unsigned i = 0) { return sym::getSizes(resultType(i)); }
  /// Replaces the op by `values`, converted to its result types. A null value
  /// is allowed for a result without uses.
  mlir::LogicalResult replace(mlir::ValueRange values);
  /// Leaves the op for the given reason.
  mlir::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }
  /// @}

  /// \name Sizes that data decides
  /// @{
  /// A symbol for `count`, an integer of rank zero, which is at most `most`
  /// unless that is null: the host reads it, and the run fails where it is
  /// negative or larger. `declared` is the size that the result is said to
  /// have; the symbol is that one if the op defines it and nothing has bound
  /// it.
  sym::ExprAttr bindSize(mlir::Value count, sym::ExprAttr declared,
                         sym::ExprAttr most);
  /// The first symbol that the op defines and that is not bound, or null.
  sym::ExprAttr getUnboundSymbol();
  /// Why the call cannot be replaced by what a handler has made of it, if a
  /// symbol is not bound or a number was read as a constant; else empty.
  std::string getUnread();
  /// @}

  /// \name What the operator relies on, where only the run knows
  /// @{
  /// States that `a` is at most `b`, unless that is certain. Fails where it is
  /// certainly not.
  mlir::LogicalResult stateAtMost(sym::ExprAttr a, sym::ExprAttr b,
                                  llvm::StringRef text);
  /// States that a dimension has elements.
  mlir::LogicalResult stateNotEmpty(sym::ExprAttr size);
  /// States that the elements which a slice takes are inside of a dimension.
  mlir::LogicalResult stateSlice(sym::ExprAttr start, sym::ExprAttr count,
                                 int64_t step, sym::ExprAttr size);
  /// @}

  /// `x` broadcast to `sizes`.
  mlir::Value broadcastTo(mlir::Value x, SizesRef sizes);
  /// Ranges of the function's symbols.
  const sym::Context &getContext();

  std::string reason;

private:
  std::optional<sym::Context> context;
  llvm::StringSet<> bound;
  /// Arguments that are no constants and of which a constant was wanted, and
  /// those of which the expression or the tensor was.
  llvm::StringSet<> wantedConstants, readExprs;
};

using AtenHandler = std::function<mlir::LogicalResult(AtenCall &)>;

/// The handlers by overload name, such as `aten.add.Tensor`.
class AtenLegalizations {
public:
  /// Adds a handler for `aten.<name>` for each name in a blank-separated list.
  /// A name without overload stands for its `default` one.
  void add(llvm::StringRef names, AtenHandler handler);
  /// Adds a handler for operators without results.
  void addEffect(llvm::StringRef names, AtenHandler handler);
  /// The handler for an op, if there is one for its name and number of
  /// results.
  const AtenHandler *find(AtenOp op) const;

private:
  struct Entry {
    AtenHandler handler;
    bool hasResults;
  };
  void add(llvm::StringRef names, const Entry &entry);

  llvm::StringMap<Entry> entries;
};

int64_t getRank(mlir::Value tensor);
/// Numbers of which none is a symbol; else nothing.
std::optional<llvm::SmallVector<int64_t>> getConstants(SizesRef exprs);
/// True for element types in which the framework rounds after each operator.
bool isHalf(mlir::Type elementType);
/// The common element type of operands by the framework's promotion rules;
/// numbers among the arguments take part as such.
mlir::Type getPromotedType(AtenCall &call,
                           llvm::ArrayRef<llvm::StringRef> names);
/// The element type that an operator gives for its operands, as far as that is
/// known without computing; else null.
mlir::Type getResultElementType(AtenCall &call);
/// Fails where the element type that a result is declared with is not what the
/// operator gives for its operands, as far as that is known without computing.
mlir::LogicalResult checkResultType(AtenCall &call);
/// `x != 0` for any element type.
mlir::Value toBool(TensorBuilder &b, mlir::Value x);

/// Positions as `i64` when they have another integer type than `i32`.
mlir::Value toIndex(TensorBuilder &b, mlir::Value v);
/// Counts `position` from the front, and keeps it in 0..size.
sym::ExprAttr normalizePosition(AtenCall &call, sym::ExprAttr position,
                                sym::ExprAttr size);

/// \name The families
/// @{
void populateUnaryLegalizations(AtenLegalizations &table);
void populateBinaryLegalizations(AtenLegalizations &table);
void populateSpecialLegalizations(AtenLegalizations &table);
void populateActivationLegalizations(AtenLegalizations &table);
void populateActivationBackwardLegalizations(AtenLegalizations &table);
void populateReductionLegalizations(AtenLegalizations &table);
void populateSortLegalizations(AtenLegalizations &table);
void populateViewLegalizations(AtenLegalizations &table);
void populateDataLegalizations(AtenLegalizations &table);
void populateScatterLegalizations(AtenLegalizations &table);
void populateCreationLegalizations(AtenLegalizations &table);
void populateContractionLegalizations(AtenLegalizations &table);
void populateConvolutionLegalizations(AtenLegalizations &table);
void populateConvolutionBackwardLegalizations(AtenLegalizations &table);
void populateLinalgLegalizations(AtenLegalizations &table);
void populateNormalizationLegalizations(AtenLegalizations &table);
void populateNormalizationBackwardLegalizations(AtenLegalizations &table);
void populateLossBackwardLegalizations(AtenLegalizations &table);
void populateViewBackwardLegalizations(AtenLegalizations &table);
void populateAttentionLegalizations(AtenLegalizations &table);
void populateAttentionBackwardLegalizations(AtenLegalizations &table);
void populateEmbeddingBackwardLegalizations(AtenLegalizations &table);
void populateFftLegalizations(AtenLegalizations &table);
void populateRnnLegalizations(AtenLegalizations &table);
void populateQuantizedLegalizations(AtenLegalizations &table);
void populateFusedLegalizations(AtenLegalizations &table);
void populateQuantizedDecomposedLegalizations(AtenLegalizations &table);
void populateGroupedMatmulLegalizations(AtenLegalizations &table);
void populateLossLegalizations(AtenLegalizations &table);
void populateRandomLegalizations(AtenLegalizations &table);
void populateNormLegalizations(AtenLegalizations &table);
void populatePoolingLegalizations(AtenLegalizations &table);
void populateWindowLegalizations(AtenLegalizations &table);
void populateSignalWindowLegalizations(AtenLegalizations &table);
void populatePadLegalizations(AtenLegalizations &table);
void populateResampleLegalizations(AtenLegalizations &table);
void populateGridLegalizations(AtenLegalizations &table);
void populateDiagonalLegalizations(AtenLegalizations &table);
void populateRearrangeLegalizations(AtenLegalizations &table);
void populateEinsumLegalizations(AtenLegalizations &table);
void populateDistanceLegalizations(AtenLegalizations &table);
void populateSearchLegalizations(AtenLegalizations &table);
void populateSelectionLegalizations(AtenLegalizations &table);
void populateSegmentLegalizations(AtenLegalizations &table);
void populateMarginLossLegalizations(AtenLegalizations &table);
void populateNonzeroLegalizations(AtenLegalizations &table);
void populateUniqueLegalizations(AtenLegalizations &table);
/// Operators that are refused with a reason.
void populateRefusals(AtenLegalizations &table);
/// @}

/// The table of all families, built on first use.
const AtenLegalizations &getAtenLegalizations();

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_TRANSFORMS_LEGALIZEATEN_H
