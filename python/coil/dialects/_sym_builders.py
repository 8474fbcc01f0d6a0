# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes of Coil's dialects from Python's values."""

from coil.ir import Attribute, register_attribute_builder


@register_attribute_builder("Sym_ExprAttr")
def _expr(value, context):
    """3, or "n + 1"."""
    return Attribute.parse(f"#sym.expr<{value}>", context)


@register_attribute_builder("Sym_ShapeAttr")
def _shape(value, context):
    """[4, "n"]."""
    return Attribute.parse(f"#sym.shape<[{', '.join(map(str, value))}]>", context)


@register_attribute_builder("Wrapper_DeviceAttr")
def _device(value, context):
    """"cuda"."""
    return Attribute.parse(f'#wrapper.device<"{value}">', context)
