//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host programs as C++ over the runtime's C interface.
//
// Storage is a `coil::Buffer`, which frees it; a view is an address. Storage
// moves from variable to variable as the IR hands it over. A function that is
// too long for a file becomes several, which share a frame: what the ops at its
// top level define lies in arrays there. An op with regions is never cut.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TARGET_HOSTTEXT_CPPEMITTER_H
#define COIL_LIB_TARGET_HOSTTEXT_CPPEMITTER_H

#include "coil/Target/HostText.h"
#include "coil/Target/HostText/HostEmitter.h"
#include "llvm/ADT/SetVector.h"

namespace coil::wrapper {

/// Made before the emitter that writes to it.
struct CppText {
  std::string written;
  llvm::raw_string_ostream stream{written};
};

class CppEmitter final : private CppText, public HostEmitter {
public:
  CppEmitter(mlir::ModuleOp module, std::vector<EmittedFile> &files,
             const CppOptions &options);

private:
  mlir::LogicalResult emitBegin() override;
  mlir::LogicalResult emitKernel(KernelOp kernel) override;
  mlir::LogicalResult emitFunction(FuncOp fn) override;
  mlir::LogicalResult emitEnd() override;
  llvm::StringRef getComment() const override { return "//"; }

  using HostEmitter::emit;
#define X(Op) mlir::LogicalResult emit(Op op) override;
  COIL_HOST_TEXT_OPS(X)
#undef X
  std::string printFloatLiteral(double value) override;
  std::string printDivision(llvm::StringRef a, llvm::StringRef b) override {
    return (a + " / " + b).str();
  }
  void emitScalar(mlir::Value result, const std::string &text) override;

  //===--- Functions and files (CppFiles.cpp) -----------------------------===//

  /// Text that stays together, and what it refers to.
  struct Chunk {
    std::string text;
    llvm::SetVector<mlir::Operation *> kernels;
    llvm::SetVector<mlir::Operation *> callees;
    /// Functions of devices that are not in the runtime's headers.
    llvm::StringMap<std::string> declarations;
    /// The frame that it works on, and declarations of parts.
    std::string frame;
  };
  /// Slots of a frame, or which of them are used.
  struct Frame {
    bool isUsed = false;
    unsigned addresses = 0, bools = 0, floats = 0, shapes = 0;
    /// Of each type of handle, and the names of symbols.
    std::vector<std::pair<std::string, unsigned>> handles;
    std::vector<std::string> symbols;
    /// Bytes of each pool on the stack.
    std::vector<int64_t> pools;
  };

  std::string entryName(FuncOp fn);
  /// "int32_t main(coil_run *run, ...)".
  std::string prototype(FuncOp fn);
  void beginEntry(FuncOp fn);
  /// Takes what was written since the last call, with what it refers to.
  void takeChunk(const llvm::Twine &begin = "", const llvm::Twine &end = "");
  mlir::LogicalResult emitWhole(FuncOp fn);
  mlir::LogicalResult emitParts(FuncOp fn);
  /// Reads the arguments.
  mlir::LogicalResult emitArguments(FuncOp fn);
  /// What a file says in front of its chunks.
  std::string printDeclarations(const Chunk &chunk);
  std::string printFrame(FuncOp fn);
  void writeHeader();
  void writeSources();
  /// A function that gives one of some literals, or nullptr.
  void emitNames(const std::string &function,
                 llvm::ArrayRef<std::string> names);
  /// Writes the file with a main function (CppBenchmark.cpp).
  mlir::LogicalResult writeBenchmark();

  //===--- Arrays (CppArrays.cpp) -----------------------------------------===//

  /// Whether a function takes arrays, of sizes that its signature says.
  /// Whether calls of a function go through what keeps uploaded literals and
  /// graphs for it: one that callers see, of a program for a device that
  /// replays recordings.
  bool isKept(FuncOp fn);
  /// The function that such a call ends in.
  std::string bodyPrototype(FuncOp fn);
  /// The object that keeps them, and the function that callers see.
  void emitKeeper(FuncOp fn);
  void emitFunctionChecks();
  static bool isArrayEntry(FuncOp fn) {
    return fn->hasAttr(kArrayEntryAttrName);
  }
  /// The parameters of such a function behind the run, by these names.
  std::string arrayParameters(FuncOp fn, llvm::ArrayRef<std::string> names);
  std::string arrayPrototype(FuncOp fn);
  /// Opens the function, and puts the arrays where inputs are.
  void beginArrayEntry(FuncOp fn);
  void writeArrayHeader(FuncOp fn, llvm::raw_ostream &os);
  void writeArrayWrappers(llvm::raw_ostream &os);
  mlir::LogicalResult emitStackPool(PoolOp op, const DeviceInfo &device);

  //===--- Devices (CppDevice.cpp) ----------------------------------------===//

  /// The device of a kernel, or null behind a diagnostic.
  const DeviceInfo *getKernelDevice(mlir::Operation *op, KernelOp kernel);
  /// Writes what selects a device, or the first of its kind; nothing if there
  /// is none.
  void select(DeviceAttr device, bool isBegin = true);
  void beginOp(mlir::Operation &op) override;
  void endOp(mlir::Operation &op) override;
  void emitGridLaunch(LaunchOp op, KernelOp kernel, const DeviceInfo &device);
  std::string declareKernel(KernelOp kernel);
  /// Functions that bind a run to the program's devices and wait for them.
  void emitRunFunctions();

  //===--- Variables (CppEmitter.cpp) -------------------------------------===//

  /// Whether a value that is defined now lies in the frame.
  bool isInFrame() const { return frame.isUsed && depth == 0; }
  /// Names a new variable and gives what stands in front of its assignment:
  /// "void *buf0", or its place in the frame.
  std::string defineAddress(mlir::Value v);
  std::string defineScalar(mlir::Value v);
  std::string defineSymbol(llvm::StringRef name);
  /// Declares a handle, or finds it a place; gives its name.
  std::string defineHandle(mlir::Value v, const DeviceInfo &device) {
    return defineHandle(v, handleType(device));
  }
  std::string defineHandle(mlir::Value v, const std::string &type);
  /// The type of handles of a device.
  std::string handleType(const DeviceInfo &device);
  /// The name of the handle or address that a value stands for.
  std::string address(mlir::Value v);
  /// The handle of the storage that a value is at.
  std::string handle(mlir::Value v) { return name(getStorage(v)); }

  /// "COIL_TRY(function(run, ...));"
  static std::string printCall(llvm::StringRef function,
                               llvm::ArrayRef<std::string> arguments);
  std::string list(llvm::ArrayRef<sym::ExprAttr> exprs);
  std::string addressList(mlir::ValueRange values);
  /// The address of an element.
  std::string elementAddress(mlir::Value v, sym::ExprAttr offset);
  /// The place in the source that a failure names, or "nullptr".
  static std::string where(mlir::Operation *op);
  /// `COIL_F32`, or nothing behind a diagnostic.
  std::optional<std::string> dtypeName(mlir::Operation *op, mlir::Type type);
  /// A function of a device; declares it if no header does.
  std::string deviceFunction(const std::string &name,
                             llvm::StringRef parameters);
  const DeviceInfo *requireLibrary(mlir::Operation *op, DeviceAttr device,
                                   std::string DeviceInfo::*function,
                                   llvm::StringRef what);
  void emitRange(llvm::StringRef symbol, const std::string &variable,
                 const llvm::Twine &origin);
  void emitMultiple(const std::string &variable, int64_t divisor,
                    const llvm::Twine &what);
  /// Runs a region where it is, and names what it yields.
  mlir::LogicalResult emitInPlace(mlir::Operation *op);
  /// Calls a function of the program; `symbols` follow its inputs.
  mlir::LogicalResult emitCall(mlir::Operation *op, FuncOp callee,
                               llvm::ArrayRef<unsigned> consumed,
                               llvm::ArrayRef<sym::ExprAttr> symbols);
  mlir::LogicalResult emitRead(mlir::Operation *op, mlir::Value source,
                               const std::string &to);
  /// Writes what goes from one list of variables to another, at once.
  struct Transfer {
    std::string to, from, type;
    bool isHandle;
  };
  void emitTransfers(llvm::ArrayRef<Transfer> transfers, bool mayOverlap);
  void addTransfers(mlir::ValueRange targets, mlir::ValueRange sources,
                    llvm::SmallVectorImpl<Transfer> &transfers);
  mlir::LogicalResult emitYield(mlir::Region &region, mlir::ValueRange results,
                                std::optional<mlir::ArrayAttr> symbols,
                                llvm::ArrayRef<std::string> symbolNames,
                                bool mayOverlap);
  void noteCost(mlir::Operation &op);

  //===--- Host functions (CppCalls.cpp) ----------------------------------===//

  mlir::LogicalResult emitHostCall(HostCallOpInterface call) override;
  /// An argument of a call, which names tensors that are declared before.
  struct CallParts;
  mlir::FailureOr<std::string> callArgument(mlir::Attribute argument,
                                            CallParts &parts);
  /// A tensor as an initializer; adds its shape to `numbers`, which are the
  /// array `<base>_shapes`. Its device is of the type `deviceType`, or its own.
  mlir::FailureOr<std::string>
  callTensor(mlir::Operation *op, mlir::Value v, const std::string &base,
             llvm::SmallVectorImpl<std::string> &numbers,
             std::optional<int32_t> deviceType = {});

  /// The devices that the program mentions.
  llvm::ArrayRef<const DeviceInfo *> getUsedDevices();

  std::optional<llvm::SmallVector<const DeviceInfo *>> usedDevices;
  llvm::DenseMap<mlir::Operation *, bool> keptFunctions;
  CppOptions options;
  std::vector<EmittedFile> &files;
  Chunk now;
  std::vector<Chunk> chunks;
  Frame frame;
  unsigned depth = 0;
  llvm::DenseSet<mlir::Value> handles;
  /// Which device each op of the current function is for.
  std::optional<DeviceSelection> selection;
  /// Where the sizes and strides of a call's result are.
  llvm::DenseMap<mlir::Value, std::string> shapes;
};

} // namespace coil::wrapper

#endif // COIL_LIB_TARGET_HOSTTEXT_CPPEMITTER_H
