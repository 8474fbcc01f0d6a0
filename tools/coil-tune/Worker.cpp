//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the candidates of one kernel, compares their results, and times them
// in turns.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "coil/Driver/CompiledKernels.h"
#include "coil/Reference/Tensor.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Support/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

#include <unistd.h>

using namespace coil;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

/// A sample on the CPU lasts at least this long, far more than a look at the
/// clock (some 30 ns).
static constexpr double kMinSample = 1e-4;
/// Rounds over all candidates, over the faster half, and of the fastest one and
/// the selected schedule.
static constexpr unsigned kFirstRounds = 5, kSecondRounds = 8, kLastRounds = 16;
/// Quartiles need at least so many.
static constexpr unsigned kMinRounds = 3;

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static json::Value toJSON(const WorkerBuffer &buffer) {
  return json::Object{{"dtype", buffer.dtype},
                      {"sizes", buffer.sizes},
                      {"strides", buffer.strides},
                      {"offset", buffer.offset},
                      {"limit", buffer.limit}};
}

static json::Value toJSON(llvm::ArrayRef<WorkerBuffer> buffers) {
  json::Array array;
  for (const WorkerBuffer &buffer : buffers)
    array.push_back(toJSON(buffer));
  return array;
}

json::Value coil::toJSON(const WorkerRequest &r) {
  return json::Object{{"options", r.options},
                      {"kernels", r.kernels},
                      {"inputs", ::toJSON(llvm::ArrayRef(r.inputs))},
                      {"outputs", ::toJSON(llvm::ArrayRef(r.outputs))},
                      {"symbols", r.symbols},
                      {"onDevice", r.onDevice},
                      {"device", r.device},
                      {"threads", r.threads},
                      {"flushBytes", r.flushBytes},
                      {"separately", r.separately},
                      {"seconds", r.seconds},
                      {"inject", r.inject},
                      {"injected", r.injected}};
}

namespace coil {
static bool fromJSON(const json::Value &value, WorkerBuffer &b,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("dtype", b.dtype) && map.map("sizes", b.sizes) &&
         map.map("strides", b.strides) && map.map("offset", b.offset) &&
         map.map("limit", b.limit);
}
} // namespace coil

bool coil::fromJSON(const json::Value &value, WorkerRequest &r,
                    json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("options", r.options) &&
         map.map("kernels", r.kernels) && map.map("inputs", r.inputs) &&
         map.map("outputs", r.outputs) && map.map("symbols", r.symbols) &&
         map.map("onDevice", r.onDevice) && map.map("device", r.device) &&
         map.map("threads", r.threads) && map.map("flushBytes", r.flushBytes) &&
         map.map("separately", r.separately) && map.map("seconds", r.seconds) &&
         map.map("inject", r.inject) && map.map("injected", r.injected);
}

//===----------------------------------------------------------------------===//
// The worker
//===----------------------------------------------------------------------===//

namespace {

/// Memory of one buffer, on the host and on the device.
struct Memory {
  std::vector<char> host;
  void *data = nullptr;
  size_t bytes = 0;
};

class Worker {
public:
  explicit Worker(WorkerRequest request) : request(std::move(request)) {}
  ~Worker() { coil_run_destroy(owner); }
  int run();

private:
  void say(StringRef event, size_t candidate, json::Object more = {});
  void compile(size_t from, size_t to);
  bool makeBuffers();
  bool makeBuffer(const WorkerBuffer &spec, Memory &memory, bool isInput,
                  std::mt19937_64 &random);
  coil_run *createRun();
  bool clearOutputs();
  bool readOutputs(std::vector<std::vector<char>> &bytes);
  bool check(size_t candidate);
  /// Launches it so often; seconds for each, or nothing after it failed.
  std::optional<double> time(size_t candidate, unsigned calls);
  bool sample(llvm::ArrayRef<size_t> candidates, unsigned rounds);
  double getMedian(size_t candidate) const;
  bool fail(size_t candidate);

  const WorkerRequest request;
  std::vector<std::unique_ptr<CompiledKernels>> programs;
  std::vector<const CompiledKernels::Kernel *> kernels;
  coil_run *owner = nullptr;
  std::vector<Memory> inputs, outputs;
  std::vector<void *> addresses;
  void *flushed = nullptr;
  std::vector<std::vector<char>> expected;
  std::vector<std::vector<double>> times;
  std::vector<unsigned> calls;
  /// What one launch takes with all that is around it.
  std::vector<double> launchSeconds;
};

} // namespace

void Worker::say(StringRef event, size_t candidate, json::Object more) {
  more["event"] = event;
  more["candidate"] = static_cast<int64_t>(candidate);
  llvm::outs() << json::Value(std::move(more)) << '\n';
  llvm::outs().flush();
}

/// Whether the worker can go on without the candidate: a kernel that broke the
/// device's context takes all others with it.
bool Worker::fail(size_t candidate) {
  say("failed", candidate, json::Object{{"why", coil_last_error()}});
  kernels[candidate] = nullptr;
  return candidate != 0 &&
         (!request.onDevice || coil_run_synchronize(owner) == COIL_OK);
}

void Worker::compile(size_t from, size_t to) {
  std::string text;
  size_t count = 0, only = from;
  for (size_t i = from; i < to; ++i) {
    count += !request.kernels[i].empty();
    if (!request.kernels[i].empty())
      only = i;
    text += request.kernels[i];
  }
  if (count == 0)
    return;
  bool isOne = count == 1;
  if (isOne || !request.separately) {
    say("compile", only, json::Object{{"alone", isOne}});
    KernelOptions options;
    options.pipelineOptions = request.options;
    options.engine.threads = static_cast<unsigned>(request.threads);
    options.engine.device = static_cast<int32_t>(request.device);
    auto program = CompiledKernels::compile(text, options);
    if (program) {
      for (size_t i = from; i < to; ++i)
        if (!request.kernels[i].empty())
          kernels[i] = (*program)->lookup("c" + std::to_string(i));
      programs.push_back(std::move(*program));
      return;
    }
    std::string why = toString(program.takeError());
    if (isOne)
      return say("refused", only,
                 json::Object{{"why", StringRef(why).split('\n').first}});
  }
  // One of them is refused: which?
  size_t middle = from + (to - from) / 2;
  compile(from, middle);
  compile(middle, to);
}

coil_run *Worker::createRun() {
  coil_run *run = nullptr;
  if (coil_run_create(&run) != COIL_OK)
    return nullptr;
  if (request.onDevice &&
      coil_run_set_cuda_device(run, static_cast<int32_t>(request.device)) !=
          COIL_OK) {
    coil_run_destroy(run);
    return nullptr;
  }
  return run;
}

bool Worker::makeBuffer(const WorkerBuffer &spec, Memory &memory, bool isInput,
                        std::mt19937_64 &random) {
  auto dtype = static_cast<reference::DType>(spec.dtype);
  size_t size = reference::getByteSize(dtype), last = 0;
  bool isEmpty = false;
  for (auto [extent, stride] : llvm::zip_equal(spec.sizes, spec.strides)) {
    isEmpty |= extent == 0;
    last += size_t((extent - 1) * stride);
  }
  size_t count = isEmpty ? 0 : last + 1;
  memory.bytes = count * size;
  memory.host.resize(memory.bytes);
  if (isInput && count) {
    // Numbers of a period that no schedule divides, at the cost of a copy.
    constexpr size_t kPeriod = 65521;
    size_t period = std::min(count, kPeriod);
    std::uniform_real_distribution<double> real(-1, 1);
    std::uniform_int_distribution<int64_t> integer(
        0, dtype == reference::DType::Bool ? 1 : spec.limit - 1);
    for (size_t i = 0; i < period; ++i)
      reference::Tensor::store(dtype, memory.host.data(), int64_t(i),
                               reference::isFloat(dtype)
                                   ? reference::makeFloat(real(random))
                                   : reference::makeInt(integer(random)));
    for (size_t i = period; i < count; i += period)
      std::memcpy(&memory.host[i * size], memory.host.data(),
                  std::min(period, count - i) * size);
  }
  void *base = nullptr;
  int64_t bytes = static_cast<int64_t>(memory.bytes) + spec.offset;
  int32_t status = request.onDevice ? coil_rt_alloc_cuda(owner, bytes, &base)
                                    : coil_rt_alloc(owner, bytes, &base);
  if (status != COIL_OK)
    return false;
  memory.data = static_cast<char *>(base) + spec.offset;
  if (!isInput || memory.bytes == 0)
    return true;
  if (request.onDevice)
    return coil_rt_upload_cuda(owner, memory.data, memory.host.data(),
                               static_cast<int64_t>(memory.bytes)) == COIL_OK;
  std::memcpy(memory.data, memory.host.data(), memory.bytes);
  return true;
}

bool Worker::makeBuffers() {
  std::mt19937_64 random;
  inputs.resize(request.inputs.size());
  outputs.resize(request.outputs.size());
  for (auto [spec, memory] : llvm::zip_equal(request.inputs, inputs)) {
    if (!makeBuffer(spec, memory, /*isInput=*/true, random))
      return false;
    addresses.push_back(memory.data);
  }
  for (auto [spec, memory] : llvm::zip_equal(request.outputs, outputs)) {
    if (!makeBuffer(spec, memory, /*isInput=*/false, random))
      return false;
    addresses.push_back(memory.data);
  }
  if (!request.onDevice)
    return true;
  if (request.flushBytes > 0 &&
      coil_rt_alloc_cuda(owner, request.flushBytes, &flushed) != COIL_OK)
    return false;
  return coil_run_synchronize(owner) == COIL_OK;
}

bool Worker::clearOutputs() {
  for (Memory &memory : outputs) {
    if (memory.bytes == 0)
      continue;
    if (!request.onDevice)
      std::memset(memory.data, 0, memory.bytes);
    else if (coil_rt_fill_cuda(owner, memory.data, 0,
                               static_cast<int64_t>(memory.bytes)) != COIL_OK)
      return false;
  }
  return !request.onDevice || coil_run_synchronize(owner) == COIL_OK;
}

bool Worker::readOutputs(std::vector<std::vector<char>> &bytes) {
  for (Memory &memory : outputs) {
    bytes.emplace_back(memory.bytes);
    if (memory.bytes == 0)
      continue;
    if (!request.onDevice)
      std::memcpy(bytes.back().data(), memory.data, memory.bytes);
    else if (coil_rt_download_cuda(owner, bytes.back().data(), memory.data,
                                   static_cast<int64_t>(memory.bytes)) !=
             COIL_OK)
      return false;
  }
  return !request.onDevice || coil_run_synchronize(owner) == COIL_OK;
}

/// Whether results in memory agree but for the order of sums.
static bool isClose(reference::DType dtype, llvm::ArrayRef<char> actual,
                    llvm::ArrayRef<char> expected) {
  if (actual == expected)
    return true;
  if (!reference::isFloat(dtype))
    return false;
  int64_t count = static_cast<int64_t>(actual.size()) /
                  static_cast<int64_t>(reference::getByteSize(dtype));
  auto get = [&](llvm::ArrayRef<char> from, int64_t i) {
    return reference::Tensor::load(dtype, from.data(), i).f;
  };
  double squares = 0;
  for (int64_t i = 0; i < count; ++i)
    if (double value = get(expected, i); std::isfinite(value))
      squares += value * value;
  double level = std::sqrt(squares / static_cast<double>(count));
  reference::Tolerance tolerance = reference::getDefaultTolerance(dtype);
  for (int64_t i = 0; i < count; ++i) {
    double a = get(actual, i), e = get(expected, i);
    if (a == e || (std::isnan(a) && std::isnan(e)))
      continue;
    // What cancels in a sum is as large as its neighbours are.
    if (!(std::fabs(a - e) <=
          tolerance.absolute + tolerance.relative * (std::fabs(e) + level)))
      return false;
  }
  return true;
}

std::optional<double> Worker::time(size_t candidate, unsigned calls) {
  coil_run *run = createRun();
  if (!run)
    return std::nullopt;
  bool isRight = !request.onDevice || coil_run_set_timing(run, 1) == COIL_OK;
  double begin = now();
  for (unsigned i = 0; i < calls && isRight; ++i) {
    if (flushed)
      isRight =
          coil_rt_fill_cuda(run, flushed, 0, request.flushBytes) == COIL_OK;
    isRight = isRight &&
              kernels[candidate]->launch(run, addresses.data(),
                                         request.symbols.data()) == COIL_OK;
  }
  double seconds = now() - begin;
  if (isRight && request.onDevice) {
    seconds = 0;
    auto add = [](void *user, const coil_cuda_step *step) {
      if (step->kernel)
        *static_cast<double *>(user) += step->microseconds * 1e-6;
    };
    isRight = coil_run_get_timing(run, add, &seconds) == COIL_OK;
  }
  coil_run_destroy(run);
  if (!isRight)
    return std::nullopt;
  return seconds / calls;
}

bool Worker::check(size_t candidate) {
  say("run", candidate);
  if (static_cast<int64_t>(candidate) == request.injected) {
    if (request.inject == "crash") {
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
    }
    if (request.inject == "hang")
      while (true)
        pause();
    if (request.inject == "memory")
      _exit(SIGKILL); // As the system ends what it has no memory for.
  }
  if (!clearOutputs() || !time(candidate, 1))
    return fail(candidate);
  std::vector<std::vector<char>> actual;
  if (!readOutputs(actual))
    return fail(candidate);
  if (static_cast<int64_t>(candidate) == request.injected &&
      request.inject == "wrong" && !actual.empty() && !actual[0].empty())
    for (char &byte : actual[0])
      byte ^= 0x5a;
  if (candidate == 0)
    expected = std::move(actual);
  else
    for (auto [i, spec] : llvm::enumerate(request.outputs))
      if (!isClose(static_cast<reference::DType>(spec.dtype), actual[i],
                   expected[i])) {
        say("wrong", candidate,
            json::Object{{"output", static_cast<int64_t>(i)}});
        kernels[candidate] = nullptr;
        return true;
      }
  double begin = now();
  std::optional<double> warm = time(candidate, 1);
  if (!warm)
    return fail(candidate);
  launchSeconds[candidate] = now() - begin;
  calls[candidate] =
      request.onDevice ? 1
                       : std::max(1u, static_cast<unsigned>(std::ceil(
                                          kMinSample / std::max(*warm, 1e-9))));
  return true;
}

bool Worker::sample(llvm::ArrayRef<size_t> candidates, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round)
    for (size_t candidate : candidates) {
      say("run", candidate);
      std::optional<double> seconds = time(candidate, calls[candidate]);
      if (!seconds) {
        fail(candidate);
        return false;
      }
      times[candidate].push_back(*seconds);
    }
  return true;
}

double Worker::getMedian(size_t candidate) const {
  std::vector<double> sorted = times[candidate];
  llvm::sort(sorted);
  return sorted[sorted.size() / 2];
}

int Worker::run() {
  size_t count = request.kernels.size();
  kernels.resize(count);
  times.resize(count);
  calls.resize(count);
  launchSeconds.resize(count);
  coil_cuda_set_overlap(0);
  coil_set_num_threads(static_cast<int32_t>(request.threads));
  if (!(owner = createRun()) || !makeBuffers())
    return fail(0), 1;
  // The selected schedule alone, which is no candidate.
  compile(0, 1);
  if (!kernels[0])
    return 1;
  compile(1, count);
  for (size_t i = 0; i < count; ++i)
    if (kernels[i] && !check(i))
      return 1;
  std::vector<size_t> left;
  for (size_t i = 0; i < count; ++i)
    if (kernels[i])
      left.push_back(i);
  // As many rounds over those that are left as there is time for.
  auto limit = [&](unsigned rounds) {
    double round = 1e-6;
    for (size_t i : left)
      round += std::max(kMinSample, launchSeconds[i]);
    return std::clamp(
        static_cast<unsigned>(std::min(1e6, request.seconds / round)),
        kMinRounds, rounds);
  };
  if (!sample(left, limit(kFirstRounds)))
    return 1;
  auto keep = [&](size_t most) {
    llvm::stable_sort(
        left, [&](size_t a, size_t b) { return getMedian(a) < getMedian(b); });
    if (left.size() > most)
      left.resize(most);
    if (!llvm::is_contained(left, size_t(0)))
      left.push_back(0);
  };
  keep((left.size() + 1) / 2);
  if (!sample(left, limit(kSecondRounds)))
    return 1;
  keep(1);
  // Those that chose the fastest one favour it: new times decide.
  for (size_t i : left)
    times[i].clear();
  if (left.size() > 1 || left[0] != 0) {
    if (!sample(left, limit(kLastRounds)))
      return 1;
  } else if (!sample(left, kMinRounds)) {
    return 1;
  }
  for (size_t i = 0; i < count; ++i)
    if (kernels[i])
      say("times", i,
          json::Object{{"seconds", json::Array(times[i])},
                       {"decides", llvm::is_contained(left, i)}});
  say("done", 0);
  return 0;
}

int coil::runWorker(StringRef file) {
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text)
    return 2;
  Expected<WorkerRequest> request =
      json::parse<WorkerRequest>((*text)->getBuffer());
  if (!request) {
    llvm::consumeError(request.takeError());
    return 2;
  }
  return Worker(std::move(*request)).run();
}
