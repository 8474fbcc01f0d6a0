//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions as nodes of torch.fx.
//
//===----------------------------------------------------------------------===//

#include "FXEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult FXEmitter::emitHostCall(HostCallOpInterface call) {
  for (Value v : call->getOperands())
    if (isa<ObjectType>(v.getType()) && objects.lookup(v) != graph)
      emitObject(v);
  SmallVector<std::string> outputs;
  for (Value v : call.getCallOutputs())
    outputs.push_back(name(v));
  auto values = fakeResults(call, call.getCallResults(), std::nullopt);
  if (!values)
    return failure();
  // torch's operators take numbers where the graph has tensors of rank zero.
  bool hasScalars = llvm::any_of(call->getOperandTypes(), [](Type type) {
    return !isa<BufferType>(type);
  });
  auto function =
      hasScalars ? std::optional<std::string>() : torchFunction(call);
  auto arguments = function ? torchArguments(call) : callArguments(call);
  auto place = callPlace(call);
  if (!arguments || !place)
    return failure();
  std::string step = stepArgument(call.getOperation());
  if (!function) {
    std::string text = "host.call, " + *arguments + *place;
    if (!outputs.empty())
      text += ", outs=" + tuple(outputs);
    if (call.getCallResults().size() == 0) {
      out.line(graph + ".check(" + text + step + ")");
      return success();
    }
    auto results = callResults(call);
    if (!results)
      return failure();
    std::string node = getLocals().numbered("result");
    out.line(node + " = " + graph + ".call(" + text + ", results=" + *results +
             ", val=" + *values + step + ")");
    return emitResults(node, call.getCallResults(), std::nullopt);
  }
  // Of destinations, the values are what the operator gives.
  std::string given = *values;
  size_t count = call.getCallResults().size();
  if (!outputs.empty()) {
    SmallVector<std::string> parts;
    for (const std::string &each : outputs)
      parts.push_back(each + ".meta[\"val\"]");
    given = tuple(parts);
    count = outputs.size();
  }
  if (count == 0) {
    out.line(graph + ".check(" + *function + ", " + *arguments + step + ")");
    return success();
  }
  std::string node = getLocals().numbered("result");
  out.line(node + " = " + graph + ".call(" + *function + ", " + *arguments +
           ", val=" + given + (count == 1 ? "[0]" : "") + step + ")");
  // An operator may give a list of one, and elements in any order.
  std::string flat = getLocals().numbered("result");
  out.line(flat + " = " + graph + ".call(host.flatten, " + node +
           ", val=" + given + ")");
  if (outputs.empty())
    return emitResults(flat, call.getCallResults(), std::nullopt);
  for (auto [i, each] : llvm::enumerate(outputs))
    out.line(this->call("aten.copy_.default", each + ", " + graph + ".get(" +
                                                  flat + ", " +
                                                  std::to_string(i) + ")"));
  return success();
}
