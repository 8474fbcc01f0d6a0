//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Process groups: what programs do together with programs on other ranks.
//
// A program names a group, "0", and starts collectives of it. Whoever runs the
// program registers a group under that name before, for the kind of device that
// the program's tensors are on: one of torch.distributed from Python
// (coil.register_process_group), NCCL's (coil_nccl_group_create), ranks that
// are threads of this process (coil_local_groups_create), or one of their own.
//
// Registration and collectives are safe from any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_COLLECTIVES_H
#define COIL_RUNTIME_COLLECTIVES_H

#include "coil/Runtime/Runtime.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

typedef enum coil_collective_kind {
  COIL_ALL_REDUCE = 0,
  COIL_ALL_GATHER = 1,
  COIL_REDUCE_SCATTER = 2,
  COIL_ALL_TO_ALL = 3,
  COIL_BROADCAST = 4
} coil_collective_kind;

typedef enum coil_collective_reduce {
  COIL_REDUCE_SUM = 0,
  COIL_REDUCE_AVG = 1,
  COIL_REDUCE_MIN = 2,
  COIL_REDUCE_MAX = 3,
  COIL_REDUCE_PROD = 4
} coil_collective_reduce;

/// What a group knows of memory that it communicates from.
typedef enum coil_comm_kind {
  COIL_COMM_REGISTERED = 0, ///< Its transport knows it.
  COIL_COMM_SYMMETRIC = 1   ///< Every rank reaches that of the others.
} coil_comm_kind;

/// What is started. It and the tensors' descriptions live as long as the call
/// of `start`; the tensors' memory lives until `wait` or `abort` return. The
/// runtime has checked sizes against those of the group.
typedef struct coil_collective {
  uint32_t struct_size; ///< sizeof(coil_collective)
  int32_t kind;         ///< A coil_collective_kind.
  int32_t reduce;       ///< A coil_collective_reduce, for kinds that combine.
  int32_t root;         ///< Of a broadcast.
  /// Row by row. Both are the same memory where it works in place.
  const coil_tensor *source;
  const coil_tensor *target;
  /// Rows of the first dimension for and from each rank, for COIL_ALL_TO_ALL.
  const int64_t *source_splits;
  const int64_t *target_splits;
  /// On a CUDA device, the CUstream that makes the source; else NULL.
  void *stream;
  const char *where; ///< Its location in the model, or NULL.
  /// What `begin_recording` gave, where the stream is captured as a CUDA graph;
  /// else NULL.
  void *recording;
} coil_collective;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

typedef enum coil_group_flags {
  /// What `start` and `wait` put on a captured stream can be replayed.
  COIL_GROUP_RECORDABLE = 1
} coil_group_flags;

/// A process group. Functions that fail return a status, after
/// coil_rt_fail(NULL, status, why).
typedef struct coil_process_group {
  uint32_t struct_size; ///< sizeof(coil_process_group)
  int32_t device_type;  ///< Of the tensors that it takes.
  const char *name;     ///< "0"
  int32_t rank;
  int32_t size;
  /// Starts a collective and returns; `work` is what `wait` or `abort` get, one
  /// of them once.
  int32_t (*start)(void *user, const coil_collective *collective, void **work);
  /// The work's target is written when this returns; on a CUDA device, it is
  /// for what `stream` is given from then on. A rank that never comes is an
  /// error in time, not a wait without end. The work is gone, also on failure.
  int32_t (*wait)(void *user, void *work, void *stream);
  /// Gives up work, because the program has failed. The tensors' memory is
  /// nobody's when this returns. Other ranks should hear of it.
  void (*abort)(void *user, void *work);
  /// Memory of a coil_comm_kind; NULL, or COIL_UNAVAILABLE: there is none, and
  /// ordinary memory has to do. All ranks allocate the same in the same order.
  int32_t (*alloc)(void *user, int32_t kind, int64_t bytes, void **out);
  void (*free)(void *user, void *pointer);
  void *user; ///< What the functions get.
  /// A description that ends here (COIL_PROCESS_GROUP_BASE_SIZE) has no flags.
  uint32_t flags; ///< coil_group_flags
  /// \name With COIL_GROUP_RECORDABLE, all of these
  /// `recording` stands for what one CUDA graph has of the group, and is passed
  /// to `start`. `wait` and `abort` get work of it as they do other work, while
  /// the stream is captured still, or after that has failed. The graph may
  /// outlive the group: what it needs it has by `recording`, which keeps `user`
  /// from being that of another group.
  /// @{
  int32_t (*begin_recording)(void *user, void **recording);
  /// Before each launch of the graph; fails where that must not be.
  int32_t (*begin_replay)(void *recording);
  /// After it: `stream` has been given the graph. Fails where it is known that
  /// the graph's results are not to be had. A rank that does not come is an
  /// error in time, here too.
  int32_t (*end_replay)(void *recording, void *stream);
  /// The graph is gone, or has never been.
  void (*end_recording)(void *recording);
  /// @}
} coil_process_group;

#define COIL_PROCESS_GROUP_BASE_SIZE offsetof(coil_process_group, flags)

/// Registers a group for all programs of the process. Fails with
/// COIL_INVALID_ARGUMENT for a name that is taken on this kind of device, and
/// for ranks that cannot be.
COIL_RT_API int32_t
coil_register_process_group(const coil_process_group *group);

/// Takes a group back. Fails with COIL_INVALID_ARGUMENT if there is none, or a
/// program has started work with it that nothing has waited for.
COIL_RT_API int32_t coil_unregister_process_group(const char *name,
                                                  int32_t device_type);

/// Finds the group that the calling thread's programs see; COIL_UNAVAILABLE,
/// with a message that says which there are, for none. `found` may be NULL; it
/// gets the first COIL_PROCESS_GROUP_BASE_SIZE bytes of the description.
COIL_RT_API int32_t coil_find_process_group(const char *name,
                                            int32_t device_type,
                                            coil_process_group *found);

/// Registers a group for what the calling thread runs, before that of the
/// process. Ends with coil_leave_process_group, on the same thread; NULL is
/// allowed there.
COIL_RT_API int32_t coil_enter_process_group(const coil_process_group *group);
COIL_RT_API int32_t coil_leave_process_group(const char *name,
                                             int32_t device_type);

/// Gives up all that a run has started and nothing has waited for, as
/// coil_run_destroy does. For a run that goes on to be used after a program
/// has failed.
COIL_RT_API int32_t coil_run_abandon(coil_run *run);

//===----------------------------------------------------------------------===//
// Groups of this process
//===----------------------------------------------------------------------===//

/// `size` ranks that are threads of this process, for tensors of the CPU; a
/// single rank is there for CUDA devices, too. Ranks are combined in their
/// order, in the type of the elements, those of 16 and 8 bits in f32: results
/// are the same on every rank and every time.
typedef struct coil_local_groups coil_local_groups;

/// `time_limit_ms` is how long a rank waits for the others.
COIL_RT_API int32_t coil_local_groups_create(int32_t size, const char *name,
                                             int64_t time_limit_ms,
                                             coil_local_groups **out);

/// The group of a rank, for coil_register_process_group or
/// coil_enter_process_group; it lives as long as `groups`. `group` gets the
/// first COIL_PROCESS_GROUP_BASE_SIZE bytes of a description.
COIL_RT_API int32_t coil_local_groups_get(coil_local_groups *groups,
                                          int32_t rank, int32_t device_type,
                                          coil_process_group *group);

/// No rank may be registered or entered any more.
COIL_RT_API void coil_local_groups_destroy(coil_local_groups *groups);

//===----------------------------------------------------------------------===//
// Groups of NCCL
//===----------------------------------------------------------------------===//

/// Ranks that are processes with a GPU each. Needs libnccl.so.2, or what the
/// environment variable COIL_NCCL_LIBRARY names, from version 2.19 on.
typedef struct coil_nccl_group coil_nccl_group;

/// Makes the 128 bytes that all ranks of a group need, on one of them; whoever
/// starts the processes brings it to the others.
COIL_RT_API int32_t coil_nccl_get_unique_id(char *id);

/// Makes this process rank `rank` of a group, and waits for the others at most
/// `time_limit_ms`. Work that a rank does not come to in that time is aborted:
/// waiting for the device then gives an error that names it. The group allows
/// that CUDA graphs hold its collectives.
COIL_RT_API int32_t coil_nccl_group_create(const char *name, const char *id,
                                           int32_t rank, int32_t size,
                                           int32_t device,
                                           int64_t time_limit_ms,
                                           coil_nccl_group **out);

/// The group, for coil_register_process_group; it lives as long as `group`.
COIL_RT_API const coil_process_group *
coil_nccl_group_get(const coil_nccl_group *group);

/// It may not be registered any more. CUDA graphs that have collectives of it
/// keep what they need, and may not be launched any more. NULL is allowed.
COIL_RT_API void coil_nccl_group_destroy(coil_nccl_group *group);

//===----------------------------------------------------------------------===//
// For compiled programs
//===----------------------------------------------------------------------===//

/// Memory of a group for the run, or ordinary memory of the device where the
/// group has none. The run frees it if the program does not.
COIL_RT_API int32_t coil_rt_comm_alloc(coil_run *run, const char *group,
                                       int32_t kind, int64_t bytes, void **out);
COIL_RT_API int32_t coil_rt_comm_free(coil_run *run, void *pointer);
COIL_RT_API int32_t coil_rt_comm_alloc_cuda(coil_run *run, const char *group,
                                            int32_t kind, int64_t bytes,
                                            void **out);
COIL_RT_API int32_t coil_rt_comm_free_cuda(coil_run *run, void *pointer);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_COLLECTIVES_H
