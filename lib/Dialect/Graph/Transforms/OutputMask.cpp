//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputMask.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

LogicalResult
graph::replaceMasked(AtenCall &c, unsigned count,
                     llvm::function_ref<Value(unsigned number)> make) {
  auto outputs = c.op.getOutputs();
  SmallVector<int64_t> mask(count, 1);
  if (c.has("output_mask")) {
    auto given = c.getInts("output_mask");
    if (!given || given->size() != count)
      return c.fail("it is not known which gradients it gives");
    if (outputs.size() != count) {
      mask = *given;
      // Some are declared to give the first one in any case.
      if (llvm::count(mask, 0) + outputs.size() == count + 1)
        mask[0] = 1;
    }
  }
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i) {
    if (!mask[i])
      continue;
    bool isUsed =
        results.size() < outputs.size() && !outputs[results.size()].use_empty();
    results.push_back(isUsed ? make(i) : Value());
  }
  return c.replace(results);
}
