//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams, events and memory of process groups in the interpreter. It does one
// thing after another, which is an order that every program allows. Collectives
// are calls of host functions.
//
//===----------------------------------------------------------------------===//

#include "HostActivation.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using namespace coil::wrapper;

LogicalResult HostActivation::run(CommAllocOp op) {
  auto memory = allocate(op, cast<BufferType>(op.getType()).getStorageBytes());
  if (failed(memory))
    return failure();
  values[op] = {std::move(*memory)};
  return success();
}

LogicalResult HostActivation::run(CommFreeOp op) {
  return endStorage(op, op.getSource());
}

LogicalResult HostActivation::run(StreamOp op) {
  return runBlock(op.getBody().front());
}

LogicalResult HostActivation::run(RecordEventOp) { return success(); }
LogicalResult HostActivation::run(WaitEventOp) { return success(); }

void HostActivation::noteCollective(Operation *op) {
  if (auto started = dyn_cast<CollectiveOp>(op))
    inFlight[started.getToken()] = {values[started.getSource()].memory,
                                    values[started.getTarget()].memory};
  else if (auto wait = dyn_cast<WaitOp>(op))
    inFlight.erase(wait.getToken());
}

LogicalResult HostActivation::checkNotInFlight(Operation *op,
                                               const HostMemory &memory) {
  for (const auto &[token, memories] : inFlight)
    for (const auto &each : memories)
      if (each.get() == &memory) {
        InFlightDiagnostic diag =
            op->emitError("ends storage that a collective still uses");
        diag.attachNote(token.getLoc()) << "it was started here";
        return diag;
      }
  return success();
}
