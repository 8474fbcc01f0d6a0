//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the LLVM function of one host program.
//
// The function is a chain of blocks: each runtime call ends one, since a status
// other than zero leaves for the exit. So what an earlier step computed is
// there for all later ones, and symbols, sizes and buffers are plain maps.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_WRAPPERTOLLVM_HOSTLOWERING_H
#define COIL_LIB_CONVERSION_WRAPPERTOLLVM_HOSTLOWERING_H

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace coil::wrapper {

class HostLowering {
public:
  /// `table` is that of the module, which receives declarations and data.
  HostLowering(FuncOp fn, mlir::SymbolTable &table);

  /// Emits the function; returns null after an error.
  mlir::LLVM::LLVMFuncOp run();

private:
  //===--- Program (HostLowering.cpp) -------------------------------------===//

  mlir::LLVM::LLVMFuncOp createFunction();
  mlir::LogicalResult checkInputs();
  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lower(InputSymbolOp op);
  mlir::LogicalResult lower(AssertOp op);
  mlir::LogicalResult lower(AssertLayoutOp op);
  mlir::LogicalResult lower(ConstantOp op);
  mlir::LogicalResult lower(AllocOp op);
  mlir::LogicalResult lower(FreeOp op);
  mlir::LogicalResult lower(CopyOp op);
  mlir::LogicalResult lower(ReturnOp op);

  //===--- Computation (LowerCompute.cpp) ---------------------------------===//

  mlir::LogicalResult lower(LaunchOp op);
  mlir::LogicalResult lower(ContractionOp op);
  mlir::LogicalResult lower(ConvolutionOp op);

  //===--- Tools (HostLowering.cpp) ---------------------------------------===//

  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  mlir::Value null();
  /// Value of an expression over bound symbols.
  mlir::Value value(sym::ExprAttr expr);
  /// The same, and whether a sum or product in it overflowed.
  std::pair<mlir::Value, mlir::Value> checkedValue(sym::ExprAttr expr);
  /// Address of a constant string.
  mlir::Value string(llvm::StringRef text);
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
  const DeviceInfo *getDevice(mlir::Operation *op, DeviceAttr device);
  std::optional<int32_t> getDType(mlir::Operation *op, mlir::Type type);
  mlir::Value inputTensor(mlir::Value arg);
  std::string inputName(mlir::Value arg);

  mlir::Value buffer(mlir::Value v) const { return buffers.lookup(v); }

  FuncOp fn;
  mlir::SymbolTable &table;
  mlir::ImplicitLocOpBuilder b;
  mlir::Type ptrType, i64Type, i32Type;
  sym::Context facts;
  mlir::LLVM::LLVMFuncOp result;
  mlir::Block *entry = nullptr, *exit = nullptr;
  mlir::Value runArg, inputsArg, outputsArg;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::StringMap<mlir::Value> symbols;
  llvm::DenseMap<sym::ExprAttr, mlir::Value> values;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> arrays;
  /// Scratch memory: the allocation and its count of values.
  llvm::SmallVector<std::pair<mlir::LLVM::AllocaOp, unsigned>> stack;
};

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_WRAPPERTOLLVM_HOSTLOWERING_H
