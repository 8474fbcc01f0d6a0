//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of calls, kept as graphs in a tree.
//
//===----------------------------------------------------------------------===//

#include "GraphPath.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace coil::rt::cuda {

/// Where a replay has an output.
struct NodeOutput {
  enum Kind {
    Stays,   ///< In the tree, where it was recorded.
    Fresh,   ///< In memory of the run, which kernels are told.
    Copied,  ///< In memory of the run, copied from where it was recorded.
    Consumed ///< In an input that the partition was given.
  } kind = Stays;
  CUdeviceptr address = 0; ///< Where it was recorded.
  int64_t bytes = 0;
  int64_t allocation = 0;
  int32_t input = 0;
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;
};

struct GraphNode {
  GraphNode *parent = nullptr;
  coil_entry_point entry = nullptr;
  std::string name;
  /// Why it runs plainly; empty for one that is a graph.
  std::string refused;
  CUgraph graph = nullptr;
  std::vector<Variant> variants;
  uint64_t lastUse = 0;
  std::vector<RecordedLaunch> launches;
  std::vector<std::shared_ptr<void>> kept;
  std::vector<NodeOutput> outputs;
  /// Inputs from outside that are copied to a place in the tree, and back if
  /// they are outputs.
  std::map<int32_t, CUdeviceptr> stages;
  /// Inputs that it was given and that end in it.
  std::vector<int32_t> ended;
  /// What is alive behind it.
  std::vector<LiveMemory> live;
  coil_run_stats stats = {};
  /// Those that it was recorded with, or refused for.
  GraphGroups groups;
};

} // namespace coil::rt::cuda

/// How many sets of numbers are remembered to have run once.
static constexpr size_t maxSeen = 4096;

/// COIL_CUDA_GRAPH_LOG=1 writes what becomes of each partition.
static void log(const char *what, const char *name, const int64_t *symbols,
                int32_t count, const std::string &more = "") {
  static const bool enabled = [] {
    const char *text = getenv("COIL_CUDA_GRAPH_LOG");
    return text && strcmp(text, "0") != 0;
  }();
  if (!enabled)
    return;
  std::string numbers;
  for (int32_t i = 0; i < count; ++i)
    numbers += (i ? ", " : "") + std::to_string(symbols[i]);
  fprintf(stderr, "coil: graph: %s %s [%s]%s%s\n", what, name, numbers.c_str(),
          more.empty() ? "" : ": ", more.c_str());
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

/// Ends what the driver has of a node; nothing runs it any more.
static void release(GraphTree &tree, GraphNode &node) {
  for (Variant &variant : node.variants)
    if (variant.exec)
      tree.device.driver.graphExecDestroy(variant.exec);
  node.variants.clear();
  if (node.graph)
    tree.device.driver.graphDestroy(node.graph);
  node.graph = nullptr;
  node.groups.endRecordings();
}

GraphTree::GraphTree(GraphForest &forest, Device &device,
                     const MemorySource *source)
    : forest(forest), device(device), source(source) {}

GraphTree::~GraphTree() {
  ContextGuard guard(device);
  if (ran)
    device.driver.eventSynchronize(done);
  for (auto &[key, node] : nodes)
    release(*this, *node);
  nodes.clear();
  if (done)
    device.driver.eventDestroy(done);
  if (pool)
    device.allocator.destroyPool(pool);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

/// One partition of a call.
class Partition {
public:
  Partition(RunState &state, const char *name, coil_entry_point entry,
            const coil_tensor *inputs, const char *given, int32_t numSymbols,
            coil_tensor *outputs, const char *results)
      : state(state), device(state.device), path(*state.path), name(name),
        entry(entry), inputs(inputs), given(given), numSymbols(numSymbols),
        outputs(outputs), results(results), numInputs(int32_t(strlen(given))),
        numOutputs(int32_t(strlen(results))),
        symbols(numSymbols
                    ? static_cast<const int64_t *>(inputs[numInputs].data)
                    : nullptr) {}

  int32_t run();

private:
  int32_t runPlainly();
  int32_t runPlainly(const std::string &reason);
  std::string getFunctionKey() const;
  std::string getNodeKey() const;
  bool isInTree(int32_t input) const {
    return findLive(path, toDevice(inputs[input].data)) != nullptr;
  }
  bool makeRoom();
  bool dropOne();
  void drop(GraphNode *first);
  GraphNode *record(const std::string &key);
  bool tryRecord(GraphNode &node, std::set<int32_t> &staged, bool &again);
  std::string planOutputs(GraphNode &node, RunState &recorder,
                          Recording &recording,
                          const std::vector<coil_tensor> &recorded);
  int32_t replay(GraphNode &node);
  bool selectVariant(GraphNode &node, const std::vector<CUdeviceptr> &addresses,
                     Variant *&variant);

  RunState &state;
  Device &device;
  GraphPath &path;
  const char *name;
  coil_entry_point entry;
  const coil_tensor *inputs;
  const char *given;
  int32_t numSymbols;
  coil_tensor *outputs;
  const char *results;
  int32_t numInputs, numOutputs;
  const int64_t *symbols;
};

} // namespace

std::string Partition::getFunctionKey() const {
  std::string key(reinterpret_cast<const char *>(&entry), sizeof(entry));
  key.append(reinterpret_cast<const char *>(symbols),
             size_t(numSymbols) * sizeof(int64_t));
  return key;
}

/// Function and numbers, where the path is, what it keeps alive, and which of
/// that is passed.
std::string Partition::getNodeKey() const {
  std::string key = getFunctionKey();
  auto add = [&](const void *data, size_t bytes) {
    key.append(static_cast<const char *>(data), bytes);
  };
  add(&path.position, sizeof(path.position));
  for (const LiveMemory &memory : path.live)
    add(&memory, sizeof(memory));
  for (int32_t i = 0; i < numInputs; ++i) {
    CUdeviceptr address = isInTree(i) ? toDevice(inputs[i].data) : 0;
    add(&address, sizeof(address));
  }
  return key;
}

/// Calls the function. What it returns to others must not be in the tree.
int32_t Partition::runPlainly() {
  if (int32_t status = entry(state.run, inputs, outputs))
    return status;
  for (int32_t i = 0; i < numOutputs; ++i) {
    CUdeviceptr address = toDevice(outputs[i].data);
    const LiveMemory *memory = findLive(path, address);
    if (results[i] == 's' || !memory)
      continue;
    LiveMemory source = *memory;
    DeviceBlock *block = nullptr;
    if (int32_t status = state.allocate(source.bytes, block))
      return status;
    if (int32_t status =
            state.copy(block->address, source.address, source.bytes))
      return status;
    outputs[i].data = toPointer(block->address + (address - source.address));
    eraseLive(path.live, address);
  }
  return COIL_OK;
}

int32_t Partition::runPlainly(const std::string &reason) {
  path.forest->count(&coil_cuda_partition_stats::plain);
  path.forest->countFailure(name, reason);
  log("plain", name, symbols, numSymbols, reason);
  return runPlainly();
}

int32_t Partition::run() {
  if (int32_t status = beginPath(state))
    return status;
  if (path.isPlain)
    return runPlainly(path.forest->getLimit() ? "another call uses the graphs"
                                              : "no graphs are kept");
  GraphTree &tree = *path.tree;
  std::string key = getNodeKey();
  GraphNode *node = nullptr;
  if (auto found = tree.nodes.find(key); found != tree.nodes.end())
    node = found->second.get();
  // A graph has the groups that it was recorded with.
  if (node && node->groups.findReplaced()) {
    drop(node);
    node = nullptr;
    // Others begin their work outside of graphs.
    tree.seen.erase(getFunctionKey());
  }
  if (!node) {
    if (tree.seen.size() >= maxSeen)
      tree.seen.clear();
    bool isNew = tree.seen.insert(getFunctionKey()).second;
    if (isNew || path.isWarming) {
      // Kernels are loaded and libraries begin their work outside of graphs.
      path.isWarming = true;
      path.forest->count(&coil_cuda_partition_stats::warmups);
      log("warm-up", name, symbols, numSymbols);
      int32_t status = runPlainly();
      if (status && isNew)
        tree.seen.erase(getFunctionKey());
      return status;
    }
    if (tree.recordings[entry] >= path.forest->getRecordLimit())
      return runPlainly("it was recorded too often");
    if (!makeRoom())
      return runPlainly("there is no space for another graph");
    node = record(key);
    if (!node)
      return runPlainly("out of memory while it was recorded");
  }
  node->lastUse = ++tree.uses;
  if (!node->refused.empty())
    return runPlainly(node->refused);
  return replay(*node);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Whether a path to `node` passes `ancestor`.
static bool isBelow(const GraphNode *node, const GraphNode *ancestor) {
  while (node && node != ancestor)
    node = node->parent;
  return node == ancestor;
}

/// Drops the node of this partition that was unused longest, with all below it,
/// but not what the call has passed.
bool Partition::dropOne() {
  GraphTree &tree = *path.tree;
  GraphNode *oldest = nullptr;
  for (auto &[key, node] : tree.nodes)
    if (node->entry == entry && !isBelow(path.position, node.get()) &&
        (!oldest || node->lastUse < oldest->lastUse))
      oldest = node.get();
  if (!oldest)
    return false;
  drop(oldest);
  return true;
}

/// Drops a node with all below it.
void Partition::drop(GraphNode *first) {
  GraphTree &tree = *path.tree;
  // This call or the last may still run it.
  ContextGuard guard(device);
  device.driver.streamSynchronize(state.stream);
  if (tree.ran)
    device.driver.eventSynchronize(tree.done);
  std::vector<std::string> dropped;
  for (auto &[key, node] : tree.nodes)
    if (isBelow(node.get(), first)) {
      log("drop", node->name.c_str(), nullptr, 0);
      release(tree, *node);
      dropped.push_back(key);
    }
  for (const std::string &key : dropped)
    tree.nodes.erase(key);
  auto number = int64_t(dropped.size());
  path.forest->count(&coil_cuda_partition_stats::dropped, number);
  path.forest->count(&coil_cuda_partition_stats::nodes, -number);
}

/// At most so many nodes of one function are kept.
bool Partition::makeRoom() {
  while (true) {
    int64_t kept = 0;
    for (auto &[key, node] : path.tree->nodes)
      kept += node->entry == entry;
    if (kept < path.forest->getLimit())
      return true;
    if (!dropOne())
      return false;
  }
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

/// Decides what replays do for each output, and what is alive behind the node.
/// Returns why they cannot, or nothing.
std::string Partition::planOutputs(GraphNode &node, RunState &recorder,
                                   Recording &recording,
                                   const std::vector<coil_tensor> &recorded) {
  node.live = path.live;
  for (int32_t i = 0; i < numInputs; ++i) {
    if (given[i] != 'c')
      continue;
    if (isInTree(i)) {
      // Unless it is an output, see below.
      eraseLive(node.live, toDevice(inputs[i].data));
      continue;
    }
    auto foreign = recording.foreign.find(toDevice(inputs[i].data));
    if (foreign != recording.foreign.end() && foreign->second)
      node.ended.push_back(i);
  }
  for (int32_t i = 0; i < numOutputs; ++i) {
    const coil_tensor &tensor = recorded[size_t(i)];
    NodeOutput output;
    output.address = toDevice(tensor.data);
    output.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
    output.strides.assign(tensor.strides, tensor.strides + tensor.rank);
    Target target = recording.find(output.address);
    output.offset = target.offset;
    bool stays = results[i] == 's';
    if (target.kind == Target::Input) {
      output.kind = NodeOutput::Consumed;
      output.input = int32_t(target.number);
    } else if (target.kind == Target::Allocation) {
      DeviceBlock *block = recorder.blocks;
      while (block && block->ordinal != target.number)
        block = block->runNext;
      if (!block)
        return "an output is in memory that was freed";
      output.bytes = block->requested;
      output.allocation = target.number;
      output.address = block->address;
      bool isPinned = recording.pinnedAllocations.count(target.number) != 0;
      output.kind = stays      ? NodeOutput::Stays
                    : isPinned ? NodeOutput::Copied
                               : NodeOutput::Fresh;
      if (stays)
        node.live.push_back({block->address, block->requested});
    } else if (const LiveMemory *memory = findLive(path, output.address)) {
      output.kind = stays ? NodeOutput::Stays : NodeOutput::Copied;
      output.offset = int64_t(output.address - memory->address);
      output.address = memory->address;
      output.bytes = memory->bytes;
      if (stays)
        node.live.push_back(*memory);
    } else {
      return "an output is in memory of nobody";
    }
    node.outputs.push_back(std::move(output));
  }
  std::sort(node.live.begin(), node.live.end(),
            [](const LiveMemory &a, const LiveMemory &b) {
              return a.address < b.address;
            });
  return "";
}

/// Records the partition as a graph of the node, or notes why that cannot be.
/// False where memory ran out; nothing is left of it then. `again` asks for
/// another attempt, with more inputs at fixed places.
bool Partition::tryRecord(GraphNode &node, std::set<int32_t> &staged,
                          bool &again) {
  GraphTree &tree = *path.tree;
  again = false;
  if (!tree.pool)
    tree.pool = device.allocator.createPool(tree.source);
  coil_run *run = nullptr;
  if (coil_run_create(&run))
    return false;
  run->cuda = new RunState(run, device);
  RunState &recorder = *run->cuda;
  recorder.source = tree.source;
  recorder.program = state.program;
  recorder.base = state.main->base;
  recorder.pool = tree.pool;
  // What the path keeps, for as long as this records.
  std::vector<DeviceBlock *> claimed;
  auto finish = [&] {
    for (DeviceBlock *block : claimed)
      device.allocator.release(block);
    coil_run_destroy(run);
  };
  if (!device.takeStream(recorder.stream)) {
    node.refused = "there is no stream to record on";
    finish();
    return true;
  }
  recorder.ownsStream = true;

  // Inputs as the recording sees them; those in the tree have no extents, as
  // their addresses are part of the node.
  static int64_t none[1] = {0};
  std::vector<coil_tensor> arguments(inputs,
                                     inputs + numInputs + (numSymbols ? 1 : 0)),
      extents(inputs, inputs + numInputs);
  for (const LiveMemory &memory : path.live) {
    DeviceBlock *block =
        device.allocator.claim(tree.pool, memory.address, memory.bytes);
    if (!block) {
      node.refused = "memory of the path is in use";
      finish();
      return true;
    }
    bool isGiven = false;
    for (int32_t i = 0; i < numInputs; ++i)
      isGiven |= given[i] == 'c' && holds(memory, toDevice(inputs[i].data));
    if (isGiven)
      recorder.adopt(block);
    else
      claimed.push_back(block);
  }
  for (int32_t i = 0; i < numInputs; ++i) {
    if (isInTree(i)) {
      extents[size_t(i)].rank = 1;
      extents[size_t(i)].sizes = extents[size_t(i)].strides = none;
      continue;
    }
    if (!staged.count(i))
      continue;
    // In the order of the call's stream: others may still use the memory.
    DeviceBlock *block = device.allocator.allocate(tree.pool, state.stream,
                                                   getExtent(inputs[i]));
    if (!block) {
      finish();
      return false;
    }
    recorder.adopt(block);
    node.stages[i] = block->address;
    arguments[size_t(i)].data = extents[size_t(i)].data =
        toPointer(block->address);
  }
  std::set<int64_t> nothing;
  Recording recording(tree.pool, tree.pool, nothing, extents.data(), numInputs);
  recording.holdsProgram = false;
  if (recording.isRefused())
    node.refused = "two inputs share memory";
  for (int32_t i = 0; i < numInputs; ++i)
    if (given[i] == 'c' && !isInTree(i))
      recording.foreign[toDevice(arguments[size_t(i)].data)] = false;
  recording.words = tree.words ? tree.words->words : nullptr;

  // Outputs have sizes and strides of their own.
  std::vector<coil_tensor> recorded(outputs, outputs + numOutputs);
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  for (coil_tensor &tensor : recorded) {
    size_t rank = size_t(tensor.rank);
    shapes.push_back(std::make_unique<int64_t[]>(2 * rank + 1));
    tensor.sizes = shapes.back().get();
    tensor.strides = shapes.back().get() + rank;
  }

  int32_t status = COIL_OK;
  CUresult result = CUDA_SUCCESS;
  if (node.refused.empty()) {
    result = device.driver.streamBeginCapture(recorder.stream,
                                              CU_STREAM_CAPTURE_MODE_RELAXED);
    if (!result) {
      recorder.recording = &recording;
      status = entry(run, arguments.data(), recorded.data());
      recorder.recording = nullptr;
      CUresult ended =
          device.driver.streamEndCapture(recorder.stream, &node.graph);
      result = result ? result : ended;
    }
    std::string started = recording.collectives.describeStarted();
    if (status)
      node.refused = coil_last_error();
    else if (!started.empty())
      node.refused = "nothing in it waits for " + started;
    else if (result || !node.graph)
      node.refused = "the driver could not capture it";
    else if (recording.isRefused())
      node.refused = "it does what a graph cannot hold";
  }
  if (recording.words && !tree.words)
    tree.words = std::make_shared<WordsOwner>(device, recording.words);
  for (int64_t i : recording.pinnedInputs)
    again |= staged.insert(int32_t(i)).second;
  if (node.refused.empty() && !again) {
    node.refused = planOutputs(node, recorder, recording, recorded);
    // An input that was moved is named by its place before.
    for (auto &[i, address] : node.stages)
      for (auto &[foreign, hasEnded] : recording.foreign)
        if (hasEnded && foreign == address &&
            std::find(node.ended.begin(), node.ended.end(), i) ==
                node.ended.end())
          node.ended.push_back(i);
    node.launches = std::move(recording.launches);
    node.kept = std::move(recording.kept);
    node.stats = run->stats;
  }
  node.groups = recording.collectives.takeGroups();
  if (again || !node.refused.empty())
    release(tree, node);
  if (again) {
    node.refused.clear();
    node.stages.clear();
  }
  finish();
  return status != COIL_OUT_OF_MEMORY;
}

GraphNode *Partition::record(const std::string &key) {
  GraphTree &tree = *path.tree;
  ContextGuard guard(device);
  int64_t before = tree.pool ? tree.pool->reserved : 0;
  auto node = std::make_unique<GraphNode>();
  node->entry = entry;
  node->name = name;
  node->parent = path.position;
  ++tree.recordings[entry];
  std::set<int32_t> staged;
  bool again = true;
  // Each attempt has one more input at a fixed place, at least.
  while (again)
    if (!tryRecord(*node, staged, again)) {
      release(tree, *node);
      return nullptr;
    }
  if (node->refused.empty()) {
    // The first graph is made here, so that failing leaves a plain run.
    Variant &variant = node->variants.emplace_back();
    if (device.driver.graphInstantiate(&variant.exec, node->graph, 0)) {
      node->variants.clear();
      node->refused = "the driver could not make a graph of it";
      release(tree, *node);
    }
  }
  path.forest->count(&coil_cuda_partition_stats::bytes,
                     tree.pool->reserved - before);
  path.forest->count(&coil_cuda_partition_stats::nodes);
  if (node->refused.empty()) {
    path.forest->count(&coil_cuda_partition_stats::recorded);
    log("record", name, symbols, numSymbols);
  }
  return (tree.nodes[key] = std::move(node)).get();
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

/// Finds or makes the graph for a set of addresses; false if the driver cannot.
bool Partition::selectVariant(GraphNode &node,
                              const std::vector<CUdeviceptr> &addresses,
                              Variant *&variant) {
  for (Variant &candidate : node.variants)
    if (candidate.addresses == addresses) {
      variant = &candidate;
      return true;
    }
  // One that was made and not used yet, or another, or the oldest.
  auto unused =
      std::find_if(node.variants.begin(), node.variants.end(),
                   [](const Variant &each) { return each.addresses.empty(); });
  if (unused != node.variants.end()) {
    variant = &*unused;
  } else if (node.variants.size() < maxVariants) {
    variant = &node.variants.emplace_back();
    if (device.driver.graphInstantiate(&variant->exec, node.graph, 0)) {
      node.variants.pop_back();
      return false;
    }
  } else {
    variant = &*std::min_element(node.variants.begin(), node.variants.end(),
                                 [](const Variant &a, const Variant &b) {
                                   return a.lastUse < b.lastUse;
                                 });
  }
  if (unused == node.variants.end())
    path.forest->count(&coil_cuda_partition_stats::patched);
  auto getSlot = [&](const Target &target) -> size_t {
    if (target.kind == Target::Input)
      return node.stages.count(int32_t(target.number)) ? SIZE_MAX
                                                       : size_t(target.number);
    size_t slot = size_t(numInputs);
    for (const NodeOutput &output : node.outputs) {
      if (output.kind != NodeOutput::Fresh)
        continue;
      if (output.allocation == target.number)
        return slot;
      ++slot;
    }
    return SIZE_MAX;
  };
  if (patchLaunches(device, node.launches, *variant, addresses, getSlot) ==
      COIL_OK)
    return true;
  // Half of its kernels may have other addresses.
  device.driver.graphExecDestroy(variant->exec);
  node.variants.erase(node.variants.begin() + (variant - node.variants.data()));
  return false;
}

int32_t Partition::replay(GraphNode &node) {
  GraphTree &tree = *path.tree;
  ContextGuard guard(device);
  Range range("coil partition");
  std::vector<CUdeviceptr> addresses;
  for (int32_t i = 0; i < numInputs; ++i)
    addresses.push_back(
        node.stages.count(i) || isInTree(i) ? 0 : toDevice(inputs[i].data));
  std::vector<DeviceBlock *> fresh;
  auto giveUp = [&] {
    for (DeviceBlock *block : fresh)
      if (block)
        state.free(block);
  };
  for (const NodeOutput &output : node.outputs) {
    DeviceBlock *block = nullptr;
    if (output.kind == NodeOutput::Fresh || output.kind == NodeOutput::Copied)
      if (int32_t status = state.allocateResult(output.bytes, block)) {
        giveUp();
        return status;
      }
    fresh.push_back(block);
    if (output.kind == NodeOutput::Fresh)
      addresses.push_back(block->address);
  }
  Variant *variant = nullptr;
  if (!selectVariant(node, addresses, variant)) {
    giveUp();
    if (int32_t status = device.checkUsable())
      return status;
    return runPlainly("the driver could not make a graph for other addresses");
  }
  for (auto &[i, place] : node.stages)
    if (int32_t status =
            state.copy(place, toDevice(inputs[i].data), getExtent(inputs[i]))) {
      giveUp();
      return status;
    }
  variant->lastUse = ++tree.uses;
  if (int32_t status = node.groups.beginReplay()) {
    giveUp();
    return nameFailure(status, "partition", name);
  }
  if (int32_t status = device.check(
          device.driver.graphLaunch(variant->exec, state.stream),
          "cannot launch the graph of partition '%s' on CUDA device %d", name,
          device.index)) {
    giveUp();
    return status;
  }
  if (int32_t status = node.groups.endReplay(state.stream)) {
    giveUp();
    return nameFailure(status, "partition", name);
  }
  // What the partition updates was written where its copy is.
  for (auto &[i, place] : node.stages)
    if (given[i] == 'u')
      if (int32_t status =
              state.copy(toDevice(inputs[i].data), place, getExtent(inputs[i])))
        return status;
  path.forest->count(&coil_cuda_partition_stats::replayed);
  log("replay", name, symbols, numSymbols);

  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const NodeOutput &output = node.outputs[i];
    coil_tensor &tensor = outputs[i];
    CUdeviceptr address = output.address + CUdeviceptr(output.offset);
    if (output.kind == NodeOutput::Consumed) {
      address =
          toDevice(inputs[output.input].data) + CUdeviceptr(output.offset);
      // It was written where its copy is.
      if (auto stage = node.stages.find(output.input);
          stage != node.stages.end())
        if (int32_t status =
                state.copy(toDevice(inputs[output.input].data), stage->second,
                           getExtent(inputs[output.input])))
          return status;
    } else if (DeviceBlock *block = fresh[i]) {
      address = block->address + CUdeviceptr(output.offset);
      if (output.kind == NodeOutput::Copied)
        if (int32_t status =
                state.copy(block->address, output.address, output.bytes))
          return status;
    }
    tensor.data = toPointer(address);
    // The caller has given them room.
    std::copy(output.sizes.begin(), output.sizes.end(),
              const_cast<int64_t *>(tensor.sizes));
    std::copy(output.strides.begin(), output.strides.end(),
              const_cast<int64_t *>(tensor.strides));
  }
  for (int32_t i : node.ended)
    if (DeviceBlock *block = device.allocator.find(toDevice(inputs[i].data));
        block && block->run == state.run)
      state.free(block);

  noteReplay(state, node.launches, tree.words, node.stats);
  // Where nothing changed, the path is where it was: the iterations of a loop
  // are one node.
  if (!(path.live == node.live)) {
    path.live = node.live;
    path.position = path.live.empty() ? nullptr : &node;
  }
  return COIL_OK;
}

extern "C" {

int32_t coil_rt_partition_cuda(coil_run *run, const char *name,
                               coil_entry_point entry,
                               const coil_tensor *inputs, const char *given,
                               int32_t num_symbols, coil_tensor *outputs,
                               const char *results) {
  return prepared(run, [&](RunState *state) -> int32_t {
    if (state->recording && !state->recording->peerPools) {
      // The call as a whole: parts of it were made because it cannot be.
      if (state->program)
        getForest(*state->program);
      state->recording->refuse();
      return fail(COIL_UNSUPPORTED,
                  "a program with partitions is not captured as "
                  "one graph");
    }
    if (state->recording || !state->program || !getPath(*state))
      return entry(run, inputs, outputs);
    return Partition(*state, name, entry, inputs, given, num_symbols, outputs,
                     results)
        .run();
  });
}

} // extern "C"
