//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes host programs as Python that builds a torch.fx graph of each function:
// a line makes a node. Kernels, constants and calls of libraries are those of
// the Python emitter.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TARGET_HOSTTEXT_FXEMITTER_H
#define COIL_LIB_TARGET_HOSTTEXT_FXEMITTER_H

#include "PythonEmitter.h"
#include "llvm/ADT/SetVector.h"

namespace coil::wrapper {

class FXEmitter final : public PythonEmitter {
public:
  FXEmitter(mlir::ModuleOp module, llvm::raw_ostream &os,
            const PythonOptions &options);

private:
  void emitImports() override;
  mlir::LogicalResult emitFunction(FuncOp fn) override;
  mlir::LogicalResult emitEnd() override;
  void emitCall(const llvm::Twine &function,
                const llvm::Twine &arguments) override {
    out.line(graph + ".check(" + function + ", " + arguments +
             (currentOp ? stepArgument(currentOp) : std::string()) + ")");
  }
  void beginOp(mlir::Operation &op) override { currentOp = &op; }
  void endOp(mlir::Operation &) override { currentOp = nullptr; }
  mlir::LogicalResult emitKernel(KernelOp kernel) override;
  mlir::LogicalResult emitCombination(CombinationOp combination) override;
  /// The argument that says which steps a node does, and where they come from;
  /// nothing for ops that are no steps.
  std::string stepArgument(llvm::ArrayRef<mlir::Operation *> ops);

  using PythonEmitter::emit;
  mlir::LogicalResult emit(InputSymbolOp op) override;
  mlir::LogicalResult emit(SymExprOp op) override;
  mlir::LogicalResult emitMatch(AssertLayoutOp op,
                                llvm::StringRef arguments) override;
  mlir::LogicalResult emit(AllocOp op) override;
  mlir::LogicalResult emit(ConstantOp op) override;
  mlir::LogicalResult emit(FreeOp op) override { return mlir::success(); }
  mlir::LogicalResult emit(ReuseOp op) override;
  mlir::LogicalResult emit(ReinterpretOp op) override;
  mlir::LogicalResult emit(CopyOp op) override;
  mlir::LogicalResult emit(FillOp op) override;
  mlir::LogicalResult emit(TransferOp op) override;
  mlir::LogicalResult emit(PoolOp op) override;
  mlir::LogicalResult emit(PoolAllocOp op) override;
  mlir::LogicalResult emit(PoolReleaseOp op) override {
    return mlir::success();
  }
  mlir::LogicalResult emit(PoolFreeOp op) override { return mlir::success(); }
  mlir::LogicalResult emit(LaunchOp op) override;
  mlir::LogicalResult emit(LaunchUserOp op) override;
  mlir::LogicalResult emit(TMADescriptorOp op) override;
  mlir::LogicalResult emit(CommAllocOp op) override;
  mlir::LogicalResult emit(CommFreeOp op) override { return mlir::success(); }
  mlir::LogicalResult emit(StreamOp op) override;
  mlir::LogicalResult emit(RecordEventOp op) override;
  mlir::LogicalResult emit(WaitEventOp op) override;
  mlir::LogicalResult emit(IfOp op) override;
  mlir::LogicalResult emit(WhileOp op) override;
  mlir::LogicalResult emit(InvokeOp op) override;
  mlir::LogicalResult emit(PartitionOp op) override;
  mlir::LogicalResult emit(DeviceScopeOp op) override;
  mlir::LogicalResult emit(PartitionCallOp op) override;
  mlir::LogicalResult emit(ParamSymbolsOp op) override;
  mlir::LogicalResult emitInPlace(mlir::Operation *op);
  /// A node of a host function, or of torch's operator (FXCalls.cpp).
  mlir::LogicalResult emitHostCall(HostCallOpInterface call) override;
  mlir::LogicalResult emit(ItemOp op) override;
  mlir::LogicalResult emit(BindSymbolOp op) override;
  mlir::LogicalResult emit(CompareOp op) override;
  /// Values of a graph have no ends that could be checked.
  mlir::LogicalResult emit(CheckLifetimeOp op) override {
    return mlir::success();
  }
  /// A graph's values end with their last use.
  mlir::LogicalResult emit(DropOp op) override { return mlir::success(); }
  mlir::LogicalResult emit(CommentOp op) override { return mlir::success(); }
  mlir::LogicalResult emit(ProfileRangeOp op) override;
  mlir::LogicalResult emit(BoundObjectOp op) override;
  mlir::LogicalResult emit(ResizeStorageOp op) override;
  mlir::LogicalResult emit(SetStorageOp op) override;
  mlir::LogicalResult emit(ReturnOp op) override;

  //===--- Expressions ----------------------------------------------------===//

  using HostEmitter::print;
  /// The node of an expression, one for each in a graph.
  std::string print(sym::ExprAttr expr) override;
  std::string printCompare(sym::ExprAttr lhs, sym::Predicate predicate,
                           sym::ExprAttr rhs) override;
  std::optional<std::string> printScalar(mlir::Operation &op) override;
  void requireMultiple(llvm::StringRef number, int64_t divisor,
                       const llvm::Twine &what) override;
  /// "g.call(function, a, b)".
  std::string call(const llvm::Twine &function, const llvm::Twine &arguments) {
    return (graph + ".call(" + function + ", " + arguments + ")").str();
  }
  /// The same, under a new name.
  std::string named(const llvm::Twine &function, const llvm::Twine &arguments);

  //===--- What nodes would give ------------------------------------------===//

  /// An expression or a tensor of a type without data, in Python.
  std::string fakeExpr(sym::ExprAttr expr);
  std::string fakeTuple(llvm::ArrayRef<sym::ExprAttr> exprs);
  /// Nothing behind a diagnostic.
  std::optional<std::string> fake(mlir::Operation *op, mlir::Type type);

  //===--- Graphs ---------------------------------------------------------===//

  /// What a region uses of the values and symbols outside.
  struct Captures {
    llvm::SetVector<mlir::Value> values;
    llvm::SetVector<llvm::StringRef> symbols;
  };
  Captures findCaptures(mlir::Operation *op);
  std::string listCaptures(const Captures &captures);

  /// A graph inside of another one, with names of its own.
  struct Subgraph {
    std::string outer, name;
    llvm::DenseMap<sym::ExprAttr, std::string> exprs;
    llvm::DenseMap<mlir::Value, sym::ExprAttr> offsets;
    llvm::SmallVector<std::pair<mlir::Value, std::string>> values;
    llvm::SmallVector<std::pair<std::string, std::string>> symbols;
    size_t numDefinitions;
  };
  Subgraph enter(llvm::StringRef role, const Captures &captures);
  /// Inputs for what a loop carries.
  mlir::LogicalResult addCarried(WhileOp op, mlir::Region &region);
  void addCaptured(const Captures &captures);
  void leave(Subgraph &&subgraph);
  /// Symbols that an op binds are known from here on.
  void bind(llvm::StringRef symbol) { bound.insert(symbol); }
  /// "(a, b, )"
  std::string outputs(mlir::ValueRange values,
                      std::optional<sym::ShapeAttr> symbols);
  /// Names the results of a node that gives a tuple.
  mlir::LogicalResult emitResults(llvm::StringRef node, mlir::ValueRange values,
                                  std::optional<mlir::ArrayAttr> symbols);
  std::optional<std::string>
  fakeResults(mlir::Operation *op, mlir::ValueRange values,
              std::optional<mlir::ArrayAttr> symbols);
  /// A view of the storage of `source`, `offset` elements behind its first.
  mlir::LogicalResult emitView(mlir::Operation *op, mlir::Value result,
                               mlir::Value source, sym::ExprAttr offset);

  /// A node for an object in this graph.
  void emitObject(mlir::Value object);

  /// The op that is being printed, but for what comes after its regions.
  mlir::Operation *currentOp = nullptr;
  /// The variable of the graph that nodes are added to.
  std::string graph;
  /// The graph that an object was last found in.
  llvm::DenseMap<mlir::Value, std::string> objects;
  llvm::DenseMap<sym::ExprAttr, std::string> exprs;
  /// How far into its storage a buffer begins, where this graph made it.
  llvm::DenseMap<mlir::Value, sym::ExprAttr> offsets;
  /// Symbols that are bound so far, and those with a number for nodes' types.
  llvm::StringSet<> bound;
  llvm::StringMap<std::string> fakeSymbols;
  /// A symbol that is an expression in others, and what stood for it outside of
  /// the graph that defines it.
  struct Definition {
    std::string symbol;
    sym::ExprAttr expr;
    std::string outer;
  };
  llvm::SmallVector<Definition> definitions;
  /// What stands for a dimension while a size is solved.
  std::string solved;
};

} // namespace coil::wrapper

#endif // COIL_LIB_TARGET_HOSTTEXT_FXEMITTER_H
