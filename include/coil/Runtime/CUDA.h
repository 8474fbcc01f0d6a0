//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA GPUs: devices, kernels, and the functions that compiled host programs
// call for them. The driver is loaded at the first call that needs it
// (libcuda.so.1, or the file that the environment variable COIL_CUDA_DRIVER
// names); without it these functions return COIL_UNAVAILABLE. Work is ordered
// by the stream of the run; nothing but coil_run_synchronize waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_CUDA_H
#define COIL_RUNTIME_CUDA_H

#include "coil/Runtime/HostABI.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

typedef struct coil_cuda_device_info {
  char name[128];
  int32_t driver_version; ///< 13000 for CUDA 13.0.
  int32_t major;          ///< Compute capability.
  int32_t minor;
  int32_t multiprocessors;
  int64_t shared_bytes; ///< That one block can have.
  int64_t total_bytes;
  int64_t free_bytes;
} coil_cuda_device_info;

/// Counts the devices. Fails when there is no driver or no device.
COIL_RT_API int32_t coil_cuda_device_count(int32_t *count);

COIL_RT_API int32_t coil_cuda_get_device_info(int32_t device,
                                              coil_cuda_device_info *info);

/// What a device can do at most by its clocks; 0 where that is not known.
typedef struct coil_cuda_device_rates {
  double bytes_per_second; ///< Memory clock, two transfers each, by bus width.
  /// Operations on f32 outside of the units for matrices, and, in those, on
  /// 16-bit floats that are summed in f32: SMs, by their clock, by
  /// what one of the device's capability does in a cycle.
  double flops_per_second;
  double matrix_flops_per_second;
} coil_cuda_device_rates;

COIL_RT_API int32_t coil_cuda_get_device_rates(int32_t device,
                                               coil_cuda_device_rates *rates);

/// Binds a run to a device. Runs of programs for a GPU need it; at most once,
/// before anything else.
COIL_RT_API int32_t coil_run_set_cuda_device(coil_run *run, int32_t device);

/// Makes the run work on the caller's stream (a CUstream; null is the legacy
/// default stream). Otherwise it works on a stream that it has to itself.
COIL_RT_API int32_t coil_run_set_stream(coil_run *run, void *stream);

/// The same on another device, for programs on several. Without, they work
/// there on the legacy default stream where the caller gave a stream for the
/// run's own device, and else on one of the run. Work on the other devices
/// begins after what the run's stream had been given, and that stream waits
/// for it after each call of a program, and when the run ends.
COIL_RT_API int32_t coil_run_set_device_stream(coil_run *run, int32_t device,
                                               void *stream);

/// Waits for the run's work. Reports errors of its kernels: a failed index
/// check (COIL_ASSERTION_FAILED), or that a kernel broke the context, which
/// stays unusable until the process ends.
COIL_RT_API int32_t coil_run_synchronize(coil_run *run);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Allocates device memory owned by the run, aligned to 256 bytes. A block that
/// is freed serves later allocations on the same stream at once. When the
/// device has no memory left, cached blocks are returned to the driver before
/// this fails with COIL_OUT_OF_MEMORY.
COIL_RT_API int32_t coil_rt_alloc_cuda(coil_run *run, int64_t bytes,
                                       void **out);
COIL_RT_API int32_t coil_rt_free_cuda(coil_run *run, void *pointer);

/// Sets `bytes` bytes of the device's memory to one value, in the run's stream.
COIL_RT_API int32_t coil_rt_fill_cuda(coil_run *run, void *to, int32_t byte,
                                      int64_t bytes);

/// Copies device memory, in the order of the run's stream.
COIL_RT_API int32_t coil_rt_copy_cuda(coil_run *run, void *to, const void *from,
                                      int64_t bytes);
/// Copies from and to host memory. The host memory must stay as it is until
/// the run was synchronised.
COIL_RT_API int32_t coil_rt_upload_cuda(coil_run *run, void *to,
                                        const void *from, int64_t bytes);
COIL_RT_API int32_t coil_rt_download_cuda(coil_run *run, void *to,
                                          const void *from, int64_t bytes);

/// Reads one element on the host as `coil_rt_item` does: waits for what the run
/// has started, and reports its failures. Programs that call this are not kept
/// as graphs.
COIL_RT_API int32_t coil_rt_item_cuda(coil_run *run, const void *data,
                                      int32_t dtype, void *out);

/// Shows a buffer as `coil_rt_debug_value` does: waits for what the run has
/// started. Programs that call this are not captured in CUDA graphs.
COIL_RT_API int32_t coil_rt_debug_value_cuda(coil_run *run, int32_t action,
                                             const char *label,
                                             const void *data, int32_t dtype,
                                             int32_t rank, const int64_t *sizes,
                                             const int64_t *strides);

/// Gives data of the program as device memory that the caller must not write.
/// A program (below) uploads it once, a run without one each time.
COIL_RT_API int32_t coil_rt_constant_cuda(coil_run *run, const void *data,
                                          int64_t bytes, void **out);

/// Checks that an input is on the device of the run, and returns its memory,
/// or a copy where that does not begin at a multiple of `alignment` bytes, a
/// power of two.
COIL_RT_API int32_t coil_rt_input_cuda(coil_run *run, const coil_tensor *input,
                                       const char *name, int64_t alignment,
                                       void **out);

typedef struct coil_cuda_allocator_stats {
  int64_t in_use_bytes; ///< Blocks that someone owns.
  int64_t cached_bytes; ///< Blocks that are free, but not the driver's.
  int64_t peak_in_use_bytes;
  int64_t peak_reserved_bytes;
  int64_t hits;
  int64_t misses;  ///< Allocations that went to the driver.
  int64_t retries; ///< Those for which cached blocks had to be returned.
} coil_cuda_allocator_stats;

COIL_RT_API int32_t
coil_cuda_allocator_get_stats(int32_t device, coil_cuda_allocator_stats *stats);

/// Waits for everything that was started on a device, by whomever.
COIL_RT_API int32_t coil_cuda_synchronize(int32_t device);

/// Starts the peaks anew from what there is.
COIL_RT_API int32_t coil_cuda_allocator_reset_peaks(int32_t device);

/// Returns cached memory to the driver until at most `keep_bytes` stay cached;
/// waits for the device. `released` may be NULL.
COIL_RT_API int32_t coil_cuda_allocator_trim(int32_t device, int64_t keep_bytes,
                                             int64_t *released);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

enum {
  /// The kernel takes a pointer to the error word as its last argument.
  COIL_CUDA_KERNEL_CHECKS = 1,
  /// The pointers to the buffers are one argument: an array of them by value.
  COIL_CUDA_KERNEL_TABLE = 2,
  /// The kernel waits itself (griddepcontrol.wait) for what is before it in its
  /// stream, so that it may be launched while that still runs.
  COIL_CUDA_KERNEL_OVERLAPS = 4
};

/// A compiled kernel. It takes pointers to its buffers, then one i64 for each
/// symbol, then perhaps the scratch memory's pointer, then perhaps the error
/// word's.
typedef struct coil_cuda_kernel {
  uint32_t struct_size; ///< sizeof(coil_cuda_kernel)
  uint32_t flags;
  const char *name;     ///< The function in the image.
  const char *location; ///< Its location in the model, or NULL.
  const void *image;    ///< PTX text that ends in 0, or machine code.
  uint64_t image_size;
  int32_t num_buffers;
  int32_t num_symbols;
  int32_t block[3];       ///< Threads of a block.
  int32_t dynamic_shared; ///< Bytes of shared memory asked for at launch.
  /// Bytes of scratch memory for each block of the grid, zero when the kernel
  /// starts; 0 when it takes no pointer to any.
  int32_t block_scratch;
  void *state; ///< The runtime's; starts as NULL.
  /// What a kernel of a user's takes, in its own order, a letter for each: 'a'
  /// the address of a buffer, 'm' a tensor map of 128 bytes, '4' and '8' a
  /// number of so many bytes. NULL for other kernels, and where nobody knows:
  /// then no graph can hold its launches.
  const char *parameters;
} coil_cuda_kernel;

/// Loads a kernel onto a device, which the first launch does otherwise.
COIL_RT_API int32_t coil_cuda_kernel_load(coil_cuda_kernel *kernel,
                                          int32_t device);

/// The same from machine code for this device that somebody has made of the
/// kernel's PTX, and that is not used any more when this returns. Other devices
/// still get the PTX.
COIL_RT_API int32_t coil_cuda_kernel_load_code(coil_cuda_kernel *kernel,
                                               int32_t device,
                                               const void *code);

/// Unloads a kernel from all devices. Nothing may use it any more.
COIL_RT_API void coil_cuda_kernel_unload(coil_cuda_kernel *kernel);

typedef struct coil_cuda_kernel_info {
  int32_t registers;
  int32_t local_bytes;
  int32_t static_shared_bytes;
  int32_t max_threads;
} coil_cuda_kernel_info;

/// What a kernel takes of a device; loads it.
COIL_RT_API int32_t coil_cuda_kernel_get_info(coil_cuda_kernel *kernel,
                                              int32_t device,
                                              coil_cuda_kernel_info *info);

/// Launches a kernel on the run's stream; a grid of no blocks does nothing.
COIL_RT_API int32_t coil_rt_launch_cuda(coil_run *run, coil_cuda_kernel *kernel,
                                        void *const *buffers,
                                        const int64_t *symbols, int64_t grid_x,
                                        int64_t grid_y, int64_t grid_z);

/// What the unit for copies of tiles (TMA) is told of a buffer. All lists are
/// in the order of its dimensions, the innermost last.
typedef struct coil_tensor_map {
  uint32_t struct_size; ///< sizeof(coil_tensor_map)
  int32_t dtype;        ///< COIL_F32, ...
  int32_t rank;         ///< 1 to 5
  /// \name Values of the driver's enums; 0 is none, and zeros for `fill`
  /// @{
  int32_t interleave;
  int32_t swizzle;
  int32_t promotion;
  int32_t fill;
  /// @}
  int32_t reserved;           ///< 0
  int64_t sizes[5];           ///< In elements, as all that follow.
  int64_t strides[5];         ///< The innermost is 1.
  int64_t box[5];             ///< What one copy takes, ...
  int64_t element_strides[5]; ///< ... and of how many elements one.
  const char *where;          ///< The step's location in the model, or NULL.
} coil_tensor_map;

/// Gives the tensor map of a buffer, 128 bytes that a kernel takes by value.
/// They are the run's and live as long; the same description of the same
/// address gives the same map. COIL_INVALID_ARGUMENT for a layout that the
/// device cannot take, COIL_UNAVAILABLE where driver or device have no tensor
/// maps.
COIL_RT_API int32_t coil_rt_tensor_map_cuda(coil_run *run,
                                            const coil_tensor_map *desc,
                                            const void *address,
                                            const void **map);

/// Launches a kernel of a user's, which takes what `arguments` point to, in its
/// own order and of its own types; of `kernel`, `num_buffers`, `num_symbols`
/// and `block_scratch` are 0, and `parameters` says how the arguments are
/// passed.
COIL_RT_API int32_t coil_rt_launch_user_cuda(coil_run *run,
                                             coil_cuda_kernel *kernel,
                                             void *const *arguments,
                                             int64_t grid_x, int64_t grid_y,
                                             int64_t grid_z);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// What all runs of one program share: uploaded constants, and recorded calls.
/// Any number of threads may use it.
typedef struct coil_cuda_program coil_cuda_program;

COIL_RT_API int32_t coil_cuda_program_create(coil_cuda_program **out);

/// Waits for calls that may read what the program holds. NULL is allowed.
COIL_RT_API void coil_cuda_program_destroy(coil_cuda_program *program);

/// Says which inputs are constants of the program, such as weights: graphs are
/// found without looking at their sizes. Constants at other addresses are
/// another set of them, for which calls are recorded anew. Before the first
/// call.
COIL_RT_API void
coil_cuda_program_set_constant_inputs(coil_cuda_program *program,
                                      const int32_t *numbers, int32_t count);

/// Sets how many calls are captured in CUDA graphs; 0, the default, keeps none.
/// A call whose input sizes were seen before is recorded, and replayed from
/// then on; the least recently used recording is evicted for a new one.
COIL_RT_API void coil_cuda_program_set_graph_limit(coil_cuda_program *program,
                                                   int32_t limit);

/// Whether calls may be captured as a whole; they may by default. Otherwise,
/// and once a call has run a partition (below), only partitions are.
COIL_RT_API void coil_cuda_program_set_whole_calls(coil_cuda_program *program,
                                                   int32_t enable);

/// Makes a run that keeps memory for calls of the program, such as weights: it
/// has to live as long as calls begin that read it, and waits for those that
/// have begun when it ends.
COIL_RT_API int32_t coil_run_keep_memory(coil_run *run,
                                         coil_cuda_program *program);

/// Waits for the calls that such a run would wait for; does nothing for others.
COIL_RT_API void coil_run_wait_for_readers(coil_run *run);

/// Lets a run use what the program holds.
COIL_RT_API int32_t coil_run_set_cuda_program(coil_run *run,
                                              coil_cuda_program *program);

/// Calls an entry point, or replays a recording of it. Outputs belong to the
/// run either way.
COIL_RT_API int32_t coil_cuda_program_call(
    coil_cuda_program *program, coil_run *run, coil_entry_point entry,
    const coil_tensor *inputs, int32_t num_inputs, coil_tensor *outputs,
    int32_t num_outputs);

/// Binds a call to its memory, without running it: records it as one CUDA graph
/// that reads `inputs` where they are. `outputs` are where every launch writes,
/// and belong to the run. The caller keeps the memory of the inputs as long as
/// the run. Fails with COIL_UNSUPPORTED where the call is not one graph.
COIL_RT_API int32_t coil_cuda_program_bind(
    coil_cuda_program *program, coil_run *run, coil_entry_point entry,
    const coil_tensor *inputs, int32_t num_inputs, coil_tensor *outputs,
    int32_t num_outputs);

/// Puts the call that a run is bound to into the run's stream. Nothing is
/// checked, allocated or waited for.
COIL_RT_API int32_t coil_run_launch_bound(coil_run *run);

typedef struct coil_cuda_graph_stats {
  int64_t plain; ///< Calls that ran without a graph.
  int64_t recorded;
  int64_t replayed;
  int64_t patched; ///< Replays for which addresses in the graph changed.
  int64_t refused; ///< Calls that cannot be recorded.
  int64_t evicted;
} coil_cuda_graph_stats;

COIL_RT_API void
coil_cuda_program_get_graph_stats(const coil_cuda_program *program,
                                  coil_cuda_graph_stats *stats);

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// Makes the run's device current for the thread, until the run leaves it: what
/// works on it in between need not. Leaving does nothing where nothing was
/// entered, and never fails.
COIL_RT_API int32_t coil_rt_enter_device_cuda(coil_run *run);
COIL_RT_API int32_t coil_rt_leave_device_cuda(coil_run *run);

/// \name Streams
/// Makes side stream `number`, from 1 to 31, the current one of the run, until
/// the run leaves it; an event of the current stream; lets the current stream
/// wait for an event, once. Only events order streams. Memory that a program
/// allocates is that of the main stream: another one may use it between an
/// event of the main stream that it has waited for, and an event of its own
/// that the main stream has waited for before the memory is freed.
/// @{
COIL_RT_API int32_t coil_rt_enter_stream_cuda(coil_run *run, int32_t number);
COIL_RT_API int32_t coil_rt_leave_stream_cuda(coil_run *run);
COIL_RT_API int32_t coil_rt_record_event_cuda(coil_run *run, void **event);
COIL_RT_API int32_t coil_rt_wait_event_cuda(coil_run *run, void *event);
/// @}

/// Runs a function of the program that depends on its inputs and on
/// `num_symbols` numbers alone (`wrapper.partition_call`). In a call of a
/// program that keeps graphs it is recorded at the second call with these
/// numbers, and replayed from then on; else, and where that fails, it is
/// called.
///
/// `given` has a letter for each input: 'c' for storage that the function takes
/// over, 'u' for storage that it writes and the caller keeps, 'k' for other.
/// The numbers are the data of the tensor after the inputs. `results` has a
/// letter for each output: 's' where the storage can stay where a recording has
/// it, since the program ends its life before it returns, 'g' for other.
COIL_RT_API int32_t coil_rt_partition_cuda(
    coil_run *run, const char *name, coil_entry_point entry,
    const coil_tensor *inputs, const char *given, int32_t num_symbols,
    coil_tensor *outputs, const char *results);

typedef struct coil_cuda_partition_stats {
  int64_t warmups;  ///< Partitions that ran plainly, to be recorded later.
  int64_t recorded; ///< Nodes that were made.
  int64_t replayed;
  int64_t patched; ///< Replays for which addresses in the graph changed.
  int64_t plain;   ///< Partitions that ran plainly for any other reason.
  int64_t nodes;   ///< That are kept now.
  int64_t dropped; ///< Nodes that were evicted for others.
  int64_t bytes;   ///< Of device memory that the nodes share.
} coil_cuda_partition_stats;

COIL_RT_API void
coil_cuda_program_get_partition_stats(const coil_cuda_program *program,
                                      coil_cuda_partition_stats *stats);

/// Calls `fn` for each reason why a partition ran plainly or could not be
/// recorded, with how often that happened.
COIL_RT_API void coil_cuda_program_get_partition_failures(
    const coil_cuda_program *program,
    void (*fn)(void *user, const char *partition, const char *reason,
               int64_t count),
    void *user);

/// How often one partition is recorded at most, 128 by default: from then on
/// numbers that have no recording run plainly.
COIL_RT_API void coil_cuda_program_set_record_limit(coil_cuda_program *program,
                                                    int32_t limit);

//===----------------------------------------------------------------------===//
// Measurement and debugging
//===----------------------------------------------------------------------===//

/// Records the device time of each launch, copy and library call from now on.
COIL_RT_API int32_t coil_run_set_timing(coil_run *run, int32_t enable);

typedef struct coil_cuda_step {
  const void *kernel; ///< The coil_cuda_kernel, or NULL.
  const char *name;   ///< Of the kernel or the library call.
  double microseconds;
  coil_cost cost;
} coil_cuda_step;

/// Synchronises, and calls `fn` for each recorded step in order.
COIL_RT_API int32_t coil_run_get_timing(coil_run *run,
                                        void (*fn)(void *user,
                                                   const coil_cuda_step *step),
                                        void *user);

/// Waits after each launch, so that an error is that kernel's. The environment
/// variable COIL_CUDA_BLOCKING=1 does the same.
COIL_RT_API void coil_cuda_set_blocking(int32_t enable);

/// Whether kernels that wait themselves for those before them are launched
/// while those still run (the default). The environment variable
/// COIL_CUDA_OVERLAP=0 says no.
COIL_RT_API void coil_cuda_set_overlap(int32_t enable);

/// Puts an NVTX range around each call and names launches in it, where NVIDIA's
/// libnvToolsExt.so.1 can be loaded. COIL_NVTX=1 does the same.
COIL_RT_API int32_t coil_cuda_set_nvtx(int32_t enable);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_CUDA_H
