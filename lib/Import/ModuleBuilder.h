//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Builds the module of an exported program. Internal to the import library.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_IMPORT_MODULEBUILDER_H
#define COIL_LIB_IMPORT_MODULEBUILDER_H

#include "Storages.h"
#include "SymConversion.h"
#include "coil/Import/AtenSchema.h"
#include "coil/Import/ExportedProgram.h"
#include "coil/Import/Package.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace coil::import {

/// Whether two elements of a tensor may be at one position in memory.
bool mayOverlap(const TensorMeta &meta);
/// Whether a view has a position for each element, whatever strides the
/// exporter believes it to have (those of Fourier transforms are wrong): it is
/// of what an operator made, and no element occurs in it twice.
bool hasOwnPositions(const View *view);

/// The names of all tensors among \p args, or an error for something else.
llvm::Error getTensorNames(llvm::ArrayRef<Argument> args,
                           llvm::SmallVectorImpl<llvm::StringRef> &names);
/// The argument of a node that is a subgraph.
llvm::Expected<const Graph *> getSubgraph(const Node &node, unsigned position);

/// The numbers with which the program was exported, if all are known.
std::optional<llvm::SmallVector<int64_t>>
getHints(llvm::ArrayRef<SymInt> values);

/// One use. The program and the weights must outlive it.
class ModuleBuilder {
public:
  ModuleBuilder(const ExportedProgram &program, const WeightStore *weights,
                mlir::MLIRContext *context, const Limits &limits,
                bool allowUncheckedGuards);

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  /// A tensor of the program. An operator that updates its operand gives the
  /// variable a new value, and one more name.
  struct Variable {
    View *view = nullptr;
    /// What the file says of its latest name.
    const TensorMeta *meta = nullptr;
    llvm::SmallVector<llvm::StringRef, 1> names;
  };

  /// The operands and attributes of a call.
  struct Call {
    std::string name; ///< "aten.add.Tensor"
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<mlir::Attribute> operandNames;
    llvm::SmallVector<mlir::NamedAttribute> arguments;
    /// The variable of each operand.
    llvm::SmallVector<unsigned> variables;
    /// Names of operands that stand for numbers.
    llvm::SmallVector<mlir::Attribute, 0> numbers;
    /// Variables by the alias set of the schema that they were passed in.
    llvm::StringMap<unsigned> aliasSets;
    /// What the operator writes to: arguments and their variables. Those that
    /// it only writes to (`out=`) are no operands.
    struct Target {
      const SchemaArgument *argument;
      unsigned variable;
    };
    llvm::SmallVector<Target, 1> targets;

    mlir::Attribute getArgument(llvm::StringRef name) const;
    std::optional<unsigned> getVariable(llvm::StringRef name) const;
  };

  /// How a result refers to the memory of an operand.
  struct Alias {
    enum class Kind : uint8_t {
      None,     ///< It has memory of its own.
      View,     ///< It is `ops`, in order, of the variable.
      Possible, ///< It may be in the variable's memory.
    };
    Kind kind = Kind::None;
    unsigned variable = 0;
    llvm::SmallVector<ViewOp, 1> ops;
    /// The types after each op but the last.
    llvm::SmallVector<mlir::RankedTensorType, 0> types;
  };

  /// The operator that returns what another one writes.
  struct Functional {
    std::string name; ///< "aten.add.Tensor"
    const OpSchema *schema;
    /// Results after those that the operator in place has as well: bools of the
    /// sizes of the first one.
    size_t numMasks = 0;
  };

  /// \name Types and symbols
  /// @{
  llvm::Error declareRanges();
  /// The symbols in sizes of the user's tensors.
  llvm::StringSet<> getSizeSymbols() const;
  llvm::Expected<sym::ExprAttr> getExpr(const SymInt &size);
  llvm::Expected<sym::ExprAttr> getExpr(const SymRef<int64_t> &ref);
  llvm::Expected<llvm::SmallVector<sym::ExprAttr>>
  getExprs(llvm::ArrayRef<SymInt> sizes);
  mlir::Type getElementType(DType dtype);
  llvm::Expected<mlir::RankedTensorType> getType(const TensorMeta &meta);
  /// The type of the tensor \p name.
  llvm::Expected<mlir::RankedTensorType> getType(llvm::StringRef name);
  /// The meta data of the tensor \p name.
  llvm::Expected<const TensorMeta *> getMeta(llvm::StringRef name);
  /// The attribute for strides, or null when they are contiguous.
  llvm::Expected<mlir::Attribute> getStrides(llvm::ArrayRef<SymInt> sizes,
                                             llvm::ArrayRef<SymInt> strides);
  llvm::Error checkSymbols(mlir::func::FuncOp func);
  /// @}

  /// \name Inputs and outputs (Interface.cpp)
  /// @{
  llvm::Error addInputs(mlir::func::FuncOp func);
  /// Says of a tensor of the host that it is there, in a program that works on
  /// another device, and of one of a GPU which it is.
  void addPlace(const TensorMeta &meta, mlir::NamedAttrList &attrs,
                bool mayBeOnHost);
  llvm::Error addInput(const InputSpec &spec,
                       llvm::SmallVectorImpl<mlir::Type> &types,
                       llvm::SmallVectorImpl<mlir::DictionaryAttr> &attrs);
  /// Binds the symbols of numbers among the inputs.
  llvm::Error addNumbers(mlir::Block &body, mlir::TypeRange inputs);
  /// Checks what export assumed of the inputs (Guards.cpp). A guard that
  /// cannot be checked is a warning.
  llvm::Error addGuards();
  llvm::Error addGuard(llvm::StringRef guard);
  /// The constants that guards say expressions of sizes are: export computed
  /// with these, such as when it broadcast a dimension.
  llvm::DenseMap<sym::ExprAttr, sym::ExprAttr> guarded;
  /// Checks that no size is negative which export took to be none.
  llvm::Error addSizeGuards();
  /// A guard with expressions in place of what it reads of inputs; nothing for
  /// one of strides.
  llvm::Expected<std::optional<std::string>>
  substituteSources(llvm::StringRef guard);
  llvm::Expected<const Weight *> findWeight(const InputSpec &spec,
                                            const TensorMeta &meta);
  llvm::Error addOutputs(mlir::func::FuncOp func);
  /// What the program wrote to its inputs.
  llvm::Error addMutations(llvm::SmallVectorImpl<mlir::Value> &values,
                           llvm::SmallVectorImpl<mlir::DictionaryAttr> &attrs);
  llvm::Error addOutput(const OutputSpec &spec,
                        llvm::SmallVectorImpl<mlir::Value> &values,
                        llvm::SmallVectorImpl<mlir::DictionaryAttr> &attrs);
  /// @}

  /// \name Several GPUs (Placement.cpp)
  /// @{
  /// Finds the GPUs that the program's tensors are on.
  void findDevices();
  /// How far the GPU of a tensor is behind the program's first; nothing for one
  /// of the host.
  std::optional<int64_t> getPlace(const TensorMeta &meta);
  /// Notes where a tensor of the program is.
  void notePlace(llvm::StringRef name, mlir::Value value);
  /// Moves operands to where their ops compute.
  void placeOperands(mlir::func::FuncOp func);
  /// @}

  /// \name Nodes
  /// @{
  llvm::Error addNode(const Node &node, size_t position);
  llvm::Error addCall(const Node &node, size_t position);
  llvm::Error addAssert(const Node &node);
  bool isKnownSize(const Argument &output, const Call &call);
  llvm::Error addResults(const Node &node, const OpSchema *schema,
                         const Call &call);
  mlir::Location getLocation(const Node &node);
  llvm::Error describe(const Node &node, llvm::Error error);
  llvm::Expected<unsigned> lookup(llvm::StringRef name);
  llvm::Expected<const OpSchema *> getSchema(llvm::StringRef name);
  /// @}

  /// \name Variables
  /// @{
  /// Defines a tensor that has memory of its own.
  llvm::Error define(llvm::StringRef name, mlir::Value value,
                     Storage::Owner owner = Storage::Owner::Program);
  /// Defines a tensor that is a view.
  llvm::Error defineView(llvm::StringRef name, View *view);
  /// One more name of a variable.
  llvm::Error addName(unsigned variable, llvm::StringRef name);
  /// The value of a variable now.
  mlir::Value getValue(unsigned variable) {
    return storages.read(variables[variable].view, location);
  }
  Storage *getStorage(unsigned variable) const {
    return variables[variable].view->storage;
  }
  void computeLastUses();
  /// @}

  /// \name Views (ViewOps.cpp)
  /// @{
  /// How element \p element of result \p result, one of \p types, refers to
  /// operands. Types are those of the list of tensors that it is part of.
  llvm::Expected<Alias> findAlias(const Call &call, const OpSchema &schema,
                                  unsigned result, unsigned element,
                                  llvm::ArrayRef<mlir::RankedTensorType> types,
                                  const TensorMeta &meta);
  /// Whether the elements certainly lie in memory in their order, one beside
  /// the other, whatever values symbols have.
  bool isDense(const TensorMeta &meta);
  /// Where a piece of \p size elements begins that `chunk`, `split` or
  /// `tensor_split` cut into pieces of one size, or null.
  sym::ExprAttr getStartOfPiece(const Call &call, sym::ExprAttr size,
                                unsigned element);
  /// Makes \p alias a view if an equation takes diagonals of its variable and
  /// reorders dimensions, and none if it sums.
  void addEquation(Alias &alias, llvm::StringRef equation);
  /// The operators that an operator which may return a view stands for.
  Alias getViewOps(const Call &call, unsigned variable, unsigned element,
                   llvm::ArrayRef<mlir::RankedTensorType> types,
                   const TensorMeta &meta);
  ViewOp getViewOp(ViewKind kind, llvm::StringRef name,
                   llvm::ArrayRef<mlir::NamedAttribute> arguments);
  /// The node for what \p alias says, whose value is \p value.
  llvm::Expected<View *>
  getView(const Alias &alias, mlir::RankedTensorType type, mlir::Value value);
  /// @}

  /// \name Places in memory (StridedViews.cpp)
  /// @{
  /// All elements of a storage, in the order in which they lie; with something
  /// in gaps between them, if these are allowed.
  llvm::Expected<View *> getFlatView(Storage *storage, bool allowGaps = false);
  /// The same of constant sizes and strides, with gaps.
  llvm::Expected<View *> getSpreadView(Storage *storage);
  llvm::Expected<View *> getEmptyView(Storage *storage,
                                      mlir::RankedTensorType type);
  /// `as_strided`, which looks past the view that it is given at the memory.
  llvm::Expected<View *> getAsStrided(const Call &call,
                                      mlir::RankedTensorType type);
  llvm::Error addAsStrided(const Node &node, const Call &call);
  /// Says of an operator on positions in memory that those of its first
  /// operand are row by row, if they are. Others have none.
  llvm::Error notePositions(const Call &call, graph::AtenOp op);
  /// @}

  /// \name Updates in place (Mutations.cpp)
  /// @{
  /// Gives a variable the value \p value, converted to its type.
  llvm::Error assign(unsigned variable, mlir::Value value, size_t position);
  /// Makes \p variable a tensor of its own that has \p value.
  llvm::Error replace(unsigned variable, mlir::Value value);
  /// Checks that a write to a variable can be followed up.
  llvm::Error checkWritable(unsigned variable, size_t position);
  mlir::Value convert(mlir::Value value, mlir::Type elementType);
  mlir::Value expand(mlir::Value value, mlir::RankedTensorType type);
  /// What the operator gives when its result is written to \p elementType.
  mlir::Type inferElementType(graph::AtenOp op, mlir::Type elementType);
  llvm::Error addMutation(const Node &node, const OpSchema &schema, Call call,
                          size_t position);
  llvm::Expected<std::optional<Functional>>
  findFunctional(llvm::StringRef name, const OpSchema &schema);
  /// The call of the operator \p name, which returns what is written to tensors
  /// of \p types.
  graph::AtenOp createFunctional(llvm::StringRef name, const Call &call,
                                 mlir::TypeRange types);
  llvm::Error addCopy(const Call &call, size_t position);
  llvm::Error addFillDiagonal(const Call &call, size_t position);
  llvm::Error addResize(const Node &node, const Call &call);
  /// `t_`, `squeeze_`: the variable becomes a view of what it was.
  llvm::Error addMetadataUpdate(const Node &node, const Call &call,
                                const Functional &functional);
  llvm::Error addFunctionalCall(const Node &node, const OpSchema &schema,
                                const Call &call, const Functional &functional,
                                size_t position);
  /// @}

  /// \name Operators on lists (Foreach.cpp)
  /// @{
  /// `_foreach_add_`: one call for each element.
  llvm::Error addForeach(const Node &node, const OpSchema &schema,
                         size_t position);
  /// @}

  /// \name Running statistics (Statistics.cpp)
  /// @{
  /// Batch and instance norm that update their statistics.
  bool updatesStatistics(const Call &call);
  llvm::Error addStatisticsUpdate(const Node &node, const Call &call,
                                  size_t position);
  /// @}

  /// \name Host functions (CustomCalls.cpp)
  /// @{
  struct CustomCall;
  /// Whether an operator, "mylib.foo.default", is of neither PyTorch nor Coil.
  static bool isCustom(llvm::StringRef name);
  llvm::Error addCustomCall(const Node &node);
  /// A call that gives what it makes of operands.
  llvm::Error addFunctionalized(const Node &node);
  llvm::Expected<mlir::Attribute> getCallArgument(const Argument &arg,
                                                  CustomCall &call);
  llvm::Error addCallArgument(llvm::StringRef name, const Argument &arg,
                              CustomCall &call);
  /// \p changed are the names of what becomes of operands.
  /// A collective of a process group, or one for each tensor of a list.
  llvm::Error addCollective(const Node &node, CustomCall call);
  llvm::Error createCustomCall(const Node &node, const CustomCall &call,
                               llvm::ArrayRef<Argument> outputs,
                               llvm::ArrayRef<llvm::StringRef> changed);
  /// @}

  /// \name Control flow (ControlFlow.cpp)
  /// @{
  llvm::Error addCond(const Node &node);
  llvm::Error addWhile(const Node &node);
  /// The tensors among the operands of a subgraph; numbers must be what the
  /// subgraph calls by the same name.
  llvm::Error collectOperands(const Node &node, unsigned from, const Graph &sub,
                              llvm::SmallVectorImpl<unsigned> &operands);
  /// A tensor of one bool for an argument that is a condition.
  llvm::Expected<mlir::Value> getCondition(const Argument &arg,
                                           mlir::Location loc);
  /// Stands for what is computed for a subgraph.
  static constexpr unsigned noVariable = ~0u;
  /// Builds the nodes of `sub` at the insertion point. The variables `operands`
  /// are its inputs, under the values `values`. Gives its outputs; `finish`
  /// runs while the names of the subgraph are known.
  llvm::Error
  addSubgraph(const Graph &sub, llvm::ArrayRef<unsigned> operands,
              mlir::ValueRange values,
              llvm::function_ref<llvm::Error(llvm::ArrayRef<unsigned>)> finish);
  /// Ends the body of a loop that carries values of `types`.
  llvm::Error yieldFromLoop(mlir::Location loc, mlir::ValueRange values,
                            mlir::TypeRange types);
  /// @}

  /// \name Loops over the parts of tensors (Scans.cpp)
  /// @{
  llvm::Error addMap(const Node &node);
  llvm::Error addScan(const Node &node);
  llvm::Error addAssociativeScan(const Node &node);
  struct ScanForm;
  /// A loop over the first dimension of operands.
  llvm::Error addLoop(const Node &node, const ScanForm &form);
  /// @}

  /// \name Numbers that data gives (DataNumbers.cpp)
  /// @{
  llvm::Error addItem(const Node &node);
  /// The value of a number, `f64`, and of a relation, as a tensor of rank zero.
  llvm::Expected<mlir::Value> computeFloat(const SymExprNode &node);
  llvm::Expected<mlir::Value> computeBool(const SymExprNode &node);
  /// The value of a symbolic float or bool.
  llvm::Expected<mlir::Value> computeNumber(const Argument &arg);
  /// A symbol for an integer that is computed with floats.
  llvm::Expected<sym::ExprAttr> bindInteger(const SymExprNode &node);
  /// A name that no symbol of the program has.
  std::string getFreshSymbol();
  /// What says that a number, which the host reads, is one.
  SymRelation requireOnHost(mlir::Value holds);
  /// Finds out what the symbols are that export made for the size and the
  /// offset of a view whose ends data decides.
  llvm::Error deriveView(const Node &node);
  /// `tensor_split` at positions that a tensor has: a slice for each part.
  llvm::Error addTensorSplit(const Node &node);
  /// Names, as `defines` of the op that gives results of \p types, symbols that
  /// nothing before has bound.
  mlir::ArrayAttr bindSizes(llvm::ArrayRef<mlir::RankedTensorType> types);
  /// @}

  /// \name Arguments (NodeArguments.cpp)
  /// @{
  llvm::Error collectArguments(const Node &node, const OpSchema *schema,
                               Call &call);
  llvm::Error addArgument(llvm::StringRef name, const Argument &arg,
                          const SchemaArgument *schema, Call &call);
  /// The element type of a result that export declares with another one than
  /// the operator gives, else null.
  mlir::Type getComputedType(const Call &call, size_t result);
  /// Gives the result of an op the type that follows from operands that have
  /// other element types than export declares.
  void retype(graph::AtenOp op,
              llvm::MutableArrayRef<mlir::RankedTensorType> types);
  /// The attribute `numbers` of a call's op.
  mlir::ArrayAttr getNumbers(const Call &call);
  llvm::Error addTensors(llvm::StringRef name, const Argument &arg,
                         const SchemaArgument *schema, Call &call);
  llvm::Expected<mlir::Attribute> getAttribute(const Argument &arg,
                                               const SchemaType *type);
  mlir::Attribute getDefault(const SchemaArgument &arg);
  mlir::Attribute getIntList(llvm::ArrayRef<int64_t> values,
                             const SchemaType *type);
  /// @}

  const ExportedProgram &program;
  /// The graph whose nodes are being added, and what its outputs use.
  const Graph *graph;
  const WeightStore *weights;
  mlir::MLIRContext *context;
  const Limits &limits;
  /// Whether a guard that cannot be checked is a warning.
  bool allowUncheckedGuards;
  mlir::OpBuilder builder;
  sym::Context ranges;
  /// Those that export took for granted.
  sym::Context exported;
  SymConverter converter;

  /// The lowest number of a GPU, and where tensors are, counted from there.
  std::optional<int64_t> firstDevice;
  bool isOnSeveral = false;
  llvm::DenseMap<mlir::Value, int64_t> places;
  /// An integer among the inputs.
  struct Number {
    llvm::StringRef name, symbol;
    size_t argument;
  };
  std::vector<Number> numbers;
  /// The first input that is the weight of a storage in the file.
  llvm::DenseMap<const char *, unsigned> weightStorages;
  Storages storages;
  std::vector<Variable> variables;
  llvm::StringMap<unsigned> variableOf;
  /// The input that outputs of mutation name, by that name: the name of a
  /// weight, and what the user calls an argument, which may be the same.
  llvm::StringMap<llvm::StringRef> receivers[2];
  /// Of the node that is being added.
  mlir::Location location;
  llvm::StringMap<size_t> lastUses;
  bool hasLastUses = false;
  llvm::StringMap<OpSchema> schemas;
  llvm::StringMap<int64_t> hints;
  llvm::StringMap<sym::Bounds> bounds;
  /// Symbols that are bound here.
  llvm::StringSet<> bound;
  /// Floats that data gives, by symbol: tensors of rank zero, `f64`.
  llvm::StringMap<mlir::Value> floats;
  /// The symbols of integers that are computed with floats, by expression.
  llvm::StringMap<std::string> integers;
  unsigned numFresh = 0;
  /// Values with another element type than export declares.
  llvm::DenseSet<mlir::Value> retyped;
};

} // namespace coil::import

#endif // COIL_LIB_IMPORT_MODULEBUILDER_H
