//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host programs as Python modules on torch tensors.
//
// A buffer is a tensor and storage lives as long as names refer to it, so every
// name of storage that ends is deleted: the owner's and those of its views.
// Regions delete what they named; what they yield moves to the result's name
// first. Values that a loop carries have one name in both regions and behind.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TARGET_HOSTTEXT_PYTHONEMITTER_H
#define COIL_LIB_TARGET_HOSTTEXT_PYTHONEMITTER_H

#include "coil/Target/HostText.h"
#include "coil/Target/HostText/HostEmitter.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace coil::wrapper {

class PythonEmitter : public HostEmitter {
public:
  PythonEmitter(mlir::ModuleOp module, llvm::raw_ostream &os,
                const PythonOptions &options, llvm::StringRef name = "python");

protected:
  /// What the text imports and names for itself.
  virtual void emitImports();
  /// Writes the call of a function for its effect.
  virtual void emitCall(const llvm::Twine &function,
                        const llvm::Twine &arguments) {
    out.line(function + "(" + arguments + ")");
  }
  /// The dictionary of arguments that are weights.
  void emitWeights();

  mlir::LogicalResult emitBegin() override;
  mlir::LogicalResult emitKernel(KernelOp kernel) override;
  mlir::LogicalResult emitCombination(CombinationOp combination) override;
  /// The launches that are written with \p op, which is the last of them; none
  /// if they are written with a later one.
  llvm::SmallVector<LaunchOp> getLaunches(LaunchOp op);
  /// The name of what launches them.
  llvm::StringRef getCalled(llvm::ArrayRef<LaunchOp> launches);
  /// Inputs of all, then outputs of all.
  static llvm::SmallVector<mlir::Value>
  getBuffers(llvm::ArrayRef<LaunchOp> launches);
  /// The symbols of a combination, or of one launch.
  static llvm::SmallVector<sym::ExprAttr>
  getNumbers(llvm::ArrayRef<LaunchOp> launches);
  mlir::LogicalResult emitFunction(FuncOp fn) override;
  mlir::LogicalResult emitEnd() override;
  llvm::StringRef getComment() const override { return "#"; }

  using HostEmitter::emit;
  mlir::LogicalResult emit(InputSymbolOp op) override;
  mlir::LogicalResult emit(SymExprOp op) override;
  mlir::LogicalResult emit(wrapper::AssertOp op) override;
  mlir::LogicalResult emit(AssertLayoutOp op) override;
  /// Fails for a view that torch cannot have.
  mlir::LogicalResult checkStrides(ReinterpretOp op);
  /// Gives an argument its layout, copied if need be.
  virtual mlir::LogicalResult emitMatch(AssertLayoutOp op,
                                        llvm::StringRef arguments);
  mlir::LogicalResult emit(AllocOp op) override;
  mlir::LogicalResult emit(ConstantOp op) override;
  mlir::LogicalResult emit(FreeOp op) override;
  mlir::LogicalResult emit(ReuseOp op) override;
  mlir::LogicalResult emit(ReinterpretOp op) override;
  mlir::LogicalResult emit(CopyOp op) override;
  mlir::LogicalResult emit(FillOp op) override;
  mlir::LogicalResult emit(TransferOp op) override;
  mlir::LogicalResult emit(PoolOp op) override;
  mlir::LogicalResult emit(PoolAllocOp op) override;
  mlir::LogicalResult emit(PoolReleaseOp op) override;
  mlir::LogicalResult emit(PoolFreeOp op) override;
  mlir::LogicalResult emit(LaunchOp op) override;
  mlir::LogicalResult emit(LaunchUserOp op) override;
  mlir::LogicalResult emit(TMADescriptorOp op) override;
  mlir::LogicalResult emit(ContractionOp op) override;
  mlir::LogicalResult emit(ConvolutionOp op) override;
  mlir::LogicalResult emit(AttentionOp op) override;
  mlir::LogicalResult emit(SortOp op) override;
  mlir::LogicalResult emit(CommAllocOp op) override;
  mlir::LogicalResult emit(CommFreeOp op) override;
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
  mlir::LogicalResult emit(ItemOp op) override;
  mlir::LogicalResult emit(BindSymbolOp op) override;
  mlir::LogicalResult emit(CompareOp op) override;
  mlir::LogicalResult emit(CheckLifetimeOp op) override;
  mlir::LogicalResult emit(DebugMarkOp op) override;
  mlir::LogicalResult emit(DebugValueOp op) override;
  mlir::LogicalResult emit(DropOp op) override;
  mlir::LogicalResult emit(CommentOp op) override;
  mlir::LogicalResult emit(ProfileRangeOp op) override;
  mlir::LogicalResult emit(BoundObjectOp op) override;
  mlir::LogicalResult emit(ResizeStorageOp op) override;
  mlir::LogicalResult emit(SetStorageOp op) override;
  mlir::LogicalResult emit(ReturnOp op) override;

  std::string printFloatLiteral(double value) override;
  std::string printDivision(llvm::StringRef a, llvm::StringRef b) override {
    return ("host.divide(" + a + ", " + b + ")").str();
  }
  void emitScalar(mlir::Value result, const std::string &text) override {
    out.line(define(result) + " = " + text);
  }

  /// What a tensor map is made of beside the buffer, as arguments.
  mlir::FailureOr<std::string> describeMap(TMADescriptorOp op);
  /// "(2, s0)"; the tuple of one has a comma.
  std::string tuple(llvm::ArrayRef<sym::ExprAttr> exprs);
  static std::string tuple(llvm::ArrayRef<std::string> parts);
  /// "torch.float32", or nothing behind a diagnostic.
  std::optional<std::string> torchType(mlir::Operation *op, mlir::Type type);
  /// `"cpu"` in quotes, or nothing behind a diagnostic.
  std::optional<std::string> torchDevice(mlir::Operation *op,
                                         DeviceAttr device);
  //===--- Devices (PythonDevice.cpp) -------------------------------------===//

  /// Imports what devices need, and writes a record of each one that runs have
  /// to be bound to.
  /// Finds the devices of the module and of each function, in order, in one
  /// walk.
  void collectDevices(llvm::SetVector<DeviceAttr> &used);
  void emitDevices();
  /// ", device=cuda_device0", or nothing for one without a record.
  std::string deviceArgument(DeviceAttr device) const;
  /// What `host.fill` takes behind the tensor.
  llvm::FailureOr<std::string> getFillArguments(FillOp op);
  /// Writes the guard of the device that a function uses, if it has one, and
  /// indents.
  bool openGuard(FuncOp fn);
  /// The context manager that selects a device.
  std::string guardText(DeviceAttr device) const;
  //===--- Streams and memory of groups (Order.cpp) -----------------------===//

  /// A call of `host.comm_empty_strided`, or nothing behind a diagnostic.
  std::optional<std::string> commAllocation(CommAllocOp op);
  /// What makes a side stream the current one; empty where there is none.
  std::string streamContext(DeviceAttr device, std::optional<uint64_t> number);
  /// Names the side streams of the module, and makes them.
  void emitStreams();
  /// Their names, by device and number.
  llvm::DenseMap<std::pair<DeviceAttr, int64_t>, std::string> sideStreams;

  /// Devices of the module that have to be selected.
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<DeviceAttr>>
      functionDevices;
  unsigned numGuards = 0;
  /// Whether the function that is being emitted has selected its device.
  bool isGuarded = false;
  /// Writes a function that waits for all devices with records.
  void emitSynchronize();
  static std::string allocator(const DeviceInfo &info);
  /// A device's words with its number.
  static std::string fillWords(llvm::StringRef words, DeviceAttr device);
  static const DeviceInfo *lookupInfo(DeviceAttr device);
  /// Whether a device gives inputs another address where they need one.
  static bool wantsAligned(DeviceAttr device);
  /// The element of a buffer as a number of Python, or nothing behind a
  /// diagnostic.
  std::optional<std::string> printItem(mlir::Operation *op, mlir::Value v);
  /// Fails unless the buffers of a launch are on the device of the kernel, if
  /// they are on one of its kind.
  static mlir::LogicalResult checkPlace(mlir::Operation *op, KernelOp kernel);
  /// "kernels.add("name", ", or what a user's kernel needs.
  static std::string kernelDefinition(KernelOp kernel);

  /// Sizes, strides, element type and device, as arguments of a function.
  std::optional<std::string> layoutArguments(mlir::Operation *op,
                                             BufferType type);
  //===--- Host functions (PythonCalls.cpp) -------------------------------===//

  /// Writes the call of a host function: that of a registered one, or that of
  /// torch where the options ask for it and torch has it.
  mlir::LogicalResult emitHostCall(HostCallOpInterface call) override;
  /// An argument in Python, and its letter for `host.call`.
  std::optional<std::string> callArgument(HostCallOpInterface call,
                                          mlir::Attribute argument,
                                          unsigned &nextOperand,
                                          std::string &kinds);
  /// The arguments of `host.call`, but for outputs and results.
  std::optional<std::string> callArguments(HostCallOpInterface call);
  /// What `host.call` is told of results, "(torch.float32, 2), ", or nothing
  /// behind a diagnostic.
  std::optional<std::string> callResults(HostCallOpInterface call);
  std::optional<std::string> callPlace(HostCallOpInterface call);
  /// "torch.ops.mylib.foo.default" if that is what is called, else nothing.
  std::optional<std::string> torchFunction(HostCallOpInterface call);
  /// Its arguments, or nothing behind a diagnostic.
  std::optional<std::string> torchArguments(HostCallOpInterface call);
  /// The functions that have to be registered when the module is loaded.
  void emitRequiredFunctions();

  void emitRange(llvm::StringRef symbol, const llvm::Twine &origin);
  virtual void requireMultiple(llvm::StringRef number, int64_t divisor,
                               const llvm::Twine &what);
  /// Writes `targets = sources`, leaving out those that are the same.
  void assign(llvm::ArrayRef<std::string> targets,
              llvm::ArrayRef<std::string> sources);

  const PythonOptions &options;
  /// Module-level names of constants, by their elements and their device.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, std::string> constants;
  FuncOp entry;
  /// The names of records.
  llvm::DenseMap<DeviceAttr, std::string> devices;

private:
  //===--- Lives of names -------------------------------------------------===//

  /// Names a buffer that a region may have to delete.
  std::string defineBuffer(mlir::Value v);
  /// The names of the storage of `v`, and of its views, which end here.
  void collectEnding(mlir::Value v, llvm::SmallVectorImpl<std::string> &names);
  void emitDelete(llvm::ArrayRef<std::string> names);
  /// Deletes what `collectEnding` finds.
  void endStorage(mlir::Value storage);
  void openScope() { scopes.emplace_back(); }
  /// Ends a region: moves `sources` to `targets`, deletes what the region named
  /// and the names of outer storage that it handed over.
  void closeScope(llvm::ArrayRef<std::string> targets, mlir::ValueRange values,
                  llvm::ArrayRef<std::string> symbolNames,
                  std::optional<sym::ShapeAttr> symbols);
  void markDead(mlir::Value v) {
    if (dead.insert(v).second)
      deaths.push_back(v);
  }

  /// Prints the ops of a region that runs where it is.
  mlir::LogicalResult emitInPlace(mlir::Operation *op);
  /// The same inside of a context manager.
  mlir::LogicalResult emitInside(const llvm::Twine &context,
                                 mlir::Operation *op);
  /// Numbers the functions that are partitions, and lists them for their
  /// caller.
  void collectPartitions();
  void emitRunner();

  /// Prints a region's ops and what ends it.
  mlir::LogicalResult emitRegion(mlir::Region &region,
                                 llvm::ArrayRef<std::string> targets,
                                 llvm::ArrayRef<std::string> symbolNames);

  /// Lines but for those that are only comments: a suite needs one.
  size_t getNumStatements() const { return out.getNumLines() - numComments; }

  size_t numComments = 0;
  /// For each open region, the buffers that it named.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> scopes;
  /// Views of each storage that have a name.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> views;
  /// Buffers whose names were deleted, and in which order.
  llvm::DenseSet<mlir::Value> dead;
  llvm::SmallVector<mlir::Value> deaths;
  /// Functions that are partitions, by their place in the runner's list.
  llvm::MapVector<llvm::StringRef, size_t> partitions;
  /// Whether the kernels before the functions were all written.
  bool isCompiled = false;
  /// The launches that are written together, where the last of them has not
  /// been reached.
  llvm::SmallVector<LaunchOp> combined;
};

} // namespace coil::wrapper

#endif // COIL_LIB_TARGET_HOSTTEXT_PYTHONEMITTER_H
