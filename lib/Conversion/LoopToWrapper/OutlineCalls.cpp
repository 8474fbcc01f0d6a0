//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions become those of host programs. Where all sizes are
// known, results go into buffers of the program, so that planning decides where
// they are.
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "convert-loop-to-wrapper"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

Value Outliner::toDense(Location loc, Value value) {
  // Strides of single elements say nothing.
  Value buffer = makeDense(loc, value);
  if (getType(buffer).isContiguous())
    return buffer;
  return ReinterpretOp::create(
      b, loc,
      BufferType::get(cast<RankedTensorType>(value.getType()), {}, device),
      buffer, sym::constant(b.getContext(), 0));
}

LogicalResult Outliner::convertCustomCall(graph::CustomCallOp op) {
  if (isCollective(op))
    return convertCollective(op);
  Location loc = op.getLoc();
  remark::analysis(
      loc, remark::RemarkOpts::name("HostFunction").category(DEBUG_TYPE))
      << remark::add("calls the function '{0}', which has to be registered for "
                     "'{1}' where the program is loaded",
                     op.getCallee(), device.getKind());
  ArrayRef<int64_t> mutates = op.getMutates().value_or(ArrayRef<int64_t>());
  SmallVector<Value> inputs;
  SmallVector<Value> changed;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (llvm::is_contained(mutates,
                           static_cast<int64_t>(operand.getOperandNumber()))) {
      // A copy of what nobody needs any more is left out by planning.
      inputs.push_back(clone(loc, value));
      changed.push_back(inputs.back());
      continue;
    }
    // Functions get elements row by row.
    inputs.push_back(toDense(loc, value));
  }
  // A function of the runtime that has an op of its own.
  if (op.getCallee() == "coil::index_put" && changed.size() == 1 &&
      op.getNumGiven() == 0) {
    auto accumulate = cast<BoolAttr>(op.getArguments()[3]);
    IndexPutFallbackOp::create(
        b, loc, inputs.front(), cast<ArrayAttr>(op.getArguments()[1]),
        ArrayRef(inputs).drop_front().drop_back(), inputs.back(),
        accumulate.getValue() ? b.getUnitAttr() : UnitAttr());
    buffers[op.getResult(0)] = changed.front();
    return success();
  }
  auto given = op->getResults().take_front(op.getNumGiven());
  if (!op.getDefines() || op.getDefines()->empty()) {
    SmallVector<Value> outputs;
    for (OpResult result : given) {
      outputs.push_back(alloc(loc, result.getType()));
      buffers[result] = outputs.back();
    }
    ExternCallOutOp::create(b, loc, op.getCalleeAttr(), op.getArgumentsAttr(),
                            inputs, outputs, op.getNamesAttr(),
                            op.getMutatesAttr(), DenseI64ArrayAttr());
  } else {
    SmallVector<Type> types;
    for (OpResult result : given)
      types.push_back(BufferType::get(cast<RankedTensorType>(result.getType()),
                                      {}, device));
    auto call = ExternCallOp::create(b, loc, types, op.getCalleeAttr(),
                                     op.getArgumentsAttr(), inputs,
                                     op.getNamesAttr(), op.getMutatesAttr());
    for (StringRef name : op.getBoundSymbols()) {
      auto source = op.findSymbol(name);
      SmallVector<Attribute> path = {
          KeyAttr::get(b.getContext(), KeyKind::Size, source->dim)};
      if (source->divisor != 1)
        path.push_back(
            KeyAttr::get(b.getContext(), KeyKind::DivideBy, source->divisor));
      BindSymbolOp::create(b, loc, b.getStringAttr(name), b.getArrayAttr(path),
                           call.getResult(source->result));
    }
    for (auto [from, to] : llvm::zip(given, call.getResults())) {
      AssertLayoutOp::create(b, loc, to,
                             b.getStringAttr("result " +
                                             Twine(from.getResultNumber()) +
                                             " of " + op.getCallee()));
      buffers[from] = to;
    }
  }
  for (auto [result, buffer] :
       llvm::zip(op->getResults().drop_front(given.size()), changed))
    buffers[result] = buffer;
  return success();
}
