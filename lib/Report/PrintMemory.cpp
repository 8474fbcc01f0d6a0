//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory plans as JSON, as pictures and as pages.
//
//===----------------------------------------------------------------------===//

#include "Html.h"

#include "coil/Report/MemoryReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace coil;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Object toJSON(const MemoryUse &use) {
  Array steps, allocations, buffers, inUse;
  for (const std::string &step : use.steps)
    steps.push_back(llvm::json::fixUTF8(step));
  for (int64_t bytes : use.inUse)
    inUse.push_back(bytes);
  for (const MemoryAllocation &a : use.allocations)
    allocations.push_back(Object{{"device", llvm::json::fixUTF8(a.device)},
                                 {"pool", a.isPool},
                                 {"bytes", a.bytes},
                                 {"begin", a.begin},
                                 {"end", a.end}});
  for (const MemoryBuffer &b : use.buffers)
    buffers.push_back(Object{{"name", b.name},
                             {"type", llvm::json::fixUTF8(b.type)},
                             {"writer", llvm::json::fixUTF8(b.writer)},
                             {"source", llvm::json::fixUTF8(b.source)},
                             {"allocation", b.allocation},
                             {"offset", b.offset},
                             {"bytes", b.bytes},
                             {"begin", b.begin},
                             {"end", b.end}});
  return Object{{"name", llvm::json::fixUTF8(use.function)},
                {"peak", use.peak},
                {"peak_step", use.peakStep},
                {"peak_for", llvm::json::fixUTF8(use.peakName)},
                {"planned_peak", use.plannedPeak},
                {"lower_bound", use.lowerBound},
                {"input_bytes", use.inputBytes},
                {"weight_bytes", use.weightBytes},
                {"steps", std::move(steps)},
                {"in_use", std::move(inUse)},
                {"allocations", std::move(allocations)},
                {"buffers", std::move(buffers)}};
}

llvm::json::Value coil::toJSON(const std::vector<MemoryUse> &uses) {
  Array functions;
  for (const MemoryUse &use : uses)
    functions.push_back(::toJSON(use));
  return Object{{"version", 1}, {"functions", std::move(functions)}};
}

//===----------------------------------------------------------------------===//
// Picture
//===----------------------------------------------------------------------===//

namespace {
/// Where things are in the picture, in its units.
struct Frame {
  static constexpr double width = 1000, height = 320, left = 80, right = 8,
                          top = 18, bottom = 22;

  Frame(const MemoryUse &use) : end(use.steps.size()), begin(end) {
    bytes = double(std::max(use.peak, use.lowerBound));
    for (const MemoryAllocation &a : use.allocations) {
      bytes = std::max(bytes, double(a.shownAt + a.bytes));
      begin = std::min(begin, a.begin);
    }
    bytes = std::max(bytes, 1.0);
    steps = std::max(double(end - begin), 1.0);
  }
  double x(double step) const {
    return left + (width - left - right) * (step - double(begin)) / steps;
  }
  double y(double value) const {
    return height - bottom - (height - top - bottom) * value / bytes;
  }

  /// Nothing is allocated before `begin`.
  size_t end, begin;
  double steps, bytes;
};
} // namespace

/// The largest buffers alone are in the picture, and in the table.
static constexpr size_t kMaxBoxes = 4000, kMaxRows = 200;

/// The indices of the largest buffers, by size.
static std::vector<size_t> getLargest(const MemoryUse &use, size_t most) {
  std::vector<size_t> order(use.buffers.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return use.buffers[a].bytes > use.buffers[b].bytes;
  });
  if (order.size() > most)
    order.resize(most);
  return order;
}

/// A colour for each buffer; neighbours differ.
static std::string getColor(size_t index, bool isPool) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "hsl(" << (index * 137) % 360 << (isPool ? ",0%,75%)" : ",55%,60%)");
  return text;
}

static void printLevel(const Frame &frame, int64_t bytes, StringRef name,
                       StringRef dash, bool above, llvm::raw_ostream &os) {
  double y = frame.y(double(bytes));
  os << llvm::format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" ",
                     Frame::left, Frame::width - Frame::right, y, y)
     << "stroke=\"currentColor\" stroke-dasharray=\"" << dash << "\"/>"
     << llvm::format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                     Frame::width - Frame::right - 4, above ? y - 4 : y + 12)
     << name << " " << html::formatBytes(bytes) << "</text>\n";
}

void coil::printMemorySVG(const MemoryUse &use, llvm::raw_ostream &os) {
  Frame frame(use);
  os << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
                     "%.0f %.0f\" role=\"img\" width=\"100%%\">",
                     Frame::width, Frame::height)
     << "<title>Memory of " << html::escape(use.function)
     << " over its steps</title>\n";
  auto printBox = [&](size_t begin, size_t end, int64_t at, int64_t bytes,
                      const std::string &color, StringRef cls,
                      const std::string &title) {
    double x = frame.x(double(begin)), y = frame.y(double(at + bytes));
    os << llvm::format(
              "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
              "height=\"%.2f\" ",
              cls.str().c_str(), x, y, std::max(frame.x(double(end)) - x, 0.5),
              std::max(frame.y(double(at)) - y, 0.5))
       << "fill=\"" << color
       << "\" stroke=\"#0003\" stroke-width=\"0.5\"><title>"
       << html::escape(title) << "</title></rect>\n";
  };
  for (const MemoryAllocation &a : use.allocations)
    if (a.isPool)
      printBox(a.begin, a.end, a.shownAt, a.bytes, getColor(0, true), "p",
               "pool on " + a.device + ", " + html::formatBytes(a.bytes));
  for (size_t i : getLargest(use, kMaxBoxes)) {
    const MemoryBuffer &b = use.buffers[i];
    const MemoryAllocation &a = use.allocations[b.allocation];
    printBox(
        b.begin, b.end, a.shownAt + b.offset, b.bytes, getColor(i, false), "b",
        b.name + ", " + html::formatBytes(b.bytes) + ", steps " +
            std::to_string(b.begin) + " to " + std::to_string(b.end) + "\n" +
            b.type + (b.writer.empty() ? "" : "\nwritten by " + b.writer) +
            (b.source.empty() ? "" : "\nfrom " + b.source));
  }
  // What is in use, as a line of stairs.
  os << "<polyline fill=\"none\" stroke=\"currentColor\" points=\"";
  for (size_t i = frame.begin, next = i; i < frame.end; i = next) {
    while (next < frame.end && use.inUse[next] == use.inUse[i])
      ++next;
    double y = frame.y(double(use.inUse[i]));
    os << llvm::format("%.2f,%.2f %.2f,%.2f ", frame.x(double(i)), y,
                       frame.x(double(next)), y);
  }
  os << "\"/>\n";
  printLevel(frame, use.peak, "peak", "none", true, os);
  if (use.lowerBound != use.peak)
    printLevel(frame, use.lowerBound, "lower bound", "4 3", false, os);
  os << llvm::format("<text x=\"%.1f\" y=\"%.1f\">0</text>", Frame::left - 14,
                     Frame::height - Frame::bottom)
     << llvm::format("<text x=\"%.1f\" y=\"%.1f\">", Frame::left,
                     Frame::height - 6)
     << "steps " << frame.begin << " to " << frame.end
     << "; the most memory at step " << use.peakStep;
  if (!use.peakName.empty())
    os << ", for " << html::escape(use.peakName);
  os << "</text>\n</svg>\n";
}

//===----------------------------------------------------------------------===//
// Page
//===----------------------------------------------------------------------===//

static void printTable(const MemoryUse &use, llvm::raw_ostream &os) {
  std::vector<size_t> order = getLargest(use, kMaxRows);
  size_t hidden = use.buffers.size() - order.size();
  os << "<details><summary>Buffers, the largest first</summary>\n<div "
        "class=\"scroll\"><table>\n<tr><th>buffer<th class=\"n\">bytes"
        "<th class=\"n\">steps<th>at peak<th>written by<th>source</tr>\n";
  for (size_t i : order) {
    const MemoryBuffer &b = use.buffers[i];
    bool atPeak = b.begin <= use.peakStep && use.peakStep < b.end;
    os << "<tr><td><code title=\"" << html::escape(b.type) << "\">" << b.name
       << "</code><td class=\"n\">" << html::formatBytes(b.bytes)
       << "<td class=\"n\">" << b.begin << "&ndash;" << b.end << "<td>"
       << (atPeak ? "yes" : "") << "<td><code>" << html::escape(b.writer)
       << "</code><td>" << html::escape(b.source) << "</tr>\n";
  }
  os << "</table></div>\n";
  if (hidden)
    os << "<p class=\"note\">" << hidden
       << " smaller buffers are in memory.json only.</p>\n";
  os << "</details>\n";
}

void coil::printMemoryHTML(const std::vector<MemoryUse> &uses,
                           llvm::raw_ostream &os) {
  if (uses.empty())
    os << "<p>No function of the program was planned.</p>\n";
  for (const MemoryUse &use : uses) {
    os << "<h3><code>" << html::escape(use.function)
       << "</code></h3>\n<dl><dt>peak<dd>" << html::formatBytes(use.peak)
       << "<dt>lower bound<dd>" << html::formatBytes(use.lowerBound)
       << "<dt>inputs<dd>" << html::formatBytes(use.inputBytes)
       << "<dt>weights<dd>" << html::formatBytes(use.weightBytes)
       << "<dt>allocations<dd>" << use.allocations.size() << " for "
       << use.buffers.size() << " buffers</dl>\n";
    if (use.buffers.empty())
      continue;
    printMemorySVG(use, os);
    printTable(use, os);
  }
  os << "<p class=\"note\">Bytes at the hints of the symbols, each allocation "
        "rounded up to its device's alignment. Inputs, weights and literals "
        "are not in the picture. The lower bound is the largest sum of buffers "
        "that are alive at a time, in this order of the steps.</p>\n";
}

void coil::printMemoryPage(const std::vector<MemoryUse> &uses, StringRef model,
                           llvm::raw_ostream &os) {
  html::printHead(os, "Memory of " + model.str());
  printMemoryHTML(uses, os);
  html::printFoot(os);
}
