//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands candidates to workers, and decides by what they say.
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "Candidates.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Reference/Tensor.h"
#include "coil/Support/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace coil;
using llvm::Error;
using llvm::Expected;
using loop::ScheduleAttrInterface;
namespace json = llvm::json;

namespace {

/// What a worker's end was.
enum class End { Done, Crashed, Hung };

/// A process, and the lines that it prints.
class Process {
public:
  /// Starts the worker; false if it cannot.
  bool start(const std::string &program, const std::string &request);
  /// Calls `fn` for each line. Ends the process where one takes longer than
  /// `limit` seconds.
  End run(unsigned limit, llvm::function_ref<void(StringRef)> fn);
  std::string why;

private:
  pid_t child = -1;
  int output = -1;
};

/// The search of one kernel.
class Search {
public:
  Search(wrapper::KernelOp kernel, const SearchOptions &options)
      : kernel(kernel), options(options) {}
  Expected<SearchResult> run();

private:
  std::string print(ScheduleAttrInterface schedule, size_t number);
  WorkerRequest makeRequest(bool &isKnown);
  Error measure(ArrayRef<ScheduleAttrInterface> schedules);
  void count(StringRef what, ScheduleAttrInterface schedule, StringRef why);

  wrapper::KernelOp kernel;
  const SearchOptions &options;
  SearchResult result;
  /// Nothing was measured yet.
  bool isFirst = true;
};

} // namespace

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

bool Process::start(const std::string &program, const std::string &request) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    // What a crash prints is not the tool's.
    int null = ::open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    const char *arguments[] = {program.c_str(), "--worker", request.c_str(),
                               nullptr};
    execv(program.c_str(), const_cast<char **>(arguments));
    _exit(127);
  }
  ::close(ends[1]);
  output = ends[0];
  return child > 0;
}

End Process::run(unsigned limit, llvm::function_ref<void(StringRef)> fn) {
  std::string pending;
  bool isHung = false;
  while (true) {
    pollfd wait = {output, POLLIN, 0};
    int ready = poll(&wait, 1, static_cast<int>(limit * 1000));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0) {
      isHung = true;
      kill(child, SIGKILL);
      break;
    }
    char buffer[4096];
    ssize_t count = read(output, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    pending.append(buffer, static_cast<size_t>(count));
    while (true) {
      size_t end = pending.find('\n');
      if (end == std::string::npos)
        break;
      fn(StringRef(pending).take_front(end));
      pending.erase(0, end + 1);
    }
  }
  ::close(output);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (isHung)
    return End::Hung;
  if (WIFSIGNALED(status))
    why = std::string("signal ") + std::to_string(WTERMSIG(status)) + ", " +
          strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    why = "exit status " + std::to_string(WEXITSTATUS(status));
  return why.empty() ? End::Done : End::Crashed;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static std::string printAttr(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os);
  return text;
}

std::string Search::print(ScheduleAttrInterface schedule, size_t number) {
  OwningOpRef<wrapper::KernelOp> copy(kernel.clone());
  copy->setSymName("c" + std::to_string(number));
  copy->getLoopKernel().setScheduleAttr(schedule);
  std::string text;
  llvm::raw_string_ostream os(text);
  (*copy)->print(os, OpPrintingFlags().useLocalScope());
  os << '\n';
  return text;
}

/// Sizes, strides and type of each buffer at the hints of the symbols.
/// `isKnown`: whether all types have a place in memory.
WorkerRequest Search::makeRequest(bool &isKnown) {
  WorkerRequest request;
  isKnown = true;
  loop::Hints hints(kernel);
  auto value = [&](sym::ExprAttr e) { return static_cast<int64_t>(hints(e)); };
  loop::KernelOp body = kernel.getLoopKernel();
  auto make = [&](RankedTensorType type, sym::ShapeAttr strides) {
    WorkerBuffer buffer;
    std::optional<reference::DType> dtype =
        reference::getDType(type.getElementType());
    isKnown &= dtype.has_value();
    buffer.dtype = static_cast<int64_t>(dtype.value_or(reference::DType::F32));
    for (sym::ExprAttr size : sym::getSizes(type))
      buffer.sizes.push_back(value(size));
    for (sym::ExprAttr stride : strides.getDims())
      buffer.strides.push_back(value(stride));
    return buffer;
  };
  // Integers may be positions along any dimension of what is loaded by them.
  int64_t limit = 8;
  for (auto load : body.getBlock()->getOps<loop::LoadOp>())
    if (!load.getArgs().empty())
      for (sym::ExprAttr size :
           sym::getSizes(cast<RankedTensorType>(load.getSource().getType())))
        limit = std::max<int64_t>(1, std::min(limit, value(size)));
  std::optional<ArrayRef<int64_t>> alignment = kernel.getAlignment();
  for (unsigned i = 0; i < kernel.getNumInputs(); ++i) {
    auto type =
        cast<RankedTensorType>(kernel.getBlock()->getArgument(i).getType());
    WorkerBuffer buffer =
        make(type, cast<sym::ShapeAttr>(kernel.getInputStrides()[i]));
    if (alignment && (*alignment)[i] < 16)
      buffer.offset = (*alignment)[i];
    buffer.limit = limit;
    request.inputs.push_back(std::move(buffer));
  }
  for (unsigned i = 0; i < kernel.getNumOutputs(); ++i)
    request.outputs.push_back(
        make(cast<RankedTensorType>(body.getResult(i).getType()),
             cast<sym::ShapeAttr>(kernel.getOutputStrides()[i])));
  for (auto name : kernel.getSymbols().getAsRange<StringAttr>())
    request.symbols.push_back(value(sym::symbol(kernel.getContext(), name)));
  request.options = options.pipelineOptions;
  request.onDevice = options.onDevice;
  request.device = options.device;
  request.threads = options.threads;
  request.flushBytes = options.flushBytes;
  request.seconds = options.seconds;
  return request;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

void Search::count(StringRef what, ScheduleAttrInterface schedule,
                   StringRef why) {
  unsigned &number = what == "refused" ? result.refused
                     : what == "wrong" ? result.wrong
                     : what == "hangs" ? result.hung
                                       : result.crashed;
  ++number;
  // What the code generator refuses is in order.
  if (what == "refused")
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "kernel '" << kernel.getSymName() << "' ";
  if (what == "wrong")
    os << "gives a wrong result";
  else if (what == "hangs")
    os << "does not end in time";
  else
    os << "fails";
  os << " with " << printAttr(schedule);
  if (!why.empty())
    os << " (" << why << ")";
  os << " at " << kernel.getLoopKernel().getLoc();
  result.problems.push_back(text);
}

/// The value below which the part `q` of the times lies.
static double getQuantile(std::vector<double> times, double q) {
  llvm::sort(times);
  return times[static_cast<size_t>(q * static_cast<double>(times.size() - 1) +
                                   0.5)];
}

/// Measures schedules, the first of which is the selected one, and takes the
/// fastest if it is faster beyond doubt.
Error Search::measure(ArrayRef<ScheduleAttrInterface> schedules) {
  bool isKnown = true;
  WorkerRequest request = makeRequest(isKnown);
  if (!isKnown)
    return makeError("it has a type that cannot be made up");
  for (auto [i, schedule] : llvm::enumerate(schedules))
    request.kernels.push_back(print(schedule, i));
  if (std::exchange(isFirst, false) && !options.inject.empty()) {
    request.inject = options.inject;
    request.injected = options.injected;
  }
  std::vector<std::vector<double>> times(schedules.size());
  std::vector<bool> decides(schedules.size());
  while (true) {
    SmallString<128> path;
    int file = -1;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("coil-tune", "json", file, path))
      return makeError("cannot make a temporary file: " + error.message());
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << toJSON(request);
    Process process;
    bool isAlone = true, isDone = false, isSaid = false;
    size_t current = 0;
    if (!process.start(options.program, std::string(path))) {
      llvm::sys::fs::remove(path);
      return makeError("cannot start a worker");
    }
    End end = process.run(options.timeLimit, [&](StringRef line) {
      Expected<json::Value> value = json::parse(line);
      if (!value)
        return llvm::consumeError(value.takeError());
      const json::Object &event = *value->getAsObject();
      StringRef what = event.getString("event").value_or("");
      current = static_cast<size_t>(event.getInteger("candidate").value_or(0));
      if (what == "compile")
        isAlone = event.getBoolean("alone").value_or(true);
      else if (what == "run")
        isAlone = true;
      else if (what == "done")
        isDone = true;
      else if (what == "times") {
        decides[current] = event.getBoolean("decides").value_or(false);
        for (const json::Value &each : *event.getArray("seconds"))
          times[current].push_back(*each.getAsNumber());
      } else if (what == "refused" || what == "wrong" || what == "failed") {
        count(what, schedules[current], event.getString("why").value_or(""));
        request.kernels[current].clear();
        isSaid = what == "failed" || current == 0;
        if (isSaid)
          process.why = event.getString("why").value_or("").str();
      }
    });
    llvm::sys::fs::remove(path);
    if (isDone)
      break;
    // Somebody among several: one after the other.
    if (!isAlone && !request.separately) {
      request.separately = true;
      continue;
    }
    if (!isSaid)
      count(end == End::Hung ? "hangs" : "crashed", schedules[current],
            process.why);
    request.kernels[current].clear();
    if (current == 0)
      return makeError(
          "the selected schedule cannot be measured" +
          (process.why.empty() ? Twine() : ": " + Twine(process.why)));
    for (std::vector<double> &each : times)
      each.clear();
  }
  for (size_t i = 1; i < schedules.size(); ++i)
    result.measured += !times[i].empty();
  double selected = getQuantile(times[0], 0.5);
  result.defaultSeconds = selected;
  result.best = schedules[0];
  result.seconds = selected;
  for (size_t i = 1; i < schedules.size(); ++i)
    if (decides[i] && !times[i].empty() &&
        getQuantile(times[i], 0.75) < getQuantile(times[0], 0.25)) {
      result.best = schedules[i];
      result.seconds = getQuantile(times[i], 0.5);
    }
  return Error::success();
}

Expected<SearchResult> Search::run() {
  loop::KernelOp body = kernel.getLoopKernel();
  ScheduleAttrInterface selected = body.getScheduleAttr();
  result.best = selected;
  llvm::DenseSet<Attribute> seen;
  seen.insert(selected);
  for (unsigned left :
       {options.candidates / 2, options.candidates - options.candidates / 2}) {
    SmallVector<ScheduleAttrInterface> schedules = {selected};
    if (result.best != selected)
      schedules.push_back(result.best);
    ScheduleAttrInterface around = result.best;
    for (ScheduleAttrInterface each : getCandidates(body, around))
      if (left > 0 && seen.insert(each).second) {
        schedules.push_back(each);
        --left;
      }
    if (schedules.size() == 1 + (result.best != selected))
      break;
    if (Error error = measure(schedules))
      return std::move(error);
  }
  // Another process has code and data at other addresses, and sees another
  // moment of the machine: what was faster there by chance is not here.
  if (result.best != selected) {
    unsigned measured = result.measured;
    if (Error error = measure({selected, result.best}))
      return std::move(error);
    result.measured = measured;
  }
  return std::move(result);
}

Expected<SearchResult> coil::search(wrapper::KernelOp kernel,
                                    const SearchOptions &options) {
  return Search(kernel, options).run();
}

std::string coil::getSpaceHash(wrapper::KernelOp kernel, unsigned candidates) {
  loop::KernelOp body = kernel.getLoopKernel();
  ScheduleAttrInterface selected = body.getScheduleAttr();
  llvm::BLAKE3 hasher;
  hasher.update(std::to_string(candidates) + printAttr(selected));
  for (ScheduleAttrInterface each : getCandidates(body, selected))
    hasher.update(printAttr(each));
  // 128 bits.
  return llvm::toHex(ArrayRef<uint8_t>(hasher.final()).take_front(16),
                     /*LowerCase=*/true);
}
