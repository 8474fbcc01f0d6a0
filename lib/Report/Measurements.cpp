//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times in the directory of a compilation.
//
//===----------------------------------------------------------------------===//

#include "coil/Report/Measurements.h"

#include "DebugPage.h"
#include "Html.h"
#include "coil/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace coil;
using llvm::Error;
using llvm::StringRef;

/// What comes in place of the text between two marks of the page.
static bool replace(std::string &page, const std::string &mark,
                    StringRef text) {
  size_t begin = page.find(mark);
  if (begin == std::string::npos)
    return false;
  begin += mark.size();
  size_t end = page.find(kMarkEnd.data(), begin);
  if (end == std::string::npos)
    return false;
  page.replace(begin, end - begin, text.data(), text.size());
  return true;
}

static llvm::Expected<std::string> read(StringRef directory, StringRef name) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  return (*file)->getBuffer().str();
}

static Error write(StringRef directory, StringRef name, StringRef text) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return writeFile(path, text);
}

/// A time in the middle of several steps.
static StepTime getMiddle(std::vector<const StepTime *> steps) {
  auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end(),
                   [](const StepTime *a, const StepTime *b) {
                     return a->medianSeconds < b->medianSeconds;
                   });
  return **middle;
}

Error coil::addMeasurements(StringRef directory, llvm::ArrayRef<StepTime> steps,
                            StringRef where, unsigned runs) {
  llvm::Expected<std::string> text = read(directory, "kernels.json");
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value)
    return value.takeError();
  llvm::Expected<std::string> page = read(directory, "index.html");
  if (!page)
    return page.takeError();
  auto *root = value->getAsObject();
  auto *calls = root ? root->getArray("calls") : nullptr;
  if (!calls || !llvm::all_of(*calls, [](const llvm::json::Value &call) {
        return call.getAsObject();
      }))
    return llvm::createStringError("'kernels.json' in '" + directory +
                                   "' has no list of calls");
  auto otherPage = [&] {
    return llvm::createStringError("'index.html' in '" + directory +
                                   "' is of another compilation than "
                                   "'kernels.json'");
  };

  llvm::StringMap<std::vector<const StepTime *>> measured;
  for (const StepTime &step : steps)
    measured[step.name].push_back(&step);
  struct Use {
    size_t calls = 0, next = 0;
    llvm::StringSet<> functions;
  };
  llvm::StringMap<Use> uses;
  auto getName = [](const llvm::json::Object &call) {
    return call.getString("handle").value_or("").rsplit(':').first;
  };
  for (const llvm::json::Value &each : *calls) {
    const auto *call = each.getAsObject();
    Use &use = uses[getName(*call)];
    ++use.calls;
    use.functions.insert(call->getString("function").value_or(""));
  }
  for (llvm::json::Value &each : *calls) {
    auto *call = each.getAsObject();
    auto found = measured.find(getName(*call));
    if (found == measured.end())
      continue; // It did not run, or as part of something else.
    Use &use = uses[getName(*call)];
    const auto &list = found->getValue();
    bool isOwn = use.functions.size() == 1 && use.calls == list.size();
    StepTime time = isOwn ? *list[use.next++] : getMiddle(list);
    (*call)["median_seconds"] = time.medianSeconds;
    (*call)["fastest_seconds"] = time.fastestSeconds;
    (*call)["launches"] = isOwn ? 1 : static_cast<int64_t>(list.size());
    if (time.roofline) {
      (*call)["roofline"] = *time.roofline;
      (*call)["bound"] = time.isComputeBound ? "compute" : "memory";
    }
    std::string cells;
    llvm::raw_string_ostream os(cells);
    os << "<td class=\"n\">"
       << llvm::format("%.2f us", time.medianSeconds * 1e6);
    if (!isOwn)
      os << " (of " << list.size() << ")";
    os << "<td class=\"n\">";
    if (time.roofline)
      os << llvm::format("%.3f ", *time.roofline)
         << (time.isComputeBound ? "compute" : "memory");
    else
      os << "n/a";
    if (!replace(*page, getTimeMark(call->getString("handle").value_or("")),
                 cells))
      return otherPage();
  }
  (*root)["measured"] = llvm::json::Object{
      {"where", where}, {"runs", static_cast<int64_t>(runs)}};
  std::string note;
  llvm::raw_string_ostream(note)
      << "Times are medians of " << runs << (runs == 1 ? " run" : " runs")
      << " on the " << html::escape(where)
      << ", with the part of the roofline that they reach; a step without one "
         "did not run.";
  if (!replace(*page, kTimesMark.str(), note))
    return otherPage();
  if (Error error = write(directory, "kernels.json",
                          llvm::formatv("{0:2}\n", *value).str()))
    return error;
  return write(directory, "index.html", *page);
}
