//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the source to the steps of the host program and back.
//
//===----------------------------------------------------------------------===//

#include "coil/Report/Provenance.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace coil;
using wrapper::CallHandles;
using wrapper::ComputeOpInterface;
using wrapper::Source;

std::string coil::describeKernel(loop::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "over [";
  llvm::interleaveComma(kernel.getDims().getDims(), os,
                        [&](sym::ExprAttr e) { os << e.str(); });
  os << ']';
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  if (!reduced.empty()) {
    os << ", reducing";
    for (unsigned d : reduced)
      os << " d" << d;
  }
  os << ", " << kernel.getInputs().size() << " read, " << kernel.getNumResults()
     << " written";
  if (loop::ScheduleAttrInterface any = kernel.getScheduleAttr()) {
    auto schedule = dyn_cast<loop::ScheduleAttr>(any);
    if (any.getLibrary())
      os << ", computed by " << any.getLibrary().getValue();
    else if (!schedule)
      os << ", " << any;
    else if (schedule.getVectorDim() >= 0)
      os << ", " << schedule.getVectorWidth() << " lanes along d"
         << schedule.getVectorDim();
    else
      os << ", scalar";
  }
  return text;
}

/// Appends what is not there yet.
template <typename T>
static void insertUnique(std::vector<T> &list, T value) {
  if (!llvm::is_contained(list, value))
    list.push_back(std::move(value));
}

std::vector<size_t> Provenance::getNodes(Operation *op) {
  std::vector<size_t> found;
  for (const Source &source : wrapper::getSources(op->getLoc())) {
    auto [it, isNew] = nodeIndices.try_emplace(source.str(), nodes.size());
    if (isNew) {
      ProvenanceNode node;
      node.name = source.node;
      node.line = source.line;
      if (!node.line.empty())
        lines[node.line].push_back(nodes.size());
      nodes.push_back(std::move(node));
    }
    insertUnique(found, it->second);
  }
  return found;
}

void Provenance::addOps(ModuleOp module,
                        std::vector<std::string> ProvenanceNode::*names) {
  module.walk([&](Operation *op) {
    if (!isa_and_present<graph::GraphDialect>(op->getDialect()))
      return;
    auto aten = dyn_cast<graph::AtenOp>(op);
    std::string name =
        aten ? aten.getName().str() : op->getName().getStringRef().str();
    for (size_t node : getNodes(op))
      insertUnique(nodes[node].*names, name);
  });
}

void Provenance::addCalls(ModuleOp module) {
  CallHandles handles(module);
  for (auto fn : module.getOps<wrapper::FuncOp>()) {
    loop::Hints hints(fn);
    fn.getBody().walk<WalkOrder::PreOrder>([&](ComputeOpInterface op) {
      ProvenanceCall call;
      call.handle = handles.get(op);
      call.function = fn.getName().str();
      call.op = op->getName().getStringRef().str();
      if (auto launch = dyn_cast<wrapper::LaunchOp>(*op)) {
        call.kernel = launch.getCallee().str();
        auto kernel = module.lookupSymbol<wrapper::KernelOp>(call.kernel);
        if (loop::KernelOp body = kernel ? kernel.getLoopKernel() : nullptr)
          call.description = describeKernel(body);
      }
      if (auto launch = dyn_cast<wrapper::LaunchUserOp>(*op)) {
        call.kernel = launch.getCallee().str();
        call.description = "a user's kernel";
      }
      if (auto cost =
              op->getAttrOfType<wrapper::CostAttr>(wrapper::kCostAttrName)) {
        call.bytes = static_cast<int64_t>(hints(cost.getBytes()));
        call.flops = static_cast<int64_t>(hints(cost.getFlops()));
      }
      call.nodes = getNodes(op);
      for (size_t node : call.nodes)
        nodes[node].calls.push_back(calls.size());
      calls.push_back(std::move(call));
    });
  }
}

void Provenance::addStage(Stage stage, ModuleOp module) {
  switch (stage) {
  case Stage::Input:
    return addOps(module, &ProvenanceNode::operators);
  case Stage::Graph:
    return addOps(module, &ProvenanceNode::graph);
  case Stage::Wrapper:
    return addCalls(module);
  case Stage::Loop: // The kernels of the next stage are these.
  case Stage::Native:
    return;
  }
}

llvm::json::Value Provenance::toJSON() const {
  using llvm::json::Array;
  using llvm::json::fixUTF8;
  using llvm::json::Object;
  auto toArray = [](const std::vector<std::string> &list) {
    Array array;
    for (const std::string &text : list)
      array.push_back(fixUTF8(text));
    return array;
  };
  auto getHandles = [&](const std::vector<size_t> &indices) {
    Array array;
    for (size_t i : indices)
      array.push_back(fixUTF8(calls[i].handle));
    return array;
  };
  auto getName = [&](size_t i) {
    return fixUTF8(Source{nodes[i].name, nodes[i].line}.str());
  };
  auto getNames = [&](const std::vector<size_t> &indices) {
    Array array;
    for (size_t i : indices)
      array.push_back(getName(i));
    return array;
  };
  Array nodeList, callList;
  Object kernels, lineMap;
  for (size_t i = 0; i < nodes.size(); ++i)
    nodeList.push_back(Object{{"id", getName(i)},
                              {"name", fixUTF8(nodes[i].name)},
                              {"line", fixUTF8(nodes[i].line)},
                              {"operators", toArray(nodes[i].operators)},
                              {"graph", toArray(nodes[i].graph)},
                              {"calls", getHandles(nodes[i].calls)}});
  for (const ProvenanceCall &call : calls) {
    Object entry{{"handle", fixUTF8(call.handle)},
                 {"function", fixUTF8(call.function)},
                 {"op", call.op},
                 {"nodes", getNames(call.nodes)}};
    if (!call.kernel.empty()) {
      entry["kernel"] = fixUTF8(call.kernel);
      llvm::json::Value &list = kernels[fixUTF8(call.kernel)];
      if (!list.getAsArray())
        list = Array();
      list.getAsArray()->push_back(fixUTF8(call.handle));
    }
    if (call.bytes >= 0) {
      entry["bytes"] = call.bytes;
      entry["flops"] = call.flops;
    }
    callList.push_back(std::move(entry));
  }
  for (const auto &[line, indices] : lines) {
    std::vector<size_t> used;
    for (size_t node : indices)
      for (size_t call : nodes[node].calls)
        insertUnique(used, call);
    lineMap[fixUTF8(line)] =
        Object{{"nodes", getNames(indices)}, {"calls", getHandles(used)}};
  }
  return Object{{"version", 1},
                {"nodes", std::move(nodeList)},
                {"calls", std::move(callList)},
                {"kernels", std::move(kernels)},
                {"lines", std::move(lineMap)}};
}
