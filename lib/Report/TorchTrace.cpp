//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of a trace is a line with JSON after a prefix of glog, and a payload
// in lines that begin with a tab.
//
//===----------------------------------------------------------------------===//

#include "TorchTrace.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;

void TorchTrace::add(Object entry, StringRef payload) {
  entry["frame_id"] = 0;
  entry["frame_compile_id"] = 0;
  entry["attempt"] = 0;
  llvm::MD5 hash;
  hash.update(payload);
  entry["has_payload"] = std::string(hash.final().digest());
  llvm::raw_string_ostream os(trace);
  os << "V0101 00:00:00.000000 1 coil/Report/TorchTrace.cpp:1] "
     << llvm::json::Value(std::move(entry)) << '\n';
  for (StringRef line : llvm::split(payload, '\n'))
    os << '\t' << line << '\n';
}

void TorchTrace::addCode(StringRef file, StringRef text) {
  add(Object{{"inductor_output_code", Object{{"filename", file}}}},
      fixUTF8(text));
}

void TorchTrace::addArtifact(StringRef name, StringRef encoding,
                             StringRef text) {
  add(Object{{"artifact", Object{{"name", name}, {"encoding", encoding}}}},
      fixUTF8(text));
}

void TorchTrace::addArtifact(StringRef name, llvm::json::Value value) {
  addArtifact(name, "json", llvm::formatv("{0:2}", value).str());
}

/// Appends to a list of an object.
static void append(Object &object, StringRef key, StringRef value) {
  llvm::json::Value &list = object[fixUTF8(key)];
  if (!list.getAsArray())
    list = Array();
  list.getAsArray()->push_back(fixUTF8(value));
}

/// "model.py:17" as Python writes a frame of a stack.
static std::string describeFrame(StringRef line, StringRef step) {
  auto [file, number] = line.rsplit(':');
  return llvm::formatv("  File \"{0}\", line {1}, in {2}\n", file, number, step)
      .str();
}

void TorchTrace::addProvenance(const Provenance &provenance) {
  Object steps, nodes, sources;
  for (const ProvenanceCall &call : provenance.getCalls()) {
    sources[fixUTF8(call.handle)] = Array();
    llvm::StringMap<bool> named;
    for (size_t index : call.nodes) {
      const ProvenanceNode &node = provenance.getNodes()[index];
      // Nodes of a graph have names, those of a module by hand only lines.
      StringRef name = node.name.empty() ? node.line : node.name;
      if (named.try_emplace(name, true).second) {
        append(steps, call.handle, name);
        append(nodes, name, call.handle);
      }
      if (!node.line.empty() &&
          named.try_emplace("line " + node.line, true).second)
        append(sources, call.handle, describeFrame(node.line, call.handle));
    }
  }
  addArtifact("inductor_provenance_tracking_node_mappings",
              Object{{"preToPost", Object()},
                     {"postToPre", Object()},
                     {"cppCodeToPost", std::move(steps)},
                     {"postToCppCode", std::move(nodes)},
                     {"version", 2.0}});
  addArtifact("inductor_provenance_tracking_kernel_stack_traces",
              std::move(sources));
}
