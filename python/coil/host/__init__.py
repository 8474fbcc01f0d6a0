# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What emitted host programs call: kernels, libraries, checks, tensors.

`coil-compile --emit=python` writes modules that import this one. It works on
torch tensors, through what every tensor has: an address, sizes and strides.
"""

from coil._library import CompileError, InputError, RunError
from coil.host._runs import (
    Device,
    random_state,
    set_generator,
    set_hook,
    set_random_state,
)
from coil.host._kernels import (
    CombinedKernel,
    Kernel,
    Kernels,
    Runner,
    TensorMap,
    TensorMapOf,
    UserKernel,
    bind_arguments,
)
from coil.host._tensors import (
    aligned,
    assert_range,
    assert_size_stride,
    input_copies,
    match_size_stride,
    carve,
    check,
    check_aligned,
    check_input,
    constant,
    constant_bytes,
    divide,
    fill,
    item,
    load_weights,
    rand_strided,
    reinterpret_tensor,
    resize_storage,
    set_storage,
    unpack,
)
from coil.host._model import Model
from coil.host._libraries import (
    attention,
    contraction,
    convolution,
    sort,
)
from coil.host._calls import (
    bound_object,
    call,
    comm_empty_strided,
    copy_results,
    flatten,
    require_functions,
)
from coil.host._debug import (
    begin_range,
    check_lifetime,
    debug_mark,
    debug_value,
    end_range,
    profile_range,
)
from coil.host._profile import (
    print_performance,
    run_benchmark,
)
