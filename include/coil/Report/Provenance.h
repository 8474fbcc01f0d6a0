//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What became of each node of a model: from a line of its source to operators,
// kernels and the steps of the host program, and back.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REPORT_PROVENANCE_H
#define COIL_REPORT_PROVENANCE_H

#include "coil/Pipelines/Pipelines.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil {

namespace loop {
class KernelOp;
} // namespace loop

/// A step of the host program that computes.
struct ProvenanceCall {
  /// "softmax_0:3", unique in the program.
  std::string handle;
  std::string function;
  /// "wrapper.launch", "wrapper.contraction".
  std::string op;
  /// The kernel that is launched; empty for library calls.
  std::string kernel;
  /// The space of the kernel and how it is scheduled, in words; may be empty.
  std::string description;
  /// Indices of nodes.
  std::vector<size_t> nodes;
  /// At the hints of the symbols; -1 when unknown.
  int64_t bytes = -1, flops = -1;
};

/// A node of the model, or a line of a module that was written by hand.
struct ProvenanceNode {
  std::string name, line;
  /// Names of its operators as imported, and after decomposition.
  std::vector<std::string> operators, graph;
  /// Indices of calls.
  std::vector<size_t> calls;
};

/// Lines of a source with the indices of their nodes.
using ProvenanceLines = llvm::MapVector<std::string, std::vector<size_t>,
                                        llvm::StringMap<unsigned>>;

/// Collected stage by stage, from the locations of ops alone.
class Provenance {
public:
  /// Adds what a module says that is at `stage`. Stages come in order; any may
  /// be missing.
  void addStage(Stage stage, mlir::ModuleOp module);

  const std::vector<ProvenanceCall> &getCalls() const { return calls; }
  const std::vector<ProvenanceNode> &getNodes() const { return nodes; }
  /// In the order of the program.
  const ProvenanceLines &getLines() const { return lines; }

  /// {"version": 1, "nodes": [...], "calls": [...], "kernels": {...},
  /// "lines": {...}}; they refer to each other by name, node by "name (line)"
  /// where a name is not enough, and calls by their handles.
  llvm::json::Value toJSON() const;

private:
  std::vector<size_t> getNodes(mlir::Operation *op);
  void addOps(mlir::ModuleOp module,
              std::vector<std::string> ProvenanceNode::*names);
  void addCalls(mlir::ModuleOp module);

  std::vector<ProvenanceNode> nodes;
  std::vector<ProvenanceCall> calls;
  llvm::StringMap<size_t> nodeIndices;
  ProvenanceLines lines;
};

/// "over [s0, 64], reducing d1, 2 read, 1 written, 16 lanes along d1".
std::string describeKernel(loop::KernelOp kernel);

} // namespace coil

#endif // COIL_REPORT_PROVENANCE_H
