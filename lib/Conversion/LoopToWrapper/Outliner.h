//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts one function of loop kernels to a host program.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOWRAPPER_OUTLINER_H
#define COIL_LIB_CONVERSION_LOOPTOWRAPPER_OUTLINER_H

#include "KernelTable.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace coil::wrapper {

/// The attribute of arguments and results of functions that has their strides.
inline constexpr llvm::StringLiteral kStridesAttrName = "coil.strides";

/// Checks that the strides of an argument or a result are one for each
/// dimension, over symbols.
mlir::LogicalResult checkStrides(mlir::Operation *op, sym::ShapeAttr strides,
                                 mlir::RankedTensorType tensor,
                                 const llvm::Twine &what);

/// Converts one function. The old function is read only, but for kernels that
/// copy, which are added to it in order to be outlined like any other.
class Outliner {
  // As in the files of its methods.
  using ExprAttr = sym::ExprAttr;

public:
  Outliner(mlir::func::FuncOp fn, KernelTable &kernels, DeviceAttr device)
      : fn(fn), kernels(kernels), home(device), device(device),
        b(fn.getContext()),
        ranges(fn->getAttrOfType<mlir::DictionaryAttr>(sym::kSymbolsAttrName)) {
  }

  mlir::LogicalResult run();

private:
  //===--- Signature ------------------------------------------------------===//
  mlir::LogicalResult createFunction();
  mlir::LogicalResult bindSymbols();
  /// Reads a number on the host.
  void convertItem(graph::ItemOp item);

  //===--- Values of the host (OutlineTransfers.cpp) ----------------------===//

  /// The device of argument or result: that of the program, or the one that its
  /// attribute names; null, with a diagnostic, for one that is none.
  DeviceAttr getPlace(mlir::DictionaryAttr attrs, const llvm::Twine &what);
  /// Gives arguments that are elsewhere a copy on the device, if anything but
  /// the host looks at them.
  void moveArguments();
  /// What the host reads of a value: where that is an argument on the host, no
  /// device has to be waited for.
  mlir::Value getForHost(mlir::Value value);
  /// A buffer of layout `strides` on `place` with the elements of `value`.
  mlir::FailureOr<mlir::Value> moveResult(mlir::func::ReturnOp op, unsigned i,
                                          DeviceAttr place,
                                          llvm::ArrayRef<ExprAttr> strides);

  //===--- Several devices (OutlineTransfers.cpp) -------------------------===//

  /// What is made while this lives is on a device.
  class AtDevice {
  public:
    AtDevice(Outliner &outliner, DeviceAttr device)
        : outliner(outliner), before(outliner.device) {
      outliner.device = device;
    }
    AtDevice(const AtDevice &) = delete;
    AtDevice &operator=(const AtDevice &) = delete;
    ~AtDevice() { outliner.device = before; }

  private:
    Outliner &outliner;
    DeviceAttr before;
  };
  /// Finds out whether the program works on several.
  void findDevices();
  /// The device `index` places behind the program's first.
  DeviceAttr getDevice(int64_t index);
  /// Where an op computes: where its operands are, or, without any, where what
  /// uses its result computes.
  DeviceAttr findDevice(mlir::Operation &op);
  /// A buffer on a device with the elements of a value.
  mlir::Value moveTo(mlir::Location loc, mlir::Value value, DeviceAttr place);
  mlir::LogicalResult convertToDevice(graph::ToDeviceOp op);

  //===--- Body -----------------------------------------------------------===//
  mlir::LogicalResult convert(mlir::Operation &op);
  mlir::LogicalResult convertHere(mlir::Operation &op);
  mlir::LogicalResult convertOps(mlir::Block &block);
  mlir::LogicalResult convertIf(graph::IfOp op);
  mlir::LogicalResult convertWhile(graph::WhileOp op);
  /// `iteration`: the number that a loop counts by, null where it does not.
  mlir::LogicalResult convertYield(graph::YieldOp op, mlir::TypeRange types,
                                   ExprAttr iteration);
  mlir::LogicalResult convertCustomCall(graph::CustomCallOp op);
  static bool isCollective(graph::CustomCallOp op);
  mlir::LogicalResult convertCollective(graph::CustomCallOp op);
  mlir::LogicalResult convertKernel(loop::KernelOp kernel);
  void convertAttention(loop::AttentionOp op);
  void convertSort(loop::SortOp op);
  /// Whether a buffer of these sizes has these strides; those of dimensions of
  /// one element say nothing.
  bool hasStrides(mlir::Value buffer, llvm::ArrayRef<ExprAttr> sizes,
                  llvm::ArrayRef<ExprAttr> strides);
  mlir::Value makeDense(mlir::Location loc, mlir::Value value);
  /// The same, under a type that says so.
  mlir::Value toDense(mlir::Location loc, mlir::Value value);
  mlir::Value toChannelsFirst(mlir::Location loc, mlir::Value buffer);
  bool convertToLibrary(loop::KernelOp kernel, std::string &why);
  void convertView(loop::ViewOp view);
  mlir::LogicalResult convertReturn(mlir::func::ReturnOp op);

  /// A buffer of the layout `strides` (contiguous if empty) with the elements
  /// of `source` at `indices`.
  mlir::Value copy(mlir::Location loc, mlir::Value source,
                   llvm::ArrayRef<ExprAttr> indices,
                   mlir::RankedTensorType type,
                   llvm::ArrayRef<ExprAttr> strides);
  /// A new buffer with the elements of `source` in row-major order.
  mlir::Value clone(mlir::Location loc, mlir::Value source);
  /// Launches a kernel; `outputs` are written. What a scatter alone refers to
  /// is its output, which holds a copy of it by now.
  void launch(loop::KernelOp kernel, mlir::ValueRange outputs);
  mlir::Value alloc(mlir::Location loc, mlir::Type tensor,
                    llvm::ArrayRef<ExprAttr> strides = {},
                    DeviceAttr place = {}) {
    return AllocOp::create(
        b, loc,
        BufferType::get(llvm::cast<mlir::RankedTensorType>(tensor), strides,
                        place ? place : device));
  }
  BufferType getType(mlir::Value buffer) {
    return llvm::cast<BufferType>(buffer.getType());
  }

  mlir::func::FuncOp fn;
  KernelTable &kernels;
  /// The program's first device, and the one of the op that is converted.
  DeviceAttr home, device;
  /// Elements that the host reads as symbols.
  unsigned numHostReads = 0;
  bool isSeveral = false;
  mlir::OpBuilder b;
  mlir::DictionaryAttr ranges;
  /// Loops that count, for the names of their symbols.
  unsigned numLoops = 0;
  FuncOp result;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// Arguments that are elsewhere: the buffers that the caller passes.
  llvm::DenseMap<mlir::Value, mlir::Value> passed;
  /// Values on devices that they are not on otherwise.
  llvm::DenseMap<std::pair<mlir::Value, DeviceAttr>, mlir::Value> moved;
  /// Collectives that are waited for later, by their targets.
  llvm::DenseMap<mlir::Value, CollectiveOp> started;
};

/// Whether the storage of `buffer` is this program's own.
inline bool isOwned(mlir::Value buffer) {
  return llvm::isa_and_present<AllocOp, IfOp, WhileOp, ExternCallOp>(
      getStorage(buffer).getDefiningOp());
}

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_LOOPTOWRAPPER_OUTLINER_H
