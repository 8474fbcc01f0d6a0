//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base of text emitters of host programs: one method for each op, in the
// order of the ops, and no way to change them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_HOSTTEXT_HOSTEMITTER_H
#define COIL_TARGET_HOSTTEXT_HOSTEMITTER_H

#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/Combination.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "coil/Target/HostText/TextPrinter.h"
#include "mlir/IR/BuiltinOps.h"

/// The ops that text emitters know of. An op that is added to the dialect is
/// added here, and gets a method in each emitter that can express it; calls of
/// functions by name (`HostCallOpInterface`) have one for all of them.
#define COIL_HOST_TEXT_OPS(X)                                                  \
  X(InputSymbolOp)                                                             \
  X(SymExprOp)                                                                 \
  X(AssertOp)                                                                  \
  X(AssertLayoutOp)                                                            \
  X(AllocOp)                                                                   \
  X(ConstantOp)                                                                \
  X(FreeOp)                                                                    \
  X(ReuseOp)                                                                   \
  X(ReinterpretOp)                                                             \
  X(CopyOp)                                                                    \
  X(FillOp)                                                                    \
  X(TransferOp)                                                                \
  X(PoolOp)                                                                    \
  X(PoolAllocOp)                                                               \
  X(PoolReleaseOp)                                                             \
  X(PoolFreeOp)                                                                \
  X(LaunchOp)                                                                  \
  X(LaunchUserOp)                                                              \
  X(TMADescriptorOp)                                                           \
  X(ContractionOp)                                                             \
  X(ConvolutionOp)                                                             \
  X(AttentionOp)                                                               \
  X(SortOp)                                                                    \
  X(CommAllocOp)                                                               \
  X(CommFreeOp)                                                                \
  X(StreamOp)                                                                  \
  X(RecordEventOp)                                                             \
  X(WaitEventOp)                                                               \
  X(IfOp)                                                                      \
  X(WhileOp)                                                                   \
  X(InvokeOp)                                                                  \
  X(PartitionOp)                                                               \
  X(DeviceScopeOp)                                                             \
  X(PartitionCallOp)                                                           \
  X(ParamSymbolsOp)                                                            \
  X(ItemOp)                                                                    \
  X(BindSymbolOp)                                                              \
  X(CompareOp)                                                                 \
  X(CheckLifetimeOp)                                                           \
  X(DebugMarkOp)                                                               \
  X(DebugValueOp)                                                              \
  X(DropOp)                                                                    \
  X(CommentOp)                                                                 \
  X(ProfileRangeOp)                                                            \
  X(BoundObjectOp)                                                             \
  X(ResizeStorageOp)                                                           \
  X(SetStorageOp)                                                              \
  X(ReturnOp)

namespace coil::wrapper {

class HostEmitter {
public:
  virtual ~HostEmitter();

  /// Emits all kernels and functions of the module in order.
  mlir::LogicalResult emitModule();

protected:
  /// `name` is what diagnostics call the emitter.
  HostEmitter(llvm::StringRef name, mlir::ModuleOp module,
              llvm::raw_ostream &os, const ExprSyntax &syntax);

  /// What comes before the first function, after the last, and between.
  virtual mlir::LogicalResult emitBegin() = 0;
  virtual mlir::LogicalResult emitKernel(KernelOp kernel) = 0;
  /// What comes for a combination, behind all kernels. An emitter without it
  /// launches the parts one by one.
  virtual mlir::LogicalResult emitCombination(CombinationOp combination) {
    return mlir::success();
  }
  virtual mlir::LogicalResult emitFunction(FuncOp fn) = 0;
  virtual mlir::LogicalResult emitEnd() = 0;

  /// \name One method for each op
  /// An emitter that has none for an op says so at the op.
  /// @{
#define X(Op) virtual mlir::LogicalResult emit(Op op);
  COIL_HOST_TEXT_OPS(X)
#undef X
  virtual mlir::LogicalResult emitHostCall(HostCallOpInterface call);
  /// @}

  /// Emits one op: a comment with its handle and its source before
  /// launches and library calls, then what its method writes.
  mlir::LogicalResult emitOp(mlir::Operation &op);
  /// What stands around each op.
  /// @{
  virtual void beginOp(mlir::Operation &) {}
  virtual void endOp(mlir::Operation &) {}
  /// @}
  /// The handle of a step, as in comments and reports.
  std::string getHandle(ComputeOpInterface step) { return handles.get(step); }
  /// Emits the ops of a region but its terminator.
  mlir::LogicalResult emitBody(mlir::Region &region);
  mlir::LogicalResult unsupported(mlir::Operation *op);
  /// The argument whose storage is resized; null after a diagnostic for
  /// storage of the function.
  static mlir::BlockArgument getResized(ResizeStorageOp op);
  /// What diagnostics call the emitter.
  llvm::StringRef getEmitterName() const { return emitterName; }
  /// What comments begin with, without a blank: `#`.
  virtual llvm::StringRef getComment() const = 0;
  /// The source positions that a location mentions, such as "conv2d
  /// (model.py:17)", as part of a comment.
  static std::string describeSource(mlir::Location location);

  //===--- Names ----------------------------------------------------------===//

  /// The name of a value; it was named before.
  const std::string &name(mlir::Value v) const;
  /// Gives a value the next name of its kind: `buf0`, `p0`, `v0`.
  std::string define(mlir::Value v);
  void setName(mlir::Value v, std::string text);
  /// The name of a symbol of the program.
  std::string symbol(llvm::StringRef name);
  /// Gives a symbol that is bound here a new name, after `prefix`.
  std::string bindSymbol(llvm::StringRef name, llvm::StringRef prefix = "");
  void setSymbol(llvm::StringRef name, std::string text) {
    symbols[name] = std::move(text);
  }
  /// The name of a kernel or function of the module.
  llvm::StringRef global(llvm::StringRef name);
  /// A new name of the module: `prefix` and a number.
  std::string defineGlobal(llvm::StringRef prefix);

  //===--- Expressions ----------------------------------------------------===//

  virtual std::string print(sym::ExprAttr expr);
  /// The same with text around each symbol.
  std::string print(sym::ExprAttr expr, llvm::StringRef before,
                    llvm::StringRef after);
  /// The same in another syntax and with other names of leaves.
  std::string print(sym::ExprAttr expr, const ExprSyntax &other,
                    llvm::function_ref<std::string(sym::ExprAttr)> leaf) const {
    return printExpr(expr, other, leaf, *facts);
  }
  sym::Bounds getBounds(sym::ExprAttr expr) const {
    return facts->bounds(expr);
  }
  /// Whether an expression cannot exceed 64 bits.
  bool isBounded(sym::ExprAttr expr) const {
    return facts->bounds(expr).hi != INT64_MAX;
  }
  /// "a, b", each part as `print` writes it.
  std::string printList(llvm::ArrayRef<sym::ExprAttr> exprs);
  /// A relation between two expressions.
  virtual std::string printCompare(sym::ExprAttr lhs, sym::Predicate predicate,
                                   sym::ExprAttr rhs);
  /// The value of an op of `arith` on bools and floats, or nothing for one that
  /// the emitters do not know.
  virtual std::optional<std::string> printScalar(mlir::Operation &op);
  virtual std::string printFloatLiteral(double value) = 0;
  /// Division of floats, which fails for nobody.
  virtual std::string printDivision(llvm::StringRef a, llvm::StringRef b) = 0;
  /// Assigns a scalar to its new name.
  virtual void emitScalar(mlir::Value result, const std::string &text) = 0;
  /// The range of a symbol.
  sym::Bounds getRange(llvm::StringRef symbol) const;
  /// Solves what an input's size or stride is for a symbol, in terms of
  /// `given`.
  std::string printSolution(InputSymbolOp op, llvm::StringRef given);

  //===--- Facts ----------------------------------------------------------===//

  /// What is registered for a device, or null after a diagnostic.
  const DeviceInfo *getDevice(mlir::Operation *op, DeviceAttr device);
  /// What the messages of a run call an argument.
  static std::string inputName(FuncOp fn, unsigned i);
  /// Whose new value a result is: "user_input", "buffer" or "parameter", and a
  /// name in the exported program; null for other results.
  static std::pair<llvm::StringRef, mlir::StringAttr> getUpdated(FuncOp fn,
                                                                 unsigned i);
  static BufferType type(mlir::Value v) {
    return mlir::cast<BufferType>(v.getType());
  }
  /// The runtime's number of an element type, or nothing after a diagnostic.
  std::optional<int32_t> getDType(mlir::Operation *op, mlir::Type type);
  /// Begins a function: forgets the names of the last.
  void beginFunction(FuncOp fn);

  mlir::ModuleOp module;
  mlir::SymbolTable table;
  TextPrinter out;
  /// Keywords and names of the language that programs must not use.
  llvm::StringSet<> reserved;
  FuncOp currentFunction;
  NameTable &getLocals() { return *locals; }

private:
  std::string emitterName;
  CallHandles handles;
  const ExprSyntax &syntax;
  std::optional<sym::Context> facts;
  llvm::StringMap<std::string> globals;
  NameTable moduleNames;
  /// Names of the module, which functions do not use.
  llvm::StringSet<> globalNames;
  std::optional<NameTable> locals;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<std::string> symbols;
};

/// The elements of a constant as they lie in memory: bools take a byte each.
std::vector<char> getElementBytes(mlir::DenseElementsAttr elements);

} // namespace coil::wrapper

#endif // COIL_TARGET_HOSTTEXT_HOSTEMITTER_H
