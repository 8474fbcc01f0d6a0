//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs: ownership of memory, statistics, tracing and launches.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "Collectives.h"
#include "Threads.h"

#include "coil/Runtime/HostABI.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>

using namespace coil::rt;

int64_t coil::rt::nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void unlink(coil_run *run, Block *block) {
  if (block->prev)
    block->prev->next = block->next;
  else
    run->blocks = block->next;
  if (block->next)
    block->next->prev = block->prev;
  run->stats.live_bytes -= block->requested;
  --run->stats.live_allocations;
}

/// The block behind a pointer when `owner` owns it, else null with an error.
static Block *findBlock(void *pointer, coil_run *owner) {
  Block *block = Block::of(pointer);
  if (reinterpret_cast<uintptr_t>(pointer) % alignof(Block) == 0 &&
      block->state == Block::Owned && block->run == owner)
    return block;
  fail(COIL_INVALID_ARGUMENT, "pointer %p is not %s", pointer,
       owner ? "an allocation of this run" : "a taken allocation");
  return nullptr;
}

static int32_t allocate(coil_run *run, int64_t bytes, void **out) {
  Block *block = allocateBlock(bytes);
  if (!block) {
    *out = nullptr;
    return bytes < 0 ? COIL_INVALID_ARGUMENT : COIL_OUT_OF_MEMORY;
  }
  block->run = run;
  block->prev = nullptr;
  block->next = run->blocks;
  if (run->blocks)
    run->blocks->prev = block;
  run->blocks = block;
  coil_run_stats &stats = run->stats;
  stats.live_bytes += bytes;
  stats.allocated_bytes += bytes;
  ++stats.live_allocations;
  ++stats.allocations;
  if (stats.live_bytes > stats.peak_bytes)
    stats.peak_bytes = stats.live_bytes;
  *out = block->data();
  return COIL_OK;
}

int32_t coil::rt::checkWorkspace(const coil_run *run, int64_t bytes) {
  if (hasWorkspace(run, bytes))
    return COIL_OK;
  return fail(COIL_OUT_OF_MEMORY,
              "the library needs %" PRId64
              " bytes of workspace, and the memory "
              "budget leaves %" PRId64,
              run->workspace + bytes, run->workspaceLimit);
}

void *Scratch::allocate(int64_t size) {
  pointers.reserve(pointers.size() + 1);
  void *pointer = nullptr;
  if (checkWorkspace(run, size) != COIL_OK ||
      coil_rt_alloc(run, size, &pointer) != COIL_OK)
    return nullptr;
  pointers.push_back(pointer);
  bytes += size;
  run->workspace += size;
  return pointer;
}

void Scratch::reset() {
  for (void *pointer : pointers)
    coil_rt_free(run, pointer);
  pointers.clear();
  run->workspace -= bytes;
  bytes = 0;
}

/// The status of a launch whose kernel returned `status`.
static int32_t kernelStatus(int32_t status) {
  switch (status) {
  case COIL_KERNEL_OK:
    return COIL_OK;
  case COIL_KERNEL_INDEX_OUT_OF_RANGE:
    return fail(COIL_ASSERTION_FAILED, "index out of range");
  default:
    return fail(COIL_INTERNAL, "kernel returned the unknown status %d", status);
  }
}

extern "C" {

int32_t coil_run_create(coil_run **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    *out = new coil_run;
    return COIL_OK;
  });
}

void coil_run_destroy(coil_run *run) {
  if (!run)
    return;
  // Others may still work on what is freed below.
  abandonGroups(run);
  // The caller's memory is used until all work has ended.
  if (run->cuda)
    destroyCudaRun(run);
  endContext(run);
  endObjects(run);
  for (Block *block = run->blocks; block;) {
    Block *next = block->next;
    releaseBlock(block);
    block = next;
  }
  delete run;
}

int32_t coil_run_take(coil_run *run, void *pointer) {
  if (!pointer)
    return fail(COIL_INVALID_ARGUMENT, "cannot take a null pointer");
  if (run->cuda)
    if (int32_t status = takeCudaMemory(run, pointer);
        status != COIL_UNAVAILABLE)
      return status;
  Block *block = findBlock(pointer, run);
  if (!block)
    return COIL_INVALID_ARGUMENT;
  unlink(run, block);
  block->run = nullptr;
  return COIL_OK;
}

int32_t coil_free(void *pointer) {
  if (!pointer)
    return COIL_OK;
  if (int32_t status = freeCudaMemory(pointer); status != COIL_UNAVAILABLE)
    return status;
  Block *block = findBlock(pointer, nullptr);
  if (!block)
    return COIL_INVALID_ARGUMENT;
  releaseBlock(block);
  return COIL_OK;
}

int32_t coil_run_get_stats(const coil_run *run, coil_run_stats *stats) {
  *stats = run->stats;
  return COIL_OK;
}

void coil_run_set_trace(coil_run *run, coil_trace_fn fn, void *user) {
  run->trace = fn;
  run->traceUser = user;
}

const void *coil_run_failed_kernel(const coil_run *run) {
  return run->failedKernel;
}

int32_t coil_rt_alloc(coil_run *run, int64_t bytes, void **out) {
  TraceStep step(run, COIL_TRACE_ALLOC, nullptr);
  int32_t status = allocate(run, bytes, out);
  return step.finish(status, *out, bytes);
}

int32_t coil_rt_free(coil_run *run, void *pointer) {
  if (!pointer)
    return COIL_OK;
  TraceStep step(run, COIL_TRACE_FREE, nullptr);
  Block *block = findBlock(pointer, run);
  if (!block)
    return step.finish(COIL_INVALID_ARGUMENT, pointer, 0);
  int64_t bytes = block->requested;
  if (int32_t status = checkNotInUse(run, pointer, bytes))
    return step.finish(status, pointer, 0);
  unlink(run, block);
  releaseBlock(block);
  return step.finish(COIL_OK, pointer, bytes);
}

int32_t coil_rt_launch_cpu(coil_run *run, coil_cpu_kernel kernel,
                           void **buffers, const int64_t *symbols,
                           int64_t total, int64_t grain) {
  TraceStep step(run, COIL_TRACE_LAUNCH, nullptr);
  ++run->stats.launches;
  const void *address = reinterpret_cast<const void *>(kernel);
  int32_t status =
      parallelFor(total, grain, [=](int64_t begin, int64_t end) -> int32_t {
        return kernelStatus(kernel(buffers, symbols, begin, end));
      });
  if (status)
    run->failedKernel = address;
  return step.finish(status, address, total);
}

int32_t coil_rt_note_cost(coil_run *run, int64_t bytes, int64_t flops,
                          int64_t matrix_flops) {
  run->nextCost = {bytes, flops, matrix_flops};
  return COIL_OK;
}

int32_t coil_rt_set_output(coil_run *run, coil_tensor *output, void *data,
                           int32_t dtype, int32_t rank, const int64_t *sizes,
                           const int64_t *strides) {
  return guarded([&]() -> int32_t {
    if (rank < 0)
      return fail(COIL_INVALID_ARGUMENT, "output of rank %d", rank);
    size_t words = 2 * size_t(rank);
    if (words > run->shapeRoom) {
      size_t more = std::max(words, coil_run::numMoreWords);
      run->nextShape = run->moreShapes.emplace_back(new int64_t[more]).get();
      run->shapeRoom = more;
    }
    int64_t *shape = run->nextShape;
    run->nextShape += words;
    run->shapeRoom -= words;
    for (int32_t d = 0; d < rank; ++d) {
      shape[d] = sizes[d];
      shape[rank + d] = strides[d];
    }
    int32_t device = run->cuda ? getCudaDevice(run) : 0;
    *output = {data, shape, shape + rank, rank, dtype, COIL_CPU, device};
    return COIL_OK;
  });
}

int32_t coil_rt_assert_fail(coil_run *, const char *message, int64_t lhs,
                            int64_t rhs) {
  return fail(COIL_ASSERTION_FAILED, "%s (got %" PRId64 " and %" PRId64 ")",
              message, lhs, rhs);
}

int32_t coil_rt_fail(coil_run *, int32_t status, const char *message) {
  return failWith(status, message);
}

} // extern "C"
