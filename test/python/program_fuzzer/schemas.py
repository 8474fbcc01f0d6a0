#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Operators of PyTorch's schema table, and those that programs do not use, each with a reason."""

import collections
import re

import torch

# The first expression that a name matches says why an operator is left out.
SKIPPED = [
    (r"backward|_bwd|_grad|grad_input", "derivative"),
    (r"sparse|_coo|_csr|_csc|_bsr|_bsc|coalesce|dense_dim|^values|^indices|crow_|ccol_|col_ind|row_ind|_nnz|_spmm|"
     r"_spsolve|hspmm|sspaddmm|smm|_spdiags|^_indices|^_values|_to_csr", "sparse"),
    (r"^q_|^qscheme|quantized|quantize_per|quantize_lin|_quant|int_repr|dequantize|fbgemm|choose_qparams|"
     r"_fake_quantize_learnable|_fake_quantize_per_tensor_affine_cachemask|_cachemask", "quantized"),
    (r"mkldnn|cudnn|miopen|_mps|vulkan|metal|xnnpack|onednn|_cslt|_cuda|_use_c|_thnn", "of one library or device"),
    (r"nested|jagged|padded_dense", "nested"),
    (r"_test|_foobar|_make_dep_token|_print|_assert", "testing and tracing"),
    (r"^sym_|^is_|^_is_|^_has|^numel$|^size$|^stride$|^dim$|storage_offset|^result_type|can_cast|promote_types|^equal$|"
     r"^item$|_local_scalar|is_nonzero|^__contains|^len$|_dim_arange|_version|^allclose$|_debug_has", "gives a number, not a tensor"),
    (r"^(set_|set|resize|resize_|resize_as_?|rename_?|align_\w+|refine_names|requires_grad_|retain_grad|pin_memory|record_stream|"
     r"from_file|lift|lift_fresh|lift_fresh_copy|data|set_data|batch_norm_gather_stats\w*|batch_norm_stats|batch_norm_elemt|"
     r"batch_norm_update_stats)$", "of a tensor's own state, or of parts of other operators"),
    (r"empty|new_empty", "memory that nobody wrote to"),
]
# Overloads that eager mode computes wrong.
WRONG = {"binary_cross_entropy.out": "reduces what it has not resized",
         "huber_loss.out": "writes the losses to its result, which may be a view, before it reduces them",
         "_softmax.out": "writes row by row, whatever strides its result has", "_log_softmax.out": "writes row by row, whatever strides its result has",
         "_native_batch_norm_legit.no_stats_out": "takes means from memory that nobody wrote to, of what is not contiguous"}
# Internal operators that exported programs hold.
INTERNAL = re.compile(r"^_(foreach_|softmax$|log_softmax$|to_copy$|native_batch_norm_legit|weight_norm$|safe_softmax$|cdist|"
                      r"adaptive_avg_pool|embedding_bag|fft_|logcumsumexp|unsafe_view|unsafe_index|local_scalar|euclidean|"
                      r"linalg_eigh|linalg_slogdet|linalg_solve_ex|linalg_svd|linalg_det|cummax|trilinear|unique2)|^__")
OBJECTS = re.compile(r"Dict|\bt\b|\bt1\b|Storage|RRef|Future|Enum|__torch__|Tuple|Any|Stream|complex$")


class Operator:
    """An overload, and what its schema says."""

    def __init__(self, schema, overload):
        self.schema, self.call = schema, overload
        self.name = schema.name[len("aten::"):]
        self.full = self.name + "." + (schema.overload_name or "default")
        self.text = "torch.ops.aten." + self.full
        self.arguments = schema.arguments
        self.written = [a for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        self.is_out = bool(self.written) and all(a.kwarg_only for a in self.written)
        self.is_in_place = bool(self.written) and not self.is_out
        self.tags = set(overload.tags)
        self.is_random = torch.Tag.nondeterministic_seeded in self.tags
        self.has_data_size = torch.Tag.dynamic_output_shape in self.tags or torch.Tag.data_dependent_output in self.tags


def read_table():
    """The operators by name, and why others are left out: (operators, {reason: [overloads]})."""
    found, skipped = collections.defaultdict(list), collections.defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        name = schema.name[len("aten::"):]
        full = name + "." + (schema.overload_name or "default")
        types = [str(a.type) for a in (*schema.arguments, *schema.returns)]
        reason = None
        if any(OBJECTS.search(t) for t in types):
            reason = "of TorchScript's objects"
        elif not any("Tensor" in t for t in types):
            reason = "of numbers alone"
        elif any(a.name in ("names", "dimname") or "Dimname" in str(a.real_type) for a in schema.arguments):
            reason = "named dimensions"
        elif not INTERNAL.search(name):
            reason = next((why for pattern, why in SKIPPED if re.search(pattern, name)), None)
            if not reason and name.startswith("_"):
                reason = "internal"
        reason = reason or WRONG.get(full)
        overload = None
        if not reason:
            try:
                overload = getattr(getattr(torch.ops.aten, name), schema.overload_name or "default")
            except AttributeError:
                reason = "no operator of the dispatcher"
        if reason:
            skipped[reason].append(full)
        else:
            found[name].append(Operator(schema, overload))
    return {name: sorted(found[name], key=lambda o: o.full) for name in sorted(found)}, skipped
