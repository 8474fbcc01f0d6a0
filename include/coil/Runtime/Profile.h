//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profiles of runs: what each kernel took, and a record of the memory, which
// emitted programs write on request.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_PROFILE_H
#define COIL_RUNTIME_PROFILE_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Steps and memory of the runs that it was attached to. For one thread.
typedef struct coil_profile coil_profile;

COIL_RT_API int32_t coil_profile_create(coil_profile **out);

/// NULL is allowed. No run may be attached any more.
COIL_RT_API void coil_profile_destroy(coil_profile *profile);

/// Collects the steps of a run from now on, in place of another trace; NULL for
/// `profile` ends that.
COIL_RT_API int32_t coil_profile_attach(coil_profile *profile, coil_run *run);

/// Says what a kernel is called, by the address that its launches have.
COIL_RT_API int32_t coil_profile_name_kernel(coil_profile *profile,
                                             const void *address,
                                             const char *name);

/// Notes a step that no attached run has: its time, and what it moves, or -1.
COIL_RT_API int32_t coil_profile_note_step(coil_profile *profile,
                                           const char *name,
                                           int64_t nanoseconds, int64_t bytes);

/// Notes memory that another allocator than the run's gave (`bytes` > 0) or
/// took back (`bytes` < 0). `file`, `line` and `function` are where; NULL is
/// not known.
COIL_RT_API int32_t coil_profile_note_memory(coil_profile *profile,
                                             const void *address, int64_t bytes,
                                             const char *file, int64_t line,
                                             const char *function);

/// A table, one line for each kernel and library function, the longest total
/// first: calls, total and mean time, bytes, share of the sum. Bytes are those
/// of all calls, "-" where the program does not say. Valid until the profile is
/// asked again.
COIL_RT_API const char *coil_profile_text(coil_profile *profile);

/// Writes the record of the memory as the pickle of
/// torch.cuda.memory._snapshot(), which pytorch.org/memory_viz reads. Fails
/// with COIL_UNAVAILABLE if the file cannot be written; what was there is then
/// as it was.
COIL_RT_API int32_t coil_profile_write_snapshot(coil_profile *profile,
                                                const char *path);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_PROFILE_H
