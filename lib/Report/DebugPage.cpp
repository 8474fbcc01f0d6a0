//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page of a debug directory, section by section.
//
//===----------------------------------------------------------------------===//

#include "DebugPage.h"

#include "Html.h"

#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using llvm::StringRef;

namespace {
class Page {
public:
  Page(const DebugRecord &record, llvm::raw_ostream &os)
      : record(record), os(os), nodes(record.provenance.getNodes()),
        calls(record.provenance.getCalls()) {}

  void print();

private:
  void printSummary();
  void printErrors();
  void printStages();
  void printCalls();
  void printSource();
  void printRemarks();
  void printFilter(StringRef table, StringRef what);
  void printCallLinks(const std::vector<size_t> &indices);
  static std::string link(StringRef file, StringRef text);
  static std::string getName(const ProvenanceNode &node) {
    return wrapper::Source{node.name, node.line}.str();
  }

  const DebugRecord &record;
  llvm::raw_ostream &os;
  const std::vector<ProvenanceNode> &nodes;
  const std::vector<ProvenanceCall> &calls;
};
} // namespace

/// Shows the rows of a table that have the text of a field.
static constexpr const char *kScript = R"(<script>
for (const field of document.querySelectorAll("input[data-table]")) {
  const rows = document.getElementById(field.dataset.table).tBodies[0].rows;
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of rows)
      row.hidden = row.querySelector("td") &&
                   !row.textContent.toLowerCase().includes(wanted);
  });
}
</script>
)";

std::string Page::link(StringRef file, StringRef text) {
  std::string url;
  for (char c : file)
    // All that a path of ours holds and a link must not.
    if (c == '%' || c == '#' || c == '?')
      url += "%" + std::string(c == '%' ? "25" : c == '#' ? "23" : "3F");
    else
      url += c;
  return "<a href=\"" + html::escape(url) + "\">" + html::escape(text) + "</a>";
}

void Page::printFilter(StringRef table, StringRef what) {
  os << "<p><input type=\"search\" data-table=\"" << table
     << "\" aria-label=\"Filter " << what << "\" placeholder=\"Filter " << what
     << "\"></p>\n";
}

void Page::printSummary() {
  size_t launches = 0;
  int64_t bytes = 0, flops = 0;
  for (const ProvenanceCall &call : calls) {
    launches += !call.kernel.empty();
    bytes += std::max<int64_t>(call.bytes, 0);
    flops += std::max<int64_t>(call.flops, 0);
  }
  double seconds = 0;
  for (const StageRecord &stage : record.stages)
    seconds += stage.seconds;
  os << "<dl>";
  for (const auto &[name, value] : record.options)
    os << "<dt>" << html::escape(name) << "<dd><code>" << html::escape(value)
       << "</code>";
  os << "<dt>nodes of the model<dd>" << nodes.size()
     << "<dt>kernel launches<dd>" << launches << "<dt>library calls<dd>"
     << calls.size() - launches << "<dt>least bytes moved<dd>"
     << html::formatBytes(bytes) << "<dt>operations<dd>"
     << html::formatCount(flops);
  for (const MemoryUse &use : record.memory)
    os << "<dt>peak of <code>" << html::escape(use.function) << "</code><dd>"
       << html::formatBytes(use.peak);
  os << llvm::format("<dt>stages took<dd>%.1f ms</dl>\n", seconds * 1e3);
}

void Page::printErrors() {
  if (record.errors.empty())
    return;
  os << "<h2 id=\"errors\">Compilation failed</h2>\n<ul>\n";
  for (const std::string &error : record.errors)
    os << "<li><code>" << html::escape(error) << "</code></li>\n";
  os << "</ul>\n";
}

void Page::printStages() {
  os << "<h2 id=\"stages\">Stages</h2>\n<table>\n<tr><th>stage<th>what it "
        "holds<th class=\"n\">operations<th class=\"n\">ms</tr>\n";
  for (const StageRecord &stage : record.stages)
    os << "<tr><td>" << link(stage.file, stringifyStage(stage.stage)) << "<td>"
       << html::escape(describeStage(stage.stage)) << "<td class=\"n\">"
       << stage.ops
       << llvm::format("<td class=\"n\">%.2f</tr>\n", stage.seconds * 1e3);
  os << "</table>\n<p>Each can be edited and resumed from: <code>coil-compile "
        "3-wrapper.mlir</code>, <code>coil-run 2-loop.mlir</code>.</p>\n";
  os << "<table>\n<tr><th>file<th>what it holds</tr>\n";
  for (const auto &[file, what] : record.files)
    os << "<tr><td>" << link(file, file) << "<td>" << html::escape(what)
       << "</tr>\n";
  os << "</table>\n";
}

std::string coil::getTimeMark(StringRef handle) {
  return "<!--time " + html::anchor("call", handle) + "-->";
}

void Page::printCalls() {
  os << "<h2 id=\"calls\">Kernels and library calls</h2>\n";
  printFilter("call-table", "calls");
  os << "<div class=\"scroll\"><table id=\"call-table\"><tbody>\n<tr><th>handle"
        "<th>computes<th>from<th class=\"n\">bytes<th class=\"n\">operations"
        "<th class=\"n\">median<th class=\"n\">roofline</tr>\n";
  for (const ProvenanceCall &call : calls) {
    os << "<tr id=\"" << html::anchor("call", call.handle) << "\"><td><code>"
       << html::escape(call.handle) << "</code>";
    auto files = record.kernelFiles.find(call.kernel);
    if (files != record.kernelFiles.end())
      for (const std::string &file : files->getValue())
        os << " " << link(file, StringRef(file).rsplit('.').second);
    os << "<td>"
       << html::escape(call.description.empty() ? call.op : call.description)
       << "<td>";
    for (size_t i : call.nodes)
      os << "<a href=\"#" << html::anchor("node", getName(nodes[i])) << "\">"
         << html::escape(getName(nodes[i])) << "</a> ";
    if (call.bytes >= 0)
      os << "<td class=\"n\">" << html::formatBytes(call.bytes)
         << "<td class=\"n\">" << html::formatCount(call.flops);
    else
      os << "<td class=\"n\">n/a<td class=\"n\">n/a";
    os << getTimeMark(call.handle)
       << "<td class=\"n\">not measured<td class=\"n\">not measured" << kMarkEnd
       << "</tr>\n";
  }
  os << "</tbody></table></div>\n<p class=\"note\">Bytes and operations are "
        "the "
        "least that a step has to move and compute, at the hints of the "
        "symbols. "
     << kTimesMark
     << "Times were not measured: <code>coil-run --debug-dir "
        "--per-kernel</code> does that."
     << kMarkEnd << "</p>\n";
}

void Page::printCallLinks(const std::vector<size_t> &indices) {
  for (size_t i : indices)
    os << "<a href=\"#" << html::anchor("call", calls[i].handle) << "\"><code>"
       << html::escape(calls[i].handle) << "</code></a> ";
}

void Page::printSource() {
  os << "<h2 id=\"source\">Source</h2>\n";
  printFilter("node-table", "nodes");
  os << "<div class=\"scroll\"><table id=\"node-table\"><tbody>\n<tr><th>line"
        "<th>node<th>operators<th>after decomposition<th>computed by</tr>\n";
  auto printNode = [&](const ProvenanceNode &node) {
    os << "<tr id=\"" << html::anchor("node", getName(node)) << "\"><td><code>"
       << html::escape(node.line) << "</code><td><code>"
       << html::escape(node.name) << "</code><td>"
       << html::escape(llvm::join(node.operators, ", ")) << "<td>"
       << html::escape(llvm::join(node.graph, ", ")) << "<td>";
    if (node.calls.empty())
      os << "<span class=\"note\">no step of its own: a view, a constant, or "
            "not needed</span>";
    printCallLinks(node.calls);
    os << "</tr>\n";
  };
  for (const auto &[line, indices] : record.provenance.getLines())
    for (size_t i : indices)
      printNode(nodes[i]);
  for (const ProvenanceNode &node : nodes)
    if (node.line.empty())
      printNode(node);
  os << "</tbody></table></div>\n";
}

void Page::printRemarks() {
  os << "<h2 id=\"decisions\">Decisions</h2>\n";
  if (record.remarks.empty()) {
    os << "<p>No pass had anything to decide.</p>\n";
    return;
  }
  printFilter("remark-table", "decisions");
  os << "<div class=\"scroll\"><table id=\"remark-table\"><tbody>\n<tr><th>pass"
        "<th>outcome<th>what<th>where</tr>\n";
  for (const RemarkRecord &remark : record.remarks)
    os << "<tr><td><code>" << html::escape(remark.category) << "</code><td>"
       << html::escape(remark.kind) << "<td>" << html::escape(remark.text)
       << "<td><code>" << html::escape(remark.place) << "</code></tr>\n";
  os << "</tbody></table></div>\n";
}

void Page::print() {
  html::printHead(os, record.model);
  printSummary();
  printErrors();
  os << "<p><a href=\"#stages\">Stages</a> &middot; <a "
        "href=\"#calls\">Kernels</a> &middot; <a href=\"#memory\">Memory</a> "
        "&middot; <a href=\"#source\">Source</a> &middot; <a "
        "href=\"#decisions\">Decisions</a></p>\n";
  printStages();
  printCalls();
  os << "<h2 id=\"memory\">Memory over time</h2>\n";
  printMemoryHTML(record.memory, os);
  printSource();
  printRemarks();
  os << kScript;
  html::printFoot(os);
}

void coil::printDebugPage(const DebugRecord &record, llvm::raw_ostream &os) {
  Page(record, os).print();
}
