//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the LLVM functions of one host program.
//
// A function is a chain of blocks: each runtime call ends one, since a status
// other than zero leaves for the exit. So what an earlier step computed is
// there for all later ones, and symbols, sizes and buffers are plain maps.
//
// Regions are more blocks. What is computed in one is forgotten behind it,
// which a log of the maps makes cheap.
//
// A long program is cut into parts, functions of a bounded number of steps that
// the entry function calls in turn. An op with regions counts as many steps as
// it has ops, but is never cut. Buffers and symbols that a later part needs
// go through the frame, an array of 8-byte slots that the entry function owns;
// everything else is computed again by each part that needs it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_WRAPPERTOLLVM_HOSTLOWERING_H
#define COIL_LIB_CONVERSION_WRAPPERTOLLVM_HOSTLOWERING_H

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace coil::wrapper {

class HostLowering {
public:
  /// `module` is the table of the module with `fn` and its kernels. No function
  /// has more than `maxSteps` steps.
  HostLowering(FuncOp fn, mlir::SymbolTable &module, unsigned maxSteps);

  /// Makes the entry function, which others may call, without a body.
  void declareEntry();
  /// Emits the entry function and the parts.
  mlir::LogicalResult run();

  /// What was emitted: the entry function first.
  llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> getFunctions() const {
    return functions;
  }
  /// Kernels that the entry function launches itself.
  llvm::ArrayRef<KernelOp> getKernels() const { return kernels.getArrayRef(); }

private:
  //===--- Parts (HostParts.cpp) ------------------------------------------===//

  /// Finds the part of each step: inputs, ops, results. Returns their number.
  unsigned planParts();
  /// Lowers all steps: into the function that was begun, or into parts.
  mlir::LogicalResult lowerSteps(bool intoParts);
  /// Gives slots of the frame to what crosses from one part to another.
  void planFrame();
  /// Begins the function of part `index`, in a module of its own.
  void beginPart(unsigned index);
  /// Begins to emit into `function`.
  void begin(mlir::LLVM::LLVMFuncOp function, mlir::SymbolTable &table);
  /// Ends the function that is being emitted.
  void end();
  /// Emits the entry function of a program of several parts.
  void emitEntry(mlir::LLVM::LLVMFuncOp entry);

  /// Address of a buffer or value of a scalar, and what becomes of it when a
  /// step makes one.
  mlir::Value buffer(mlir::Value v);
  void setBuffer(mlir::Value v, mlir::Value address);
  /// The same for a symbol's value.
  mlir::Value symbol(llvm::StringRef name);
  void setSymbol(llvm::StringRef name, mlir::Value v);

  //===--- Program (HostLowering.cpp) -------------------------------------===//

  void createFunction();
  mlir::LogicalResult checkInput(mlir::BlockArgument arg);
  mlir::LogicalResult setOutput(mlir::OpOperand &result);
  mlir::LogicalResult lower(mlir::Operation &op);
  /// Lowers one op, on the device that is selected.
  mlir::LogicalResult lowerHere(mlir::Operation &op);
  /// Selects a device, or the first of its kind; nothing if there is none.
  void select(DeviceAttr device, bool isBegin = true);
  mlir::LogicalResult lower(InputSymbolOp op);
  mlir::LogicalResult lower(AssertOp op);
  mlir::LogicalResult lower(AssertLayoutOp op);
  mlir::LogicalResult lower(ConstantOp op);
  mlir::LogicalResult lower(AllocOp op);
  mlir::LogicalResult lower(FreeOp op);
  mlir::LogicalResult lower(CopyOp op);
  mlir::LogicalResult lower(FillOp op);
  mlir::LogicalResult lower(TransferOp op); // LowerCalls.cpp
  mlir::LogicalResult lower(PoolOp op);
  mlir::LogicalResult lowerStackPool(PoolOp op);
  mlir::LogicalResult lower(PoolAllocOp op);
  mlir::LogicalResult lower(PoolFreeOp op);
  /// Allocates memory of a device for a buffer or a pool.
  mlir::LogicalResult lowerAllocation(mlir::Operation *op, sym::ExprAttr size);
  mlir::LogicalResult lowerDeallocation(mlir::Operation *op,
                                        mlir::Value memory);

  //===--- Control flow and numbers (LowerControl.cpp) --------------------===//

  mlir::LogicalResult lower(IfOp op);
  mlir::LogicalResult lower(WhileOp op);
  mlir::LogicalResult lower(InvokeOp op);
  /// Calls a function of the program; `symbols` follow its inputs.
  mlir::LogicalResult lowerCall(mlir::CallOpInterface op,
                                llvm::ArrayRef<sym::ExprAttr> symbols);
  mlir::LogicalResult lower(ItemOp op);
  mlir::LogicalResult lower(BindSymbolOp op);
  mlir::LogicalResult lower(CompareOp op);
  mlir::LogicalResult lower(DebugMarkOp op);
  mlir::LogicalResult lower(DebugValueOp op);
  mlir::LogicalResult lower(CheckLifetimeOp op);
  mlir::LogicalResult lowerScalar(mlir::Operation *op);

  //===--- Partitions (LowerPartition.cpp) --------------------------------===//

  mlir::LogicalResult lower(PartitionOp op);
  mlir::LogicalResult lower(DeviceScopeOp op);
  mlir::LogicalResult lower(PartitionCallOp op);
  mlir::LogicalResult lower(ParamSymbolsOp op);
  /// Runs a region where it is, and names what it yields.
  mlir::LogicalResult lowerInPlace(mlir::Operation *op);
  /// The device of a partition's buffers, or null if it has none.
  const DeviceInfo *getPartitionDevice(PartitionCallOp op);
  /// The name of the entry function that an op calls.
  static std::string getEntryName(mlir::CallOpInterface op);
  /// Lets a device run a partition, if it has a function for that.
  void callPartition(PartitionCallOp op, const DeviceInfo &device,
                     mlir::Value inputs, mlir::Value outputs);

  /// Lengths of the logs where a region begins.
  struct Scope {
    size_t values, symbols, exprs;
  };
  Scope openScope();
  /// Forgets what was learnt since.
  void closeScope(Scope scope);
  mlir::Block *newBlock(mlir::TypeRange arguments);
  mlir::LogicalResult lowerBody(mlir::Region &region);
  /// What goes along an edge: values, then the values of expressions.
  llvm::SmallVector<mlir::Value> gather(mlir::ValueRange values,
                                        std::optional<sym::ShapeAttr> exprs);
  /// What arrives: values for `targets`, then those of `symbols`.
  void receive(mlir::ValueRange targets, std::optional<mlir::ArrayAttr> symbols,
               mlir::ValueRange values);
  /// Fails the run when a symbol's value is outside its range; for `symbols`,
  /// those are the last of `values`.
  void checkRange(llvm::StringRef name, mlir::Value v,
                  const llvm::Twine &origin);
  void checkRanges(std::optional<mlir::ArrayAttr> symbols,
                   mlir::ValueRange values);
  void requireMultiple(mlir::Value v, int64_t divisor, const llvm::Twine &what);
  /// The element of a buffer as an `i64` or `f64`.
  mlir::FailureOr<mlir::Value> readItem(mlir::Operation *op,
                                        mlir::Value source);
  /// An `i1`.
  mlir::FailureOr<mlir::Value> getPredicate(mlir::Operation *op,
                                            mlir::Value predicate);
  /// Takes what a call gave: addresses from `tensors`, and sizes and strides
  /// from entry `first` of `shapes` on.
  void receiveResults(mlir::Operation *op, mlir::Value tensors,
                      mlir::Value shapes, unsigned first);
  /// A size of a call's result, or behind them a stride.
  mlir::Value shapeEntry(mlir::Value result, unsigned index);
  /// Address of a tensor with the shape that a call's result had.
  mlir::Value resultTensor(mlir::Value result);

  //===--- What is around a program (LowerRuntime.cpp) --------------------===//

  mlir::LogicalResult lower(DropOp op);
  mlir::LogicalResult lower(ProfileRangeOp op);
  mlir::LogicalResult lower(BoundObjectOp op);
  mlir::LogicalResult lower(ResizeStorageOp op);
  mlir::LogicalResult lower(SetStorageOp op);

  //===--- Computation (LowerCompute.cpp) ---------------------------------===//

  mlir::LogicalResult lower(LaunchOp op);
  mlir::LogicalResult lower(ContractionOp op);
  mlir::LogicalResult lower(ConvolutionOp op);
  mlir::LogicalResult lower(AttentionOp op);
  mlir::LogicalResult lower(SortOp op);

  //===--- Kernels of users (LowerUser.cpp) -------------------------------===//

  mlir::LogicalResult lower(LaunchUserOp op);
  mlir::LogicalResult lower(TMADescriptorOp op);
  mlir::Value userNumber(const LaunchUserOp::Passed &passed);

  //===--- Host functions (LowerCalls.cpp) --------------------------------===//

  mlir::LogicalResult lower(HostCallOpInterface op);
  /// What is counted before the arguments of a call are written: arguments that
  /// are elements of lists, tensors, and their sizes and strides.
  struct CallLayout;
  /// Writes the address, layout and type of a tensor.
  mlir::LogicalResult fillTensor(mlir::Operation *op, mlir::Value tensors,
                                 unsigned index, mlir::Value shapes,
                                 unsigned shape, mlir::Value data,
                                 BufferType type, bool hasLayout);
  mlir::LogicalResult fillArgument(mlir::Operation *op, CallLayout &layout,
                                   mlir::Value base, unsigned index,
                                   mlir::Attribute argument);
  /// Address of the runtime's description of where a function is called.
  mlir::Value callSite(HostCallOpInterface op, int32_t deviceType);

  //===--- Streams, events, memory of groups (LowerOrder.cpp) -------------===//

  mlir::LogicalResult lower(CommAllocOp op);
  mlir::LogicalResult lower(CommFreeOp op);
  mlir::LogicalResult lower(StreamOp op);
  mlir::LogicalResult lower(RecordEventOp op);
  mlir::LogicalResult lower(WaitEventOp op);

  //===--- Tools (HostLowering.cpp) ---------------------------------------===//

  mlir::LLVM::ICmpPredicate getPredicate(sym::Predicate predicate);
  /// Types in LLVM: buffers, pools, objects and tokens are addresses.
  mlir::Type getHostType(mlir::Type type) {
    return mlir::isa<BufferType, PoolType, ObjectType, TokenType,
                     TMADescriptorType>(type)
               ? ptrType
               : type;
  }
  llvm::SmallVector<mlir::Type> getHostTypes(mlir::TypeRange types) {
    return llvm::map_to_vector(
        types, [this](mlir::Type type) { return getHostType(type); });
  }
  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  mlir::Value null();
  /// Value of an expression over bound symbols.
  mlir::Value value(sym::ExprAttr expr);
  /// The same, and whether a sum or product in it overflowed.
  std::pair<mlir::Value, mlir::Value> checkedValue(sym::ExprAttr expr);
  /// Address of a constant string.
  mlir::Value string(llvm::StringRef text);
  /// Address of the place in the model that an op is from, or null.
  mlir::Value place(mlir::Operation *op);
  /// Address of an array of integers: constant data, or written now to
  /// scratch memory number `scratch`.
  mlir::Value array(llvm::ArrayRef<sym::ExprAttr> exprs, unsigned scratch);
  /// Stack memory of `count` values of 8 bytes, shared by all who ask for the
  /// same number.
  mlir::Value scratch(unsigned number, unsigned count);
  void store(mlir::Value v, mlir::Value base, unsigned index, mlir::Type type);
  mlir::Value load(mlir::Value base, unsigned offsetInBytes, mlir::Type type);
  /// Address `offset` elements after `base`.
  mlir::Value element(mlir::Value base, sym::ExprAttr offset, BufferType type);
  /// Calls a runtime function and goes on if it returns zero.
  void call(llvm::StringRef callee, mlir::ValueRange args);
  /// Goes on if `condition` holds, else leaves with the status that `fail`
  /// emits.
  void require(mlir::Value condition, llvm::function_ref<mlir::Value()> fail);
  mlir::Value callStatus(llvm::StringRef callee, mlir::ValueRange args);
  /// Declares a function that returns a status.
  void declareFunction(llvm::StringRef name,
                       llvm::ArrayRef<mlir::Type> parameters);
  const DeviceInfo *getDevice(mlir::Operation *op, DeviceAttr device);
  std::optional<int32_t> getDType(mlir::Operation *op, mlir::Type type);
  mlir::Value inputTensor(mlir::Value arg);
  std::string inputName(mlir::Value arg);
  /// Tells the run what the next step costs, if its op says so.
  void noteCost(mlir::Operation &op);
  /// Address of a kernel's function.
  mlir::Value kernelAddress(KernelOp kernel);

  /// The function that is being emitted, and what is known in it.
  struct State {
    mlir::LLVM::LLVMFuncOp function;
    /// Receives declarations and data.
    mlir::SymbolTable *table = nullptr;
    mlir::Block *entry = nullptr, *exit = nullptr;
    /// Its arguments; the entry function has no frame.
    mlir::Value run, inputs, outputs, frame;
    llvm::DenseMap<mlir::Value, mlir::Value> buffers;
    llvm::StringMap<mlir::Value> symbols;
    llvm::DenseMap<sym::ExprAttr, mlir::Value> values;
    /// Sizes and strides of results of calls.
    llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> shapes;
    /// How many regions enclose what is being emitted, and what was entered
    /// into the three maps in them.
    unsigned depth = 0;
    /// What the function calls before it returns, with the run.
    std::string leave;
    llvm::SmallVector<mlir::Value> valueLog;
    llvm::SmallVector<llvm::StringRef> symbolLog;
    llvm::SmallVector<sym::ExprAttr> exprLog;
    llvm::StringMap<mlir::LLVM::GlobalOp> strings;
    llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> arrays;
    /// Scratch memory: the allocation and its count of values.
    llvm::SmallVector<std::pair<mlir::LLVM::AllocaOp, unsigned>> stack;
  };

  FuncOp fn;
  DeviceSelection selection;
  mlir::LLVM::LLVMFuncOp entryFunction;
  mlir::SymbolTable &module;
  unsigned maxSteps;
  mlir::ImplicitLocOpBuilder b;
  mlir::Type ptrType, i64Type, i32Type;
  sym::Context facts;
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> functions;
  llvm::SetVector<KernelOp> kernels;
  /// The host functions that are called: name, type of device, place.
  llvm::SetVector<mlir::Attribute> hostFunctions;
  State now;
  /// The parts' functions, in order.
  llvm::SmallVector<std::string> parts;
  /// The table of the part that is being emitted.
  std::optional<mlir::SymbolTable> partTable;
  /// Slots of the frame.
  llvm::DenseMap<mlir::Value, unsigned> bufferSlots;
  llvm::StringMap<unsigned> symbolSlots;
  llvm::DenseMap<mlir::Value, unsigned> shapeSlots;
  /// Those of the memory of pools on the stack that several parts use.
  llvm::DenseMap<mlir::Value, unsigned> poolSlots;
  /// The part of each step.
  llvm::SmallVector<unsigned> stepParts;
  unsigned frameSlots = 0;
};

/// Declares the object that describes a kernel for a device to the runtime; the
/// loader of the program provides it.
void declareKernelObject(mlir::SymbolTable &table, KernelOp kernel,
                         llvm::StringRef name);

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_WRAPPERTOLLVM_HOSTLOWERING_H
