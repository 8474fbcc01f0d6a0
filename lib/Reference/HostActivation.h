//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of a host program in the interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_HOSTACTIVATION_H
#define COIL_LIB_REFERENCE_HOSTACTIVATION_H

#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Runtime/Objects.h"
#include "coil/Runtime/Runtime.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <vector>

namespace coil::reference {

/// What was allocated in one piece, or carved from a pool.
struct HostMemory {
  /// Of all of the pool, for what is carved from one.
  Tensor bytes;
  int64_t begin = 0;
  int64_t length = 0;
  /// Literals are not written.
  bool isConstant = false;
  /// The op that freed it or handed it over, if its life has ended.
  mlir::Operation *ended = nullptr;
  /// What it was carved from.
  std::weak_ptr<HostMemory> pool;
  /// What was carved from it, and what took that over.
  std::vector<std::shared_ptr<HostMemory>> carved;

  static std::shared_ptr<HostMemory> create(Tensor bytes);
};

/// The value of an SSA value: where a buffer begins, a scalar, or an object.
struct HostValue {
  std::shared_ptr<HostMemory> memory;
  int64_t offset = 0; ///< In bytes.
  Scalar scalar = makeInt(0);
  coil_object *object = nullptr; ///< The activation's run holds it.
};

struct HostShape {
  llvm::SmallVector<int64_t> sizes, strides;
};

/// The elements of a buffer, after a check that they are in its storage.
struct HostView {
  DType dtype = DType::F32;
  HostShape shape;
  char *data = nullptr; ///< Of the first element.
};

class HostActivation {
public:
  HostActivation(wrapper::FuncOp fn, Interpreter &interpreter, unsigned depth)
      : fn(fn), interpreter(interpreter), frame(interpreter), depth(depth) {}
  HostActivation(const HostActivation &) = delete;
  HostActivation &operator=(const HostActivation &) = delete;
  ~HostActivation();

  /// Sets an argument and how it lies in memory.
  void setArgument(unsigned i, HostValue value, HostShape shape);
  /// Runs the function. The results and their shapes are then those of its
  /// return.
  mlir::LogicalResult run();

  llvm::SmallVector<HostValue> results;
  llvm::SmallVector<HostShape> resultShapes;
  llvm::SmallVector<Tensor> resultTensors;

private:
  /// Runs a block but for its terminator.
  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult run(mlir::Operation *op);

  mlir::LogicalResult run(wrapper::InputSymbolOp op);
  mlir::LogicalResult run(wrapper::SymExprOp op);
  mlir::LogicalResult run(wrapper::AssertOp op);
  mlir::LogicalResult run(wrapper::AssertLayoutOp op);
  mlir::LogicalResult run(wrapper::AllocOp op);
  mlir::LogicalResult run(wrapper::ConstantOp op);
  mlir::LogicalResult run(wrapper::FreeOp op);
  mlir::LogicalResult run(wrapper::ReuseOp op);
  mlir::LogicalResult run(wrapper::ReinterpretOp op);
  mlir::LogicalResult run(wrapper::CopyOp op);
  mlir::LogicalResult run(wrapper::FillOp op);
  mlir::LogicalResult run(wrapper::TransferOp op);
  mlir::LogicalResult run(wrapper::WorkspaceOp op);
  mlir::LogicalResult run(wrapper::PoolOp op);
  mlir::LogicalResult run(wrapper::PoolAllocOp op);
  mlir::LogicalResult run(wrapper::PoolReleaseOp op);
  mlir::LogicalResult run(wrapper::PoolFreeOp op);
  mlir::FailureOr<std::shared_ptr<HostMemory>> allocate(mlir::Operation *op,
                                                        sym::ExprAttr bytes);
  /// Fails for storage that is part of a pool.
  mlir::LogicalResult checkOwnsMemory(mlir::Operation *op,
                                      const HostValue &value);
  mlir::LogicalResult run(wrapper::LaunchOp op);
  mlir::LogicalResult run(wrapper::IfOp op);
  mlir::LogicalResult run(wrapper::WhileOp op);
  mlir::LogicalResult run(wrapper::InvokeOp op);
  mlir::LogicalResult run(wrapper::PartitionOp op);
  mlir::LogicalResult run(wrapper::DeviceScopeOp op);
  mlir::LogicalResult run(wrapper::PartitionCallOp op);
  mlir::LogicalResult run(wrapper::ParamSymbolsOp op);
  template <typename OpT>
  mlir::LogicalResult runInPlace(OpT op);
  /// Runs a function on the operands of a call; `symbols` are its own.
  template <typename OpT>
  mlir::LogicalResult runCall(OpT op, llvm::ArrayRef<int64_t> symbols);
  mlir::LogicalResult run(wrapper::ItemOp op);
  mlir::LogicalResult run(wrapper::BindSymbolOp op);
  mlir::LogicalResult run(wrapper::CompareOp op);
  mlir::LogicalResult run(wrapper::CheckLifetimeOp op);
  mlir::LogicalResult run(wrapper::DebugMarkOp op);
  mlir::LogicalResult run(wrapper::DebugValueOp op);
  // HostCallModels.cpp
  mlir::LogicalResult run(wrapper::DropOp op);
  mlir::LogicalResult run(wrapper::CommentOp op);
  mlir::LogicalResult run(wrapper::ProfileRangeOp op);
  mlir::LogicalResult run(wrapper::BoundObjectOp op);
  mlir::LogicalResult run(wrapper::ResizeStorageOp op);
  mlir::LogicalResult run(wrapper::SetStorageOp op);
  // HostLibraryModels.cpp
  mlir::LogicalResult run(wrapper::ContractionOp op);
  mlir::LogicalResult run(wrapper::ConvolutionOp op);
  mlir::LogicalResult run(wrapper::AttentionOp op);
  mlir::LogicalResult run(wrapper::SortOp op);
  // HostUserModels.cpp
  mlir::LogicalResult run(wrapper::LaunchUserOp op);
  mlir::LogicalResult run(wrapper::TMADescriptorOp op);
  mlir::FailureOr<Tensor>
  getNumber(wrapper::LaunchUserOp op,
            const wrapper::LaunchUserOp::Passed &passed);
  // HostCallModels.cpp
  mlir::LogicalResult run(wrapper::HostCallOpInterface op);
  // HostOrderModels.cpp
  mlir::LogicalResult run(wrapper::CommAllocOp op);
  mlir::LogicalResult run(wrapper::CommFreeOp op);
  mlir::LogicalResult run(wrapper::StreamOp op);
  mlir::LogicalResult run(wrapper::RecordEventOp op);
  mlir::LogicalResult run(wrapper::WaitEventOp op);
  /// Notes which memory a collective has, or has no more.
  void noteCollective(mlir::Operation *op);
  /// Fails if a collective has the memory.
  mlir::LogicalResult checkNotInFlight(mlir::Operation *op,
                                       const HostMemory &memory);
  /// Ends the life of all of a buffer's storage.
  mlir::LogicalResult endStorage(mlir::Operation *op, mlir::Value buffer);
  mlir::LogicalResult runScalar(mlir::Operation *op);

  mlir::FailureOr<HostShape> getShape(mlir::Operation *op,
                                      wrapper::BufferType type);
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  evaluate(mlir::Operation *op, llvm::ArrayRef<sym::ExprAttr> exprs);
  mlir::LogicalResult checkAlive(mlir::Operation *op, const HostValue &value);
  mlir::FailureOr<HostView> view(mlir::Operation *op, mlir::Value buffer);
  mlir::FailureOr<Tensor> read(mlir::Operation *op, mlir::Value buffer);
  mlir::LogicalResult write(mlir::Operation *op, mlir::Value buffer,
                            const Tensor &tensor);
  /// The element of a buffer with one.
  mlir::FailureOr<Scalar> readItem(mlir::Operation *op, mlir::Value buffer);
  mlir::FailureOr<bool> getPredicate(mlir::Operation *op, mlir::Value v);
  /// Binds a symbol, in its range.
  mlir::LogicalResult bind(mlir::Operation *op, llvm::StringRef name,
                           int64_t value, const llvm::Twine &origin = "");
  mlir::LogicalResult divide(mlir::Operation *op, int64_t &value,
                             int64_t divisor, const llvm::Twine &what);
  /// Gives values and symbols to what an edge leads to.
  mlir::LogicalResult follow(mlir::Operation *op,
                             llvm::SmallVector<HostValue> values,
                             mlir::ValueRange targets,
                             std::optional<mlir::ArrayAttr> symbols,
                             llvm::ArrayRef<int64_t> numbers);
  llvm::SmallVector<HostValue> gather(mlir::ValueRange values);

  wrapper::FuncOp fn;
  Interpreter &interpreter;
  Frame frame;
  unsigned depth;
  llvm::DenseMap<mlir::Value, HostValue> values;
  /// Those that are shared, by name.
  llvm::StringMap<HostValue> workspaces;
  /// What checks of lifetimes have seen, by name.
  llvm::SmallVector<std::pair<std::string, std::weak_ptr<HostMemory>>> seen;
  /// What collectives have, by the tokens that nothing has waited for.
  llvm::MapVector<mlir::Value,
                  llvm::SmallVector<std::shared_ptr<HostMemory>, 2>>
      inFlight;
  /// The run that host functions are called with, and that holds objects: what
  /// one call starts, another waits for. Made when it is first needed.
  coil_run *hostRun = nullptr;
  /// What a partition's call passes.
  llvm::SmallVector<int64_t> parameters;
  /// Of arguments and results of calls.
  llvm::DenseMap<mlir::Value, HostShape> shapes;
};

/// The first and last element that a shape touches, relative to the first of
/// the buffer; nothing for an empty one.
std::optional<std::pair<int64_t, int64_t>> getExtent(const HostShape &shape);

/// Memory for a tensor with strides, with its elements in it.
HostValue layOut(const Tensor &tensor, llvm::ArrayRef<int64_t> strides);

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_HOSTACTIVATION_H
