//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An emitter: the steps of a host program as a Graphviz graph, with an edge for
// each buffer that a step takes from another.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Target/HostText.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace wrapper = coil::wrapper;

static LogicalResult emitDot(ModuleOp module, llvm::raw_ostream &os,
                             llvm::StringRef source) {
  os << "// Made by coil-compile --emit=dot";
  if (!source.empty())
    os << " from " << source;
  os << '\n';
  for (auto function : module.getOps<wrapper::FuncOp>()) {
    os << "digraph \"" << function.getName() << "\" {\n";
    unsigned count = 0;
    // The last step that wrote a buffer.
    llvm::DenseMap<Value, unsigned> writers;
    function.walk([&](wrapper::LaunchOp launch) {
      unsigned number = count++;
      os << "  step" << number << " [label=\"" << launch.getCallee()
         << "\"];\n";
      for (Value input : launch.getInputs())
        if (auto writer = writers.find(input); writer != writers.end())
          os << "  step" << writer->second << " -> step" << number << ";\n";
      for (Value output : launch.getOutputs())
        writers[output] = number;
    });
    os << "}\n";
  }
  return success();
}

void accel::registerEmitters() {
  coil::registerHostEmitter("dot", "write launches as a Graphviz graph",
                            emitDot);
}
