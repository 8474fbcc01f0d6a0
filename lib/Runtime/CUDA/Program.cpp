//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runs of a program share: constants on the device, and calls that are
// replayed as CUDA graphs.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "GraphTree.h"
#include "Readers.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {

struct Output {
  coil_tensor tensor; ///< Its data is of the recording.
  Target target;
};

/// Memory behind outputs: a replay allocates anew.
struct OutputMemory {
  int64_t allocation;
  int64_t bytes;
  /// Where the recording put it; null unless pinned.
  DeviceBlock *pinned;
  CUdeviceptr recorded;
};

/// A call by its sizes.
struct Entry {
  enum State { Seen, Recorded, Refused } state = Seen;
  std::string key;
  Device *device = nullptr;
  /// Of the inputs at the last call.
  std::vector<CUdeviceptr> addresses;
  /// Allocations of the plain call that were outputs.
  std::set<int64_t> outputAllocations;
  /// Inputs that are copied to a fixed place, with the block.
  std::set<int64_t> staged;
  std::map<int64_t, DeviceBlock *> stages;

  //===--- Only when recorded ---------------------------------------------===//
  coil_run *run = nullptr; ///< Owns memory and the shapes of outputs.
  MemoryPool *pool = nullptr;
  MemoryPool *outputPool = nullptr;
  CUgraph graph = nullptr;
  CUevent done = nullptr;
  bool ran = false;
  CUstream stream = nullptr; ///< Of the last replay.
  std::shared_ptr<WordsOwner> words;
  std::vector<RecordedLaunch> launches;
  std::vector<std::shared_ptr<void>> kept; ///< What the graph's kernels need.
  std::set<int64_t> pinnedInputs;
  std::vector<Output> outputs;
  std::vector<OutputMemory> memory;
  std::vector<Variant> variants;
  uint64_t uses = 0;
  /// Those that it was recorded with, or refused for.
  GraphGroups groups;
};

} // namespace

struct coil_cuda_program {
  std::mutex mutex;
  std::atomic<int32_t> limit{0};
  /// Most recently used first.
  std::list<Entry> entries;
  std::unordered_map<std::string, std::list<Entry>::iterator> index;
  /// By device, source of the memory, and where they are on the host.
  std::map<std::tuple<int, const MemorySource *, const void *>,
           std::pair<Device *, DeviceBlock *>>
      constants;
  std::shared_ptr<AllocationUses> uses = std::make_shared<AllocationUses>();
  std::shared_ptr<Readers> readers = std::make_shared<Readers>();
  coil_cuda_graph_stats stats = {};
  /// Calls that were counted without the lock, of which `stats` does not know.
  std::atomic<int64_t> plain{0};
  /// By input; those behind the last are not.
  std::vector<bool> constantInputs;
  /// Set once a call has run a partition: such calls are not kept as a whole.
  std::atomic<bool> onlyPartitions{false};
  GraphForest forest;
};

GraphForest &coil::rt::cuda::getForest(coil_cuda_program &program) {
  program.onlyPartitions = true;
  return program.forest;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

int32_t coil::rt::cuda::getConstant(RunState &state, const void *data,
                                    int64_t bytes, void *&out) {
  coil_cuda_program &program = *state.program;
  Device &device = state.device;
  // Who records a call already holds the lock.
  std::unique_lock<std::mutex> lock(program.mutex, std::defer_lock);
  if (!state.recording || !state.recording->holdsProgram)
    lock.lock();
  auto &[owner, block] = program.constants[{device.index, state.source, data}];
  if (!block) {
    ContextGuard guard(device);
    if (state.recording)
      state.recording->refuse();
    block = device.allocator.allocate(state.getKeptPool(), nullptr, bytes,
                                      COIL_MEMORY_KEPT);
    if (!block)
      return COIL_OUT_OF_MEMORY;
    owner = &device;
    program.readers->begin();
    // Waits: any stream may read it next.
    if (int32_t status = device.check(
            device.driver.memcpyHtoD(block->address, data, size_t(bytes)),
            "cannot copy a constant to CUDA device %d", device.index)) {
      device.allocator.release(block);
      block = nullptr;
      return status;
    }
  }
  out = toPointer(block->address);
  return COIL_OK;
}

/// Frees constants once nothing reads them.
static void endConstants(coil_cuda_program &program) {
  if (!program.constants.empty())
    program.readers->wait();
  for (auto &[key, value] : program.constants)
    if (value.second)
      value.first->allocator.release(value.second);
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

/// Ends what a recording holds, but for the inputs that it staged.
static void drop(Entry &entry) {
  if (entry.state == Entry::Recorded) {
    Device &device = *entry.device;
    ContextGuard guard(device);
    if (entry.ran)
      device.driver.eventSynchronize(entry.done);
    for (Variant &variant : entry.variants)
      if (variant.exec)
        device.driver.graphExecDestroy(variant.exec);
    device.driver.graphDestroy(entry.graph);
    entry.groups.endRecordings();
    device.driver.eventDestroy(entry.done);
    coil_run_destroy(entry.run);
    device.allocator.destroyPool(entry.pool);
    device.allocator.destroyPool(entry.outputPool);
  }
  Entry fresh;
  fresh.key = std::move(entry.key);
  fresh.device = entry.device;
  fresh.addresses = std::move(entry.addresses);
  fresh.outputAllocations = std::move(entry.outputAllocations);
  fresh.staged = std::move(entry.staged);
  entry = std::move(fresh);
}

static bool isOutput(const Entry &entry, int64_t allocation) {
  return std::any_of(
      entry.memory.begin(), entry.memory.end(),
      [&](const OutputMemory &m) { return m.allocation == allocation; });
}

/// Decides what a replay does for each output.
static void planOutputs(Entry &entry, RunState &state, Recording &recording,
                        std::vector<coil_tensor> &outputs) {
  for (coil_tensor &tensor : outputs) {
    Output output = {tensor, recording.find(toDevice(tensor.data))};
    entry.outputs.push_back(output);
    if (output.target.kind != Target::Allocation)
      continue;
    if (isOutput(entry, output.target.number))
      continue;
    DeviceBlock *block = state.blocks;
    while (block->ordinal != output.target.number)
      block = block->runNext;
    bool pinned = recording.pinnedAllocations.count(block->ordinal) != 0;
    entry.memory.push_back({block->ordinal, block->requested,
                            pinned ? block : nullptr, block->address});
    // Each replay brings memory of its own.
    if (!pinned)
      state.free(block);
  }
}

/// Makes a graph of the call, or refuses to.
static void record(coil_cuda_program &program, Entry &entry,
                   const RunState &caller, coil_entry_point function,
                   const coil_tensor *inputs, int32_t numInputs,
                   int32_t numOutputs) {
  Device &device = caller.device;
  ContextGuard guard(device);
  // Once more when inputs turn out to need a fixed place.
  for (int attempt = 0; attempt < 2; ++attempt) {
    entry.state = Entry::Refused;
    coil_run *run = nullptr;
    if (coil_run_create(&run))
      return;
    MemoryPool *pool = device.allocator.createPool(caller.source);
    MemoryPool *outputPool = device.allocator.createPool(caller.source);
    auto abandon = [&] {
      coil_run_destroy(run);
      device.allocator.destroyPool(pool);
      device.allocator.destroyPool(outputPool);
    };
    run->cuda = new RunState(run, device);
    RunState &state = *run->cuda;
    state.source = caller.source;
    state.program = &program;
    if (!device.takeStream(state.stream))
      return abandon();
    state.ownsStream = true;
    state.pool = pool;

    std::vector<coil_tensor> arguments(inputs, inputs + numInputs);
    entry.stages.clear();
    bool enough = true;
    for (int64_t i : entry.staged) {
      DeviceBlock *block = nullptr;
      enough &= state.allocate(getExtent(inputs[i]), block) == COIL_OK;
      if (!enough)
        break;
      entry.stages[i] = block;
      arguments[size_t(i)].data = toPointer(block->address);
    }
    Recording recording(pool, outputPool, entry.outputAllocations,
                        arguments.data(), numInputs);
    std::vector<coil_tensor> outputs;
    outputs.resize(size_t(numOutputs));
    CUgraph graph = nullptr;
    int32_t status = COIL_OK;
    bool captured = enough && !recording.isRefused() &&
                    capture(state, recording, function, arguments.data(),
                            outputs.data(), graph, status);
    auto words = recording.words
                     ? std::make_shared<WordsOwner>(device, recording.words)
                     : nullptr;
    if (!captured) {
      if (graph)
        device.driver.graphDestroy(graph);
      entry.groups = recording.collectives.takeGroups();
      entry.groups.endRecordings();
      if (!entry.groups.empty() && status)
        program.forest.countFailure("the whole call", coil_last_error());
      return abandon();
    }
    // An input that stays where it is needs no copy.
    bool complete = true;
    for (int64_t i : recording.pinnedInputs) {
      if (entry.staged.count(i) ||
          entry.addresses[size_t(i)] == toDevice(inputs[i].data))
        continue;
      entry.staged.insert(i);
      complete = false;
    }
    CUevent done = nullptr;
    if (!complete ||
        device.driver.eventCreate(&done, CU_EVENT_DISABLE_TIMING)) {
      device.driver.graphDestroy(graph);
      abandon();
      continue;
    }
    entry.state = Entry::Recorded;
    entry.run = run;
    entry.pool = pool;
    entry.outputPool = outputPool;
    entry.graph = graph;
    entry.done = done;
    entry.words = std::move(words);
    entry.pinnedInputs = std::move(recording.pinnedInputs);
    planOutputs(entry, state, recording, outputs);
    entry.launches = std::move(recording.launches);
    entry.kept = std::move(recording.kept);
    entry.groups = recording.collectives.takeGroups();
    // What an intermediate result may have used has to stay.
    if (std::all_of(
            entry.outputAllocations.begin(), entry.outputAllocations.end(),
            [&](int64_t allocation) { return isOutput(entry, allocation); }))
      device.allocator.trimPool(outputPool);
    for (int32_t i = 0; i < numInputs; ++i)
      entry.addresses[size_t(i)] = toDevice(inputs[i].data);
    ++program.stats.recorded;
    return;
  }
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

/// Gives the kernels of a variant other addresses of inputs and outputs.
static int32_t patch(Entry &entry, Variant &variant,
                     const std::vector<CUdeviceptr> &addresses) {
  Device &device = *entry.device;
  size_t numInputs = entry.addresses.size();
  auto getSlot = [&](const Target &target) -> size_t {
    if (target.kind == Target::Input)
      return entry.staged.count(target.number) ? SIZE_MAX
                                               : size_t(target.number);
    for (size_t i = 0; i < entry.memory.size(); ++i)
      if (entry.memory[i].allocation == target.number &&
          !entry.memory[i].pinned)
        return numInputs + i;
    return SIZE_MAX;
  };
  return patchLaunches(device, entry.launches, variant, addresses, getSlot);
}

/// Finds or makes the graph for a set of addresses.
static int32_t selectVariant(coil_cuda_program &program, Entry &entry,
                             const std::vector<CUdeviceptr> &addresses,
                             Variant *&variant) {
  for (Variant &candidate : entry.variants)
    if (candidate.addresses == addresses) {
      variant = &candidate;
      return COIL_OK;
    }
  Device &device = *entry.device;
  if (entry.variants.size() < maxVariants) {
    entry.variants.emplace_back();
    variant = &entry.variants.back();
    if (int32_t status = device.check(
            device.driver.graphInstantiate(&variant->exec, entry.graph, 0),
            "cannot make a graph of %zu kernels on CUDA device %d",
            entry.launches.size(), device.index)) {
      entry.variants.pop_back();
      return status;
    }
  } else {
    variant = &*std::min_element(entry.variants.begin(), entry.variants.end(),
                                 [](const Variant &a, const Variant &b) {
                                   return a.lastUse < b.lastUse;
                                 });
  }
  ++program.stats.patched;
  return patch(entry, *variant, addresses);
}

/// Puts the recorded call into the run's stream.
static int32_t replay(coil_cuda_program &program, Entry &entry, RunState &state,
                      const coil_tensor *inputs, int32_t numInputs,
                      coil_tensor *outputs) {
  Device &device = state.device;
  ContextGuard guard(device);
  Range range("coil graph");
  // One memory serves all replays.
  if (entry.ran && entry.stream != state.stream)
    if (int32_t status = device.check(
            device.driver.streamWaitEvent(state.stream, entry.done, 0),
            "cannot order streams on CUDA device %d", device.index))
      return status;

  std::vector<CUdeviceptr> addresses;
  addresses.reserve(size_t(numInputs) + entry.memory.size());
  for (int32_t i = 0; i < numInputs; ++i)
    addresses.push_back(toDevice(inputs[i].data));
  for (int64_t i : entry.staged) {
    addresses[size_t(i)] = 0;
    if (int32_t status =
            state.copy(entry.stages[i]->address, toDevice(inputs[i].data),
                       getExtent(inputs[i])))
      return status;
  }
  std::vector<CUdeviceptr> memory;
  for (const OutputMemory &m : entry.memory) {
    DeviceBlock *block = nullptr;
    if (int32_t status = state.allocateResult(m.bytes, block))
      return status;
    memory.push_back(block->address);
    addresses.push_back(m.pinned ? 0 : block->address);
  }
  Variant *variant = nullptr;
  if (int32_t status = selectVariant(program, entry, addresses, variant))
    return status;
  variant->lastUse = ++entry.uses;
  if (int32_t status = entry.groups.beginReplay())
    return status;
  if (int32_t status =
          device.check(device.driver.graphLaunch(variant->exec, state.stream),
                       "cannot launch a graph of %zu kernels on CUDA device %d",
                       entry.launches.size(), device.index))
    return status;
  if (int32_t status = entry.groups.endReplay(state.stream))
    return status;
  for (size_t i = 0; i < entry.memory.size(); ++i)
    if (entry.memory[i].pinned)
      if (int32_t status = state.copy(memory[i], entry.memory[i].recorded,
                                      entry.memory[i].bytes))
        return status;
  if (int32_t status = device.check(
          device.driver.eventRecord(entry.done, state.stream),
          "cannot record an event on CUDA device %d", device.index))
    return status;
  entry.ran = true;
  entry.stream = state.stream;

  noteReplay(state, entry.launches, entry.words, entry.run->stats);
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const Output &output = entry.outputs[i];
    const coil_tensor &t = output.tensor;
    void *data = t.data;
    if (output.target.kind == Target::Input) {
      const coil_tensor &input = inputs[output.target.number];
      data = static_cast<char *>(input.data) + output.target.offset;
      // An input that the program updates was written where its copy is.
      if (auto stage = entry.stages.find(output.target.number);
          stage != entry.stages.end())
        if (int32_t status = state.copy(
                toDevice(input.data), stage->second->address, getExtent(input)))
          return status;
    }
    for (size_t m = 0; m < entry.memory.size(); ++m)
      if (output.target.kind == Target::Allocation &&
          entry.memory[m].allocation == output.target.number)
        data = toPointer(memory[m] + CUdeviceptr(output.target.offset));
    if (int32_t status = coil_rt_set_output(
            state.run, outputs + i, data, t.dtype, t.rank, t.sizes, t.strides))
      return status;
    outputs[i].device_type = t.device_type;
    outputs[i].device_index = t.device_index;
  }
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Everything that decides what a call does, but for addresses; and the address
/// of one constant, because a recording refers to them all.
static std::string makeKey(const coil_cuda_program &program,
                           const RunState &state, const coil_tensor *inputs,
                           int32_t count) {
  std::string key;
  auto add = [&key](const void *data, size_t bytes) {
    key.append(static_cast<const char *>(data), bytes);
  };
  add(&state.device.index, sizeof(state.device.index));
  add(&state.source, sizeof(state.source));
  bool hasConstant = false;
  for (int32_t i = 0; i < count; ++i) {
    if (size_t(i) < program.constantInputs.size() &&
        program.constantInputs[size_t(i)]) {
      if (!hasConstant)
        add(&inputs[i].data, sizeof(inputs[i].data));
      hasConstant = true;
      continue;
    }
    const coil_tensor &t = inputs[i];
    add(&t.dtype, sizeof(t.dtype));
    add(&t.rank, sizeof(t.rank));
    add(t.sizes, size_t(t.rank) * sizeof(int64_t));
    add(t.strides, size_t(t.rank) * sizeof(int64_t));
  }
  return key;
}

/// The allocations of a run behind its outputs.
static std::set<int64_t>
findAllocations(RunState &state, const coil_tensor *outputs, int32_t count) {
  std::set<int64_t> result;
  for (int32_t i = 0; i < count; ++i)
    if (DeviceBlock *block =
            state.device.allocator.find(toDevice(outputs[i].data)))
      if (block->run == state.run)
        result.insert(block->ordinal);
  return result;
}

/// Whether what was recorded still serves inputs at these addresses.
static bool checkPinned(Entry &entry, const coil_tensor *inputs) {
  bool fits = true;
  for (int64_t i : entry.pinnedInputs)
    if (!entry.staged.count(i) &&
        entry.addresses[size_t(i)] != toDevice(inputs[i].data)) {
      entry.staged.insert(i);
      fits = false;
    }
  return fits;
}

extern "C" {

int32_t coil_cuda_program_create(coil_cuda_program **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    *out = new coil_cuda_program;
    return COIL_OK;
  });
}

void coil_cuda_program_destroy(coil_cuda_program *program) {
  if (!program)
    return;
  for (Entry &entry : program->entries)
    drop(entry);
  program->forest.clear();
  endConstants(*program);
  delete program;
}

void coil_cuda_program_set_constant_inputs(coil_cuda_program *program,
                                           const int32_t *numbers,
                                           int32_t count) {
  std::lock_guard<std::mutex> lock(program->mutex);
  program->constantInputs.clear();
  if (count)
    program->readers->begin();
  for (int32_t i = 0; i < count; ++i) {
    size_t number = size_t(numbers[i]);
    if (program->constantInputs.size() <= number)
      program->constantInputs.resize(number + 1);
    program->constantInputs[number] = true;
  }
}

void coil_cuda_program_set_graph_limit(coil_cuda_program *program,
                                       int32_t limit) {
  std::lock_guard<std::mutex> lock(program->mutex);
  program->limit = std::max(limit, 0);
  program->forest.setLimit(program->limit);
  while (program->entries.size() > size_t(program->limit)) {
    program->index.erase(program->entries.back().key);
    drop(program->entries.back());
    program->entries.pop_back();
  }
}

void coil_cuda_program_set_whole_calls(coil_cuda_program *program,
                                       int32_t enable) {
  program->onlyPartitions = !enable;
}

int32_t coil_run_keep_memory(coil_run *run, coil_cuda_program *program) {
  RunState *state = getState(run);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  state->readers = program->readers;
  program->readers->begin();
  return COIL_OK;
}

void coil_run_wait_for_readers(coil_run *run) {
  if (run->cuda && run->cuda->readers)
    run->cuda->readers->wait();
}

int32_t coil_run_set_cuda_program(coil_run *run, coil_cuda_program *program) {
  RunState *state = getState(run);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  state->program = program;
  return COIL_OK;
}

int32_t coil_cuda_program_call(coil_cuda_program *program, coil_run *run,
                               coil_entry_point function,
                               const coil_tensor *inputs, int32_t num_inputs,
                               coil_tensor *outputs, int32_t num_outputs) {
  return prepared(run, [&](RunState *state) -> int32_t {
    state->program = program;
    if (state->source)
      state->uses = program->uses;
    Range range("coil call");
    // Whoever waits for the run's stream waits for all of its devices.
    auto call = [&]() -> int32_t {
      int32_t status = function(run, inputs, outputs);
      if (!status)
        status = joinPeers(*state);
      program->readers->note(*state);
      return status;
    };
    // The partitions of the call, if it has any, are one path.
    auto plain = [&]() -> int32_t {
      PathScope path(*state);
      return call();
    };
    CallScope scope(*state);
    // Who looks at single steps wants to see them.
    if (program->limit.load(std::memory_order_relaxed) == 0 || run->trace ||
        state->timing || isBlocking()) {
      program->plain.fetch_add(1, std::memory_order_relaxed);
      return call();
    }
    std::unique_lock<std::mutex> lock(program->mutex);
    if (program->onlyPartitions) {
      ++program->stats.plain;
      lock.unlock();
      return plain();
    }
    std::string key = makeKey(*program, *state, inputs, num_inputs);
    // Runs a call whose graph is made the next time.
    auto runFirst = [&]() -> int32_t {
      ++program->stats.plain;
      lock.unlock();
      if (int32_t status = plain())
        return status;
      lock.lock();
      if (auto again = program->index.find(key); again != program->index.end())
        again->second->outputAllocations =
            findAllocations(*state, outputs, num_outputs);
      return COIL_OK;
    };
    auto found = program->index.find(key);
    if (found == program->index.end()) {
      if (program->entries.size() >= size_t(program->limit)) {
        program->index.erase(program->entries.back().key);
        drop(program->entries.back());
        program->entries.pop_back();
        ++program->stats.evicted;
      }
      Entry &entry = program->entries.emplace_front();
      entry.key = key;
      entry.device = &state->device;
      for (int32_t i = 0; i < num_inputs; ++i)
        entry.addresses.push_back(toDevice(inputs[i].data));
      program->index[key] = program->entries.begin();
      return runFirst();
    }
    program->entries.splice(program->entries.begin(), program->entries,
                            found->second);
    Entry &entry = *found->second;
    // A graph has the groups that it was recorded with, and others begin their
    // work outside of graphs.
    if (entry.groups.findReplaced()) {
      drop(entry);
      return runFirst();
    }
    if (entry.state == Entry::Recorded && !checkPinned(entry, inputs))
      drop(entry);
    if (entry.state == Entry::Seen)
      record(*program, entry, *state, function, inputs, num_inputs,
             num_outputs);
    if (entry.state == Entry::Refused) {
      ++program->stats.refused;
      lock.unlock();
      return plain();
    }
    ++program->stats.replayed;
    int32_t status =
        replay(*program, entry, *state, inputs, num_inputs, outputs);
    program->readers->note(*state);
    return status;
  });
}

void coil_cuda_program_get_partition_stats(const coil_cuda_program *program,
                                           coil_cuda_partition_stats *stats) {
  *stats = const_cast<coil_cuda_program *>(program)->forest.getStats();
}

void coil_cuda_program_get_partition_failures(const coil_cuda_program *program,
                                              void (*fn)(void *user,
                                                         const char *partition,
                                                         const char *reason,
                                                         int64_t count),
                                              void *user) {
  const_cast<coil_cuda_program *>(program)->forest.forEachFailure(fn, user);
}

void coil_cuda_program_set_record_limit(coil_cuda_program *program,
                                        int32_t limit) {
  program->forest.setRecordLimit(limit);
}

void coil_cuda_program_get_graph_stats(const coil_cuda_program *program,
                                       coil_cuda_graph_stats *stats) {
  auto *mutableProgram = const_cast<coil_cuda_program *>(program);
  std::lock_guard<std::mutex> lock(mutableProgram->mutex);
  *stats = program->stats;
  stats->plain += program->plain.load(std::memory_order_relaxed);
}

} // extern "C"
