//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that kernels and host programs refer to, for a loader that
// resolves them without the dynamic linker.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/Collectives.h"
#include "coil/Runtime/DeviceMemory.h"
#include "coil/Runtime/Functions.h"
#include "coil/Runtime/Library.h"
#include "coil/Runtime/Objects.h"
#include "coil/Runtime/RunContext.h"
#include "coil/Runtime/Special.h"
#include "coil/Runtime/Transfer.h"

extern "C" const coil_symbol *coil_runtime_symbols(size_t *count) {
#define SYMBOL(name)                                                           \
  {                                                                            \
    #name, reinterpret_cast<void *>(&name)                                     \
  }
  static const coil_symbol symbols[] = {
      SYMBOL(coil_rt_alloc),
      SYMBOL(coil_rt_alloc_cuda),
      SYMBOL(coil_rt_allocation_failed),
      SYMBOL(coil_rt_assert_fail),
      SYMBOL(coil_rt_attention_cuda),
      SYMBOL(coil_rt_begin_range),
      SYMBOL(coil_rt_bound_object),
      SYMBOL(coil_rt_call),
      SYMBOL(coil_rt_check_input),
      SYMBOL(coil_rt_check_layout),
      SYMBOL(coil_rt_check_lifetime),
      SYMBOL(coil_rt_comm_alloc),
      SYMBOL(coil_rt_comm_alloc_cuda),
      SYMBOL(coil_rt_comm_free),
      SYMBOL(coil_rt_comm_free_cuda),
      SYMBOL(coil_rt_constant_cuda),
      SYMBOL(coil_rt_contraction),
      SYMBOL(coil_rt_contraction_cuda),
      SYMBOL(coil_rt_convolution),
      SYMBOL(coil_rt_convolution_cuda),
      SYMBOL(coil_rt_copy_cuda),
      SYMBOL(coil_rt_debug_mark),
      SYMBOL(coil_rt_debug_value),
      SYMBOL(coil_rt_debug_value_cuda),
      SYMBOL(coil_rt_drop_input),
      SYMBOL(coil_rt_drop_object),
      SYMBOL(coil_rt_end_range),
      SYMBOL(coil_rt_enter_device_cuda),
      SYMBOL(coil_rt_enter_stream_cuda),
      SYMBOL(coil_rt_fail),
      SYMBOL(coil_rt_fill_cuda),
      SYMBOL(coil_rt_free),
      SYMBOL(coil_rt_free_cuda),
      SYMBOL(coil_rt_input_cuda),
      SYMBOL(coil_rt_item),
      SYMBOL(coil_rt_item_cuda),
      SYMBOL(coil_rt_launch_cpu),
      SYMBOL(coil_rt_launch_cuda),
      SYMBOL(coil_rt_launch_user_cuda),
      SYMBOL(coil_rt_leave_device_cuda),
      SYMBOL(coil_rt_leave_stream_cuda),
      SYMBOL(coil_rt_match_layout),
      SYMBOL(coil_rt_note_cost),
      SYMBOL(coil_rt_partition_cuda),
      SYMBOL(coil_rt_record_event_cuda),
      SYMBOL(coil_rt_resize_input),
      SYMBOL(coil_rt_select_device),
      SYMBOL(coil_rt_set_input),
      SYMBOL(coil_rt_set_output),
      SYMBOL(coil_rt_sort),
      SYMBOL(coil_rt_sort_cuda),
      SYMBOL(coil_rt_tensor_map_cuda),
      SYMBOL(coil_rt_transfer),
      SYMBOL(coil_rt_wait_event_cuda),
      SYMBOL(coil_special_airy_ai),
      SYMBOL(coil_special_airy_aif),
      SYMBOL(coil_special_bessel_j0),
      SYMBOL(coil_special_bessel_j0f),
      SYMBOL(coil_special_bessel_j1),
      SYMBOL(coil_special_bessel_j1f),
      SYMBOL(coil_special_bessel_y0),
      SYMBOL(coil_special_bessel_y0f),
      SYMBOL(coil_special_bessel_y1),
      SYMBOL(coil_special_bessel_y1f),
      SYMBOL(coil_special_chebyshev_t),
      SYMBOL(coil_special_chebyshev_tf),
      SYMBOL(coil_special_chebyshev_u),
      SYMBOL(coil_special_chebyshev_uf),
      SYMBOL(coil_special_chebyshev_v),
      SYMBOL(coil_special_chebyshev_vf),
      SYMBOL(coil_special_chebyshev_w),
      SYMBOL(coil_special_chebyshev_wf),
      SYMBOL(coil_special_digamma),
      SYMBOL(coil_special_digammaf),
      SYMBOL(coil_special_erfcx),
      SYMBOL(coil_special_erfcxf),
      SYMBOL(coil_special_erfinv),
      SYMBOL(coil_special_erfinvf),
      SYMBOL(coil_special_hermite_h),
      SYMBOL(coil_special_hermite_he),
      SYMBOL(coil_special_hermite_hef),
      SYMBOL(coil_special_hermite_hf),
      SYMBOL(coil_special_i0),
      SYMBOL(coil_special_i0e),
      SYMBOL(coil_special_i0ef),
      SYMBOL(coil_special_i0f),
      SYMBOL(coil_special_i1),
      SYMBOL(coil_special_i1e),
      SYMBOL(coil_special_i1ef),
      SYMBOL(coil_special_i1f),
      SYMBOL(coil_special_igamma),
      SYMBOL(coil_special_igammac),
      SYMBOL(coil_special_igammacf),
      SYMBOL(coil_special_igammaf),
      SYMBOL(coil_special_k0),
      SYMBOL(coil_special_k0e),
      SYMBOL(coil_special_k0ef),
      SYMBOL(coil_special_k0f),
      SYMBOL(coil_special_k1),
      SYMBOL(coil_special_k1e),
      SYMBOL(coil_special_k1ef),
      SYMBOL(coil_special_k1f),
      SYMBOL(coil_special_laguerre_l),
      SYMBOL(coil_special_laguerre_lf),
      SYMBOL(coil_special_legendre_p),
      SYMBOL(coil_special_legendre_pf),
      SYMBOL(coil_special_lgamma),
      SYMBOL(coil_special_lgammaf),
      SYMBOL(coil_special_log_ndtr),
      SYMBOL(coil_special_log_ndtrf),
      SYMBOL(coil_special_ndtri),
      SYMBOL(coil_special_ndtrif),
      SYMBOL(coil_special_nextafter),
      SYMBOL(coil_special_nextafterf),
      SYMBOL(coil_special_shifted_chebyshev_t),
      SYMBOL(coil_special_shifted_chebyshev_tf),
      SYMBOL(coil_special_shifted_chebyshev_u),
      SYMBOL(coil_special_shifted_chebyshev_uf),
      SYMBOL(coil_special_shifted_chebyshev_v),
      SYMBOL(coil_special_shifted_chebyshev_vf),
      SYMBOL(coil_special_shifted_chebyshev_w),
      SYMBOL(coil_special_shifted_chebyshev_wf),
      SYMBOL(coil_special_trigamma),
      SYMBOL(coil_special_trigammaf),
      SYMBOL(coil_special_zeta),
      SYMBOL(coil_special_zetaf)};
#undef SYMBOL
  *count = sizeof(symbols) / sizeof(symbols[0]);
  return symbols;
}
