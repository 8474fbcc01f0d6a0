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

/// One use. The program and the weights must outlive it.
class ModuleBuilder {
public:
  ModuleBuilder(const ExportedProgram &program, const WeightStore *weights,
                mlir::MLIRContext *context, const Limits &limits);

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  /// A tensor of the program. An operator that mutates its operand gives the
  /// variable a new value under the same name.
  struct Variable {
    mlir::Value value;
    bool isInput = false;
    llvm::SmallVector<llvm::StringRef, 1> names;
    /// Variables that may share its storage are in one list.
    unsigned aliasSet = 0;
  };

  /// The operands and attributes of a call.
  struct Call {
    std::string name; ///< "aten.add.Tensor"
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<mlir::Attribute> operandNames;
    llvm::SmallVector<mlir::NamedAttribute> arguments;
    /// Variables by the alias set of the schema that they were passed in.
    llvm::StringMap<unsigned> aliasSets;
    /// The variable of the first operand.
    std::optional<unsigned> first;
    /// The variable that the operator mutates.
    std::optional<unsigned> mutated;
  };

  /// \name Types and symbols
  /// @{
  llvm::Error declareRanges();
  llvm::Expected<sym::ExprAttr> getExpr(const SymInt &size);
  llvm::Expected<sym::ExprAttr> getExpr(const SymRef<int64_t> &ref);
  llvm::Expected<llvm::SmallVector<sym::ExprAttr>>
  getExprs(llvm::ArrayRef<SymInt> sizes);
  mlir::Type getElementType(DType dtype);
  llvm::Expected<mlir::RankedTensorType> getType(const TensorMeta &meta);
  /// The meta data of the tensor \p name.
  llvm::Expected<const TensorMeta *> getMeta(llvm::StringRef name);
  /// The attribute for strides, or null when they are contiguous.
  llvm::Expected<mlir::Attribute> getStrides(llvm::ArrayRef<SymInt> sizes,
                                             llvm::ArrayRef<SymInt> strides);
  llvm::Error checkSymbols(mlir::func::FuncOp func);
  /// @}

  /// \name Inputs and outputs
  /// @{
  llvm::Error addInputs(mlir::func::FuncOp func);
  /// Says of a tensor of the host that it is there, in a program that works on
  /// another device, and of one of a GPU which it is.
  void addPlace(const TensorMeta &meta, mlir::NamedAttrList &attrs,
                bool mayBeOnHost);
  llvm::Error addInput(const InputSpec &spec,
                       llvm::SmallVectorImpl<mlir::Type> &types,
                       llvm::SmallVectorImpl<mlir::DictionaryAttr> &attrs);
  llvm::Expected<const Weight *> findWeight(const InputSpec &spec,
                                            const TensorMeta &meta);
  llvm::Error addOutputs(mlir::func::FuncOp func);
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
  llvm::Error addResults(const Node &node, const OpSchema *schema,
                         const Call &call);
  llvm::Error bindMutation(const Node &node, const Call &call);
  /// Checks that nobody can see that \p call makes a new value.
  llvm::Error checkMutation(const Node &node, const Call &call,
                            size_t position);
  mlir::Location getLocation(const Node &node);
  llvm::Error describe(const Node &node, llvm::Error error);
  llvm::Error define(llvm::StringRef name, mlir::Value value, bool isInput);
  llvm::Expected<unsigned> lookup(llvm::StringRef name);
  llvm::Expected<const OpSchema *> getSchema(llvm::StringRef name);
  void computeLastUses();
  void joinAliases(unsigned a, unsigned b);
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
  llvm::Error addItem(const Node &node);
  /// The tensors among the operands of a subgraph; numbers must be what the
  /// subgraph calls by the same name.
  llvm::Error collectOperands(const Node &node, unsigned from, const Graph &sub,
                              llvm::SmallVectorImpl<unsigned> &operands);
  /// A tensor of one bool for an argument that is a condition.
  llvm::Expected<mlir::Value> getCondition(const Argument &arg,
                                           mlir::Location loc);
  /// Builds the nodes of `sub` at the insertion point. The variables `operands`
  /// are its inputs, under the values `values`. Gives its outputs; `finish`
  /// runs while the names of the subgraph are known.
  llvm::Error
  addSubgraph(const Graph &sub, llvm::ArrayRef<unsigned> operands,
              mlir::ValueRange values,
              llvm::function_ref<llvm::Error(llvm::ArrayRef<unsigned>)> finish);
  /// @}

  /// \name Arguments (NodeArguments.cpp)
  /// @{
  llvm::Error collectArguments(const Node &node, const OpSchema *schema,
                               Call &call);
  llvm::Error addArgument(llvm::StringRef name, const Argument &arg,
                          const SchemaArgument *schema, Call &call);
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
  mlir::OpBuilder builder;
  sym::Context ranges;
  SymConverter converter;

  /// The lowest number of a GPU, and where tensors are, counted from there.
  std::optional<int64_t> firstDevice;
  bool isOnSeveral = false;
  llvm::DenseMap<mlir::Value, int64_t> places;
  std::vector<Variable> variables;
  llvm::StringMap<unsigned> variableOf;
  /// Members of each alias set, in any order.
  std::vector<llvm::SmallVector<unsigned, 1>> aliasSets;
  llvm::StringMap<size_t> lastUses;
  bool hasLastUses = false;
  llvm::StringMap<OpSchema> schemas;
  llvm::StringMap<int64_t> hints;
  llvm::StringMap<sym::Bounds> bounds;
  /// Symbols that are bound here.
  llvm::StringSet<> bound;
};

} // namespace coil::import

#endif // COIL_LIB_IMPORT_MODULEBUILDER_H
