//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a host function that an interpreter makes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_HOSTCALL_H
#define COIL_LIB_REFERENCE_HOSTCALL_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Reference/Tensor.h"
#include "coil/Runtime/Functions.h"
#include "mlir/IR/Operation.h"

#include <deque>
#include <functional>
#include <vector>

namespace coil::reference {

/// Owns what the description of a call points to.
class HostCall {
public:
  using Evaluate = std::function<mlir::FailureOr<int64_t>(sym::ExprAttr)>;
  /// Makes the argument of the next placeholder; sets the flag, with a
  /// diagnostic, if it cannot.
  using NextOperand = std::function<coil_argument(HostCall &, bool &)>;

  /// Calls are part of `run`, which is made where it is null, or of a run of
  /// their own.
  HostCall(Evaluate evaluate, NextOperand next, coil_run **run = nullptr)
      : evaluate(std::move(evaluate)), next(std::move(next)),
        shared(run ? run : &handle) {}
  HostCall(const HostCall &) = delete;
  HostCall &operator=(const HostCall &) = delete;
  ~HostCall();

  coil_tensor makeTensor(DType dtype, llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> strides, void *data);
  coil_argument makeTensorArgument(coil_tensor tensor, bool isMutable);

  /// Calls the function that is registered for the CPU; a failure is a
  /// diagnostic at `op`. What is allocated lives as long as this.
  mlir::LogicalResult run(mlir::Operation *op, llvm::StringRef function,
                          mlir::ArrayAttr arguments, mlir::ArrayAttr names,
                          llvm::ArrayRef<coil_tensor> outputs,
                          llvm::MutableArrayRef<coil_tensor> results);

private:
  coil_argument makeArgument(mlir::Operation *op, mlir::Attribute argument,
                             bool &isWrong);
  coil_argument nextOperand(bool &isWrong) { return next(*this, isWrong); }

  Evaluate evaluate;
  NextOperand next;
  coil_run *handle = nullptr;
  coil_run **shared;
  std::deque<std::string> strings;
  std::deque<std::vector<coil_argument>> lists;
  std::deque<coil_tensor> tensors;
  std::deque<std::vector<int64_t>> shapes;
};

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_HOSTCALL_H
