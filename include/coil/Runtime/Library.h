//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense operations that compiled programs hand to a vendor library. The library
// is loaded at the first call; a program that needs none runs without it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_LIBRARY_H
#define COIL_RUNTIME_LIBRARY_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether there is the library "onednn", "lapack", "cublaslt", "cudnn" or
/// "cub". The first two are loaded for that; of the others, which are hundreds
/// of megabytes, only the file is looked for, where that suffices.
COIL_RT_API int32_t coil_rt_library_available(const char *library);

/// Chooses the file that is loaded for a library in place of the default
/// (libdnnl.so.2, libopenblas.so.0 or liblapack.so.3, libcublasLt.so.13 or 12,
/// libcudnn.so.9, and libcoil-cub.so next to the runtime, or what the
/// environment variables COIL_ONEDNN_LIBRARY, COIL_LAPACK_LIBRARY,
/// COIL_CUBLASLT_LIBRARY, COIL_CUDNN_LIBRARY and COIL_CUB_LIBRARY name), from
/// the next call on; NULL restores the default.
COIL_RT_API int32_t coil_library_set_file(const char *library,
                                          const char *file);

/// Elementwise function applied to each result after the bias.
typedef enum coil_post_op {
  COIL_POST_NONE = 0,
  COIL_POST_RELU = 1,
  COIL_POST_GELU_ERF = 2,
  COIL_POST_GELU_TANH = 3
} coil_post_op;

/// Which dimension of the result a bias vector runs along.
typedef enum coil_bias_axis {
  COIL_BIAS_ALONG_N = 0,
  COIL_BIAS_ALONG_M = 1
} coil_bias_axis;

#define COIL_MAX_BATCH_RANK 4
#define COIL_MAX_SPATIAL_RANK 3

/// C[b..., m, n] = post(sum over k of A[b..., m, k] * B[b..., k, n] + bias).
/// Strides count elements; those of A and B may be 0 (broadcast) or negative,
/// those of C must address each element once. C must not overlap A, B or bias.
typedef struct coil_contraction {
  uint32_t struct_size; ///< sizeof(coil_contraction)
  int32_t a_dtype;
  int32_t b_dtype;
  int32_t bias_dtype; ///< Read when a bias is given.
  int32_t c_dtype;
  int32_t batch_rank;
  int32_t bias_axis;
  int32_t post_op;
  int32_t tf32;     ///< Whether factors of f32 may be rounded to TF32.
  int32_t reserved; ///< 0
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_strides[2]; ///< m, k
  int64_t b_strides[2]; ///< k, n
  int64_t c_strides[2]; ///< m, n
  int64_t bias_stride;
  int64_t batch_sizes[COIL_MAX_BATCH_RANK]; ///< Outermost first.
  int64_t a_batch_strides[COIL_MAX_BATCH_RANK];
  int64_t b_batch_strides[COIL_MAX_BATCH_RANK];
  int64_t c_batch_strides[COIL_MAX_BATCH_RANK];
  const char *where; ///< Its location in the model, for errors, or NULL.
} coil_contraction;

/// Runs a contraction. `bias` may be NULL. f32 takes any size and stride
/// without per-shape preparation. Operands of bf16 or f16 (bias and result the
/// same or f32) are computed in that type where the library has kernels of this
/// processor for it, else extended to f32. Other dtypes are COIL_UNSUPPORTED.
/// f32 is never rounded to TF32.
COIL_RT_API int32_t coil_rt_contraction(coil_run *run,
                                        const coil_contraction *desc,
                                        const void *a, const void *b,
                                        const void *bias, void *c);

/// The same on the device of the run, by cuBLASLt, for f32 (rounded to TF32
/// where the description allows it), f64, f16 and bf16, summed in f32 or f64.
/// The result must be dense along m or n, and a bias, of the result's type,
/// along the dense one; the functions are none, relu and gelu by tanh. Other
/// requests are COIL_UNSUPPORTED.
COIL_RT_API int32_t coil_rt_contraction_cuda(coil_run *run,
                                             const coil_contraction *desc,
                                             const void *a, const void *b,
                                             const void *bias, void *c);

/// y[n, co, o...] = post(sum over ci, k... of
///     x[n, g * ci_per_group + ci, o * stride + k * dilation - padding_lo] *
///     w[co, ci, k...] + bias[co]).
/// Entries of the arrays beyond the spatial rank are not read.
typedef struct coil_convolution {
  uint32_t struct_size; ///< sizeof(coil_convolution)
  int32_t x_dtype;
  int32_t w_dtype;
  int32_t bias_dtype; ///< Read when a bias is given.
  int32_t y_dtype;
  int32_t spatial_rank; ///< 1, 2 or 3
  int32_t transposed;   ///< Refused with COIL_UNSUPPORTED when not 0.
  int32_t post_op;
  int32_t tf32;     ///< Whether x and w of f32 may be rounded to TF32.
  int32_t reserved; ///< 0
  int64_t batch;
  int64_t in_channels;
  int64_t out_channels;
  int64_t groups;
  int64_t bias_stride;
  int64_t in_sizes[COIL_MAX_SPATIAL_RANK];
  int64_t kernel_sizes[COIL_MAX_SPATIAL_RANK];
  int64_t out_sizes[COIL_MAX_SPATIAL_RANK];
  int64_t strides[COIL_MAX_SPATIAL_RANK];
  int64_t padding_lo[COIL_MAX_SPATIAL_RANK];
  int64_t padding_hi[COIL_MAX_SPATIAL_RANK];
  int64_t dilations[COIL_MAX_SPATIAL_RANK];     ///< 1 = dense kernel.
  int64_t x_strides[2 + COIL_MAX_SPATIAL_RANK]; ///< n, ci, spatial
  int64_t w_strides[2 + COIL_MAX_SPATIAL_RANK]; ///< co, ci in group, spatial
  int64_t y_strides[2 + COIL_MAX_SPATIAL_RANK]; ///< n, co, spatial
  const char *where; ///< Its location in the model, for errors, or NULL.
} coil_convolution;

/// Runs a convolution. `bias` may be NULL. Takes f32, bf16 and f16, as
/// contractions do.
COIL_RT_API int32_t coil_rt_convolution(coil_run *run,
                                        const coil_convolution *desc,
                                        const void *x, const void *w,
                                        const void *bias, void *y);

/// The same on the device of the run, by cuDNN, for f32 (rounded to TF32
/// where the description allows it), f16 and bf16, summed in f32; all operands
/// have one type, the function is none or relu, and `y` is dense with the
/// channels in NCHW order or innermost. What is not in the order of `y` is
/// copied first.
COIL_RT_API int32_t coil_rt_convolution_cuda(coil_run *run,
                                             const coil_convolution *desc,
                                             const void *x, const void *w,
                                             const void *bias, void *y);

/// o[b, h, l] = sum over s of softmax over s of (scale * q[b, h, l] . k[b, h',
/// s]
///     + mask[b, h, l, s]) * v[b, h', s], where `heads / kv_heads` neighbouring
/// heads h share a head h'. Strides count elements; those of the mask may be 0.
typedef struct coil_attention {
  uint32_t struct_size; ///< sizeof(coil_attention)
  int32_t dtype;        ///< Of all operands.
  int32_t causal;       ///< Whether l sees only s up to l.
  int32_t reserved;     ///< 0
  double scale;
  int64_t batch;
  int64_t heads;
  int64_t kv_heads;
  int64_t queries;
  int64_t keys;
  int64_t width; ///< Of a query and a key.
  int64_t value_width;
  int64_t q_strides[4]; ///< batch, heads, queries, width
  int64_t k_strides[4];
  int64_t v_strides[4];
  int64_t mask_strides[4];
  int64_t o_strides[4];
  const char *where; ///< Its location in the model, for errors, or NULL.
} coil_attention;

/// Runs attention on the device of the run, by cuDNN, for f16 and bf16.
/// `mask` may be NULL. Both widths are multiples of 8, at most 128. A query
/// for which the mask is minus infinity everywhere has no defined result.
COIL_RT_API int32_t coil_rt_attention_cuda(coil_run *run,
                                           const coil_attention *desc,
                                           const void *q, const void *k,
                                           const void *v, const void *mask,
                                           void *o);

/// Elements in order: x is [outer, size, inner], and values and indices are
/// [outer, count, inner], all of it contiguous. Along `size` the first `count`
/// elements in ascending or descending order, and the positions that they had.
/// NaN counts as larger than every number, 0.0 and -0.0 are equal, and equal
/// elements keep their order. If `unordered` is set, elements before the last
/// one may come in any order.
typedef struct coil_sort {
  uint32_t struct_size; ///< sizeof(coil_sort)
  int32_t dtype;        ///< Of x and values; no float of 8 bits.
  int32_t descending;
  int32_t unordered; ///< Only the last of the `count` is at its position.
  int64_t outer;
  int64_t size; ///< Less than 2^32.
  int64_t inner;
  int64_t count;     ///< At most `size`.
  const char *where; ///< Its location in the model, for errors, or NULL.
} coil_sort;

/// Sorts with all threads. `values` or `indices` may be NULL.
COIL_RT_API int32_t coil_rt_sort(coil_run *run, const coil_sort *desc,
                                 const void *x, void *values, int64_t *indices);

/// The same on the device of the run, by CUB; less than 2^31 elements.
COIL_RT_API int32_t coil_rt_sort_cuda(coil_run *run, const coil_sort *desc,
                                      const void *x, void *values,
                                      int64_t *indices);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_LIBRARY_H
