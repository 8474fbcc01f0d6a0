//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Driver functions: streams, events and graphs. A stream executes what it is
// given at once, unless something before it waits for the host (polls); a
// stream that is captured records it.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include <algorithm>
#include <queue>
#include <thread>
#include <utility>

using namespace coil::cudasim;

CUstream_st *State::stream(CUstream handle) {
  // Null, and the handles 1 and 2, are the streams that always exist.
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return &legacy[device()];
  return streams.count(handle) ? handle : nullptr;
}

/// What captures forbid this thread, where it has not asked for less: 0 what is
/// unsafe while any stream is captured globally, or by this thread; 1 the
/// latter alone; 2 nothing.
static thread_local int captureMode = 0;

CUresult coil::cudasim::forbiddenInCapture(State &state, bool waits) {
  bool found = false;
  auto forbids = [&](const CUstream_st &s) {
    if (!s.capture || !s.isOrigin || s.mode == 2)
      return false;
    if (waits) // For a stream that cannot come to its end.
      return true;
    return captureMode != 2 && (s.capturer == std::this_thread::get_id() ||
                                (captureMode == 0 && s.mode == 0));
  };
  for (CUstream_st *s : state.streams)
    if (forbids(*s)) {
      s->invalidated = true;
      found = true;
    }
  return found ? misuse("capture",
                        "a call that is not permitted while a stream is "
                        "captured",
                        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
               : CUDA_SUCCESS;
}

CUresult coil::cudasim::submit(State &state, CUstream handle,
                               Operation operation) {
  CUstream_st *s = state.stream(handle);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!s->capture) {
    if (s->queue.empty() && !operation.poll)
      return perform(state, operation);
    Pending &pending = s->queue.emplace_back();
    pending.operation = std::move(operation);
    Operation &o = pending.operation;
    if (o.type == Operation::Copy && o.fromHost) {
      const auto *bytes = reinterpret_cast<const uint8_t *>(uintptr_t(o.from));
      pending.staged.assign(bytes, bytes + o.bytes);
      o.from = uint64_t(reinterpret_cast<uintptr_t>(pending.staged.data()));
    }
    advance(state);
    return CUDA_SUCCESS;
  }
  if (s->invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  s->capture->nodes.push_back(std::make_unique<CUgraphNode_st>());
  s->capture->nodes.back()->operation = std::move(operation);
  s->capture->nodes.back()->behind =
      std::exchange(s->behind, {s->capture->nodes.size() - 1});
  return CUDA_SUCCESS;
}

/// Whether a stream has done more than before.
static bool advance(State &state, CUstream_st &s) {
  bool hasMoved = false;
  while (!s.queue.empty()) {
    Pending &next = s.queue.front();
    if (next.waits && !*next.waits)
      break;
    Operation &o = next.operation;
    if (o.poll) {
      if (!o.poll(o.data, &next.state))
        break;
    } else if (CUresult r = perform(state, o); r && !state.sticky) {
      state.sticky = r;
    }
    if (next.records)
      *next.records = true;
    s.queue.pop_front();
    hasMoved = true;
  }
  return hasMoved;
}

void coil::cudasim::advance(State &state) {
  for (bool hasMoved = true; hasMoved;) {
    hasMoved = false;
    for (CUstream_st *s : state.streams)
      hasMoved |= ::advance(state, *s);
    for (CUstream_st &s : state.legacy)
      hasMoved |= ::advance(state, s);
  }
}

void Entry::waitUntil(const std::function<bool()> &isDone) {
  while (true) {
    advance(state);
    if (isDone())
      return;
    guard.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    guard.lock();
  }
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

extern "C" CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  COIL_ENTER(Context);
  if (flags & ~1u)
    return CUDA_ERROR_INVALID_VALUE;
  *stream = new CUstream_st;
  (*stream)->flags = flags;
  (*stream)->device = State::device();
  state.streams.insert(*stream);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                               int) {
  return cuStreamCreate(stream, flags);
}

extern "C" CUresult cuStreamDestroy_v2(CUstream stream) {
  COIL_ENTER(Context);
  if (!state.streams.count(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  entry.waitUntil([&] { return stream->queue.empty(); });
  state.streams.erase(stream);
  delete stream;
  return CUDA_SUCCESS;
}

/// The stream that the host asks or waits for, which ends its capture.
static CUresult findAsked(State &state, CUstream handle, CUstream_st *&s) {
  s = state.stream(handle);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!s->capture)
    return CUDA_SUCCESS;
  s->invalidated = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

extern "C" CUresult cuStreamSynchronize(CUstream handle) {
  COIL_ENTER(Context);
  CUstream_st *s = nullptr;
  if (CUresult r = findAsked(state, handle, s))
    return r;
  entry.waitUntil([&] { return s->queue.empty(); });
  return state.sticky;
}

extern "C" CUresult cuStreamQuery(CUstream handle) {
  COIL_ENTER(Context);
  CUstream_st *s = nullptr;
  if (CUresult r = findAsked(state, handle, s))
    return r;
  advance(state);
  return s->queue.empty() ? state.sticky : CUresult(CUDA_ERROR_NOT_READY);
}

extern "C" CUresult cuStreamWaitEvent(CUstream handle, CUevent event,
                                      unsigned) {
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (!s || !state.events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  // An event of a captured stream pulls the waiting stream into the capture.
  if (event->capture && !s->capture) {
    s->capture = event->capture;
    s->isOrigin = false;
    s->behind.clear();
  }
  if (event->capture && event->capture == s->capture)
    s->behind.insert(event->behind.begin(), event->behind.end());
  if (!s->capture && !event->isReached()) {
    s->queue.emplace_back().waits = event->reached;
    advance(state);
  }
  return CUDA_SUCCESS;
}

extern "C" CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  if (s == &state.legacy[s->device])
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (s->capture)
    return CUDA_ERROR_INVALID_VALUE;
  s->capture = new CUgraph_st;
  s->capture->number = ++state.captures;
  s->isOrigin = true;
  s->behind.clear();
  s->invalidated = false;
  s->mode = mode;
  s->capturer = std::this_thread::get_id();
  return CUDA_SUCCESS;
}

/// Whether the end of a capture is behind all of its nodes.
static bool isJoined(const CUgraph_st &graph, const std::set<size_t> &end) {
  std::vector<bool> seen(graph.nodes.size());
  std::vector<size_t> todo(end.begin(), end.end());
  size_t count = 0;
  while (!todo.empty()) {
    size_t number = todo.back();
    todo.pop_back();
    if (seen[number])
      continue;
    seen[number] = true;
    ++count;
    const std::set<size_t> &behind = graph.nodes[number]->behind;
    todo.insert(todo.end(), behind.begin(), behind.end());
  }
  return count == graph.nodes.size();
}

/// An order of a graph's nodes that their dependencies allow, as far as can be
/// from that in which they were captured: the last one that is ready comes
/// first. So it shows if a program relies on more than it says.
static std::vector<size_t> findOrder(const CUgraph_st &graph) {
  std::vector<size_t> order, missing;
  std::vector<std::vector<size_t>> followers(graph.nodes.size());
  std::priority_queue<size_t> ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::set<size_t> &behind = graph.nodes[i]->behind;
    missing.push_back(behind.size());
    if (behind.empty())
      ready.push(i);
    for (size_t each : behind)
      followers[each].push_back(i);
  }
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (size_t each : followers[order.back()])
      if (--missing[each] == 0)
        ready.push(each);
  }
  return order;
}

extern "C" CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  *graph = nullptr;
  if (!s->capture)
    return CUDA_ERROR_INVALID_VALUE;
  if (!s->isOrigin)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  CUgraph_st *g = s->capture;
  bool invalidated = s->invalidated;
  for (CUstream_st *other : state.streams)
    if (other->capture == g) {
      invalidated |= other->invalidated;
      other->capture = nullptr;
      other->isOrigin = other->invalidated = false;
    }
  for (CUevent_st *e : state.events)
    if (e->capture == g)
      e->capture = nullptr;
  if (invalidated) {
    delete g;
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  if (!isJoined(*g, s->behind)) {
    delete g;
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  state.graphs.insert(g);
  *graph = g;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuStreamIsCapturing(CUstream handle, int *status) {
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = !s->capture ? 0 : s->invalidated ? 2 : 1;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuStreamGetCaptureInfo_v2(CUstream handle, int *status,
                                              uint64_t *id, CUgraph *graph,
                                              const CUgraphNode **dependencies,
                                              size_t *count) {
  if (CUresult r = cuStreamIsCapturing(handle, status))
    return r;
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (id)
    *id = s->capture ? s->capture->number : 0;
  if (graph)
    *graph = s->capture;
  s->lastCaptured.clear();
  if (s->capture)
    for (size_t number : s->behind)
      s->lastCaptured.push_back(s->capture->nodes[number].get());
  if (dependencies)
    *dependencies = s->lastCaptured.data();
  if (count)
    *count = s->lastCaptured.size();
  return CUDA_SUCCESS;
}

/// Work for the host in the order of a stream, which is asked until it is done;
/// for libraries whose kernels wait for each other.
extern "C" CUresult coil_cuda_sim_poll(CUstream stream,
                                       int (*poll)(void *data, uint64_t *state),
                                       void *data) {
  COIL_ENTER(Context);
  Operation o;
  o.type = Operation::Host;
  o.poll = poll;
  o.data = data;
  return submit(state, stream, std::move(o));
}

/// Whether a graph, or a stream that has not come to it, has such work.
extern "C" int coil_cuda_sim_holds(const void *data) {
  State &state = State::get();
  std::lock_guard<std::recursive_mutex> lock(state.lock);
  auto isIt = [&](const Operation &o) { return o.poll && o.data == data; };
  for (const CUgraph_st *graph : state.graphs)
    for (const auto &node : graph->nodes)
      if (isIt(node->operation))
        return 1;
  for (const CUgraphExec_st *exec : state.execs)
    if (std::any_of(exec->operations.begin(), exec->operations.end(), isIt))
      return 1;
  for (const CUstream_st *s : state.streams) {
    for (const Pending &pending : s->queue)
      if (isIt(pending.operation))
        return 1;
    // A capture that has not ended.
    if (s->capture)
      for (const auto &node : s->capture->nodes)
        if (isIt(node->operation))
          return 1;
  }
  return 0;
}

extern "C" CUresult cuLaunchHostFunc(CUstream stream, void (*callback)(void *),
                                     void *data) {
  COIL_ENTER(Context);
  Operation o;
  o.type = Operation::Host;
  o.callback = callback;
  o.data = data;
  return submit(state, stream, std::move(o));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

extern "C" CUresult cuEventCreate(CUevent *event, unsigned flags) {
  COIL_ENTER(Context);
  *event = new CUevent_st;
  (*event)->flags = flags;
  (*event)->device = State::device();
  state.events.insert(*event);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuEventRecord(CUevent event, CUstream handle) {
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (!s || !state.events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->device != s->device)
    return misuse(__func__,
                  "an event of device " + std::to_string(event->device) +
                      " on a stream of device " + std::to_string(s->device),
                  CUDA_ERROR_INVALID_HANDLE);
  event->capture = s->capture;
  event->behind = s->behind;
  event->reached = nullptr;
  if (!s->capture) {
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    if (!s->queue.empty()) {
      event->reached = std::make_shared<bool>(false);
      s->queue.emplace_back().records = event->reached;
      advance(state);
    }
  }
  return CUDA_SUCCESS;
}

/// Asking an event of a capture ends the capture.
static CUresult misuseOfCapture(CUevent event) {
  for (CUstream_st *s : State::get().streams)
    if (s->capture == event->capture)
      s->invalidated = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

extern "C" CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  COIL_ENTER(Initialized);
  if (!mode || *mode < 0 || *mode > 2)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, captureMode);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuEventQuery(CUevent event) {
  COIL_ENTER(Context);
  if (!state.events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  bool isForbidden = false;
  for (CUstream_st *s : state.streams)
    if (s->capture && s->isOrigin && s->mode == 0 && captureMode == 0) {
      s->invalidated = true;
      isForbidden = true;
    }
  if (isForbidden)
    return misuse(__func__, "an event is asked while a stream is captured",
                  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (event->capture)
    return misuseOfCapture(event);
  advance(state);
  return event->isReached() ? state.sticky : CUresult(CUDA_ERROR_NOT_READY);
}

extern "C" CUresult cuEventSynchronize(CUevent event) {
  COIL_ENTER(Context);
  if (!state.events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture)
    return misuseOfCapture(event);
  entry.waitUntil([reached = event->reached] { return !reached || *reached; });
  return state.sticky;
}

extern "C" CUresult cuEventElapsedTime(float *milliseconds, CUevent begin,
                                       CUevent end) {
  COIL_ENTER(Context);
  if (!state.events.count(begin) || !state.events.count(end) ||
      !begin->recorded || !end->recorded ||
      ((begin->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!begin->isReached() || !end->isReached())
    return CUDA_ERROR_NOT_READY;
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return CUDA_SUCCESS;
}

extern "C" CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent begin,
                                          CUevent end) {
  return cuEventElapsedTime(milliseconds, begin, end);
}

extern "C" CUresult cuEventDestroy_v2(CUevent event) {
  COIL_ENTER(Context);
  if (!state.events.erase(event))
    return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static const CUgraphNode_st *findNode(const State &state, CUgraphNode node) {
  for (const CUgraph_st *g : state.graphs)
    for (const auto &n : g->nodes)
      if (n.get() == node)
        return node;
  return nullptr;
}

extern "C" CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes,
                                    size_t *count) {
  COIL_ENTER(Context);
  if (!state.graphs.count(graph))
    return CUDA_ERROR_INVALID_VALUE;
  if (nodes) {
    for (size_t i = 0; i < *count; ++i)
      nodes[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
    *count = std::min(*count, graph->nodes.size());
  } else {
    *count = graph->nodes.size();
  }
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGraphNodeGetType(CUgraphNode node, int *type) {
  COIL_ENTER(Context);
  if (!findNode(state, node))
    return CUDA_ERROR_INVALID_VALUE;
  *type = node->operation.type;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                                  CUkernelNodeParams *params) {
  COIL_ENTER(Context);
  if (!findNode(state, node) || node->operation.type != Operation::Kernel)
    return CUDA_ERROR_INVALID_VALUE;
  Operation &o = node->operation;
  o.pointers.clear();
  for (const Code::Param &p : o.function->code->params)
    o.pointers.push_back(o.params.data() + p.offset);
  *params = CUkernelNodeParams();
  params->func = o.function;
  params->gridDimX = o.grid[0];
  params->gridDimY = o.grid[1];
  params->gridDimZ = o.grid[2];
  params->blockDimX = o.block[0];
  params->blockDimY = o.block[1];
  params->blockDimZ = o.block[2];
  params->sharedMemBytes = o.shared;
  params->kernelParams = o.pointers.data();
  params->ctx = &state.contexts[o.function->device];
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec,
                                                CUgraph graph,
                                                unsigned long long) {
  COIL_ENTER(Context);
  if (!state.graphs.count(graph))
    return CUDA_ERROR_INVALID_VALUE;
  *exec = new CUgraphExec_st;
  for (size_t number : findOrder(*graph)) {
    const auto &n = graph->nodes[number];
    (*exec)->operations.push_back(n->operation);
    (*exec)->origins.push_back(n.get());
  }
  state.execs.insert(*exec);
  return CUDA_SUCCESS;
}

extern "C" CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                  const CUkernelNodeParams *params) {
  COIL_ENTER(Context);
  if (!state.execs.count(exec))
    return CUDA_ERROR_INVALID_VALUE;
  auto it = std::find(exec->origins.begin(), exec->origins.end(), node);
  if (it == exec->origins.end())
    return CUDA_ERROR_INVALID_VALUE;
  Operation &o =
      exec->operations[static_cast<size_t>(it - exec->origins.begin())];
  if (o.type != Operation::Kernel)
    return CUDA_ERROR_INVALID_VALUE;
  Operation changed;
  if (CUresult r = makeLaunch(
          state, params->func,
          {params->gridDimX, params->gridDimY, params->gridDimZ},
          {params->blockDimX, params->blockDimY, params->blockDimZ},
          params->sharedMemBytes, params->kernelParams, params->extra, changed))
    return r;
  o = std::move(changed);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  COIL_ENTER(Context);
  CUstream_st *s = state.stream(handle);
  if (!state.execs.count(exec))
    return CUDA_ERROR_INVALID_VALUE;
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  for (const Operation &o : exec->operations)
    if (CUresult r = submit(state, handle, o))
      return r;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGraphExecDestroy(CUgraphExec exec) {
  COIL_ENTER(Context);
  if (!state.execs.erase(exec))
    return CUDA_ERROR_INVALID_VALUE;
  delete exec;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGraphDestroy(CUgraph graph) {
  COIL_ENTER(Context);
  if (!state.graphs.erase(graph))
    return CUDA_ERROR_INVALID_VALUE;
  delete graph;
  return CUDA_SUCCESS;
}
