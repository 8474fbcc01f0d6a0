# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What modules that mlir-tblgen generates import: MLIR's own Python package has the same names."""

from coil.dialects import _cext  # noqa: F401
from coil.ir._context import resolve_context
from coil.ir._operations import _OperationBase


def get_default_loc_context(location=None):
    """The context of a location, or the current one."""
    return location.context if location is not None else resolve_context(None)


def get_op_result_or_value(given):
    """The value, or the only result of an operation."""
    return given.result if isinstance(given, _OperationBase) else given


def get_op_results_or_values(given):
    """The values, or the results of an operation."""
    return list(given.results) if isinstance(given, _OperationBase) else list(given)


def get_op_result_or_op_results(operation):
    """The only result, all results, or the operation where it has none."""
    results = operation.results
    return results[0] if len(results) == 1 else results if len(results) else operation


def segmented_accessor(elements, sizes, index):
    """Group number `index` of operands or results, by the sizes of groups."""
    start = sum(sizes[:index])
    return elements[start:start + sizes[index]]


def equally_sized_accessor(elements, n_simple, n_variadic, n_preceding_simple, n_preceding_variadic):
    """Where a group begins and how many elements it has, if all variadic groups are of equal size."""
    size = (len(elements) - n_simple) // n_variadic
    return n_preceding_simple + n_preceding_variadic * size, size
