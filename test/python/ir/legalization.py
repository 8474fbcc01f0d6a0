# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen legalizations of Python, by torch.export and torch.compile. Raises where something is not
as it should be."""

import os
import sys
import tempfile
import traceback
import warnings

import coil
import torch
from coil import extend
from coil.dialects import graph
from coil.ir import InvalidHandleError

calls = []
behave = None


@extend.register_aten_legalization("_addmm_activation")
def legalize(call):
    calls.append(call)
    return behave(call)


def well(call):
    assert call.name == "aten._addmm_activation.default" and call.float("alpha") == 1 and call.int("use_gelu") == 0
    assert call.tensor("nothing") is None and call.argument("nothing") is None and call.int("nothing", 7) == 7
    assert len(call.tensors("mat1")) == 1 and call.ints("nothing") is None
    assert call.operand("self", call.result_type.element_type) == call.tensor("self")
    product = graph.MatmulOp(call.result_type, call.tensor("mat1"), call.tensor("mat2"), bias=call.tensor("self"))
    assert product.location == call.op.location
    return graph.relu(product)


class Layer(torch.nn.Module):
    def forward(self, bias, x, weight):
        return torch.ops.aten._addmm_activation(bias, x, weight) * 2


inputs = torch.randn(8), torch.randn(4, 16), torch.randn(16, 8)
expected = Layer()(*inputs)
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "layer.pt2")
torch.export.save(torch.export.export(Layer(), inputs), path)


def check_export():
    result = coil.compile(path).run(*inputs)[0]
    torch.testing.assert_close(torch.from_dlpack(result), expected)


def raises(kind, function, *words):
    try:
        function()
    except kind as error:
        for word in words:
            assert word in str(error), f"'{word}' is not in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def compile_anew(**options):
    torch._dynamo.reset()
    return torch.compile(Layer(), backend="coil", options=options)


behave = well
check_export()


@extend.register_pass("test-halve", op="func.func")
def halve(function):
    """The multiplication by two at the end is left out."""
    last = function.entry_block.terminator.operands[0].owner
    assert isinstance(last, graph.MulOp)
    last.replace_with(last.lhs)


halved = compile_anew(insert_passes={"after-legalization": "func.func(test-halve)"})
torch.testing.assert_close(halved(*inputs) * 2, expected)
torch.testing.assert_close(compile_anew(fallback="error")(*inputs), expected)
raises(InvalidHandleError, lambda: calls[0].tensor("self"), "has returned")
print("right")

# What a legalization refuses has its reason in the message, at the operator.
behave = lambda call: call.fail("it is Monday")
raises(coil.CompileError, check_export, "it is Monday", "aten._addmm_activation.default")
torch.testing.assert_close(compile_anew()(*inputs), expected)
error = raises(Exception, lambda: compile_anew(fallback="error")(*inputs), "it is Monday")
print("refused")


# An exception reaches the caller with its traceback.
def raising(call):
    graph.relu(call.tensor("mat1"))
    raise LookupError("not here")


behave = raising
error = raises(coil.CompileError, check_export, "raised LookupError: not here", "legalize")
assert isinstance(error.__cause__, LookupError) and "in raising" in "".join(traceback.format_exception(error))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.testing.assert_close(compile_anew()(*inputs), expected)
assert any("LookupError: not here" in str(each.message) for each in caught), [str(each.message) for each in caught]
print("raised")

for wrong, words in {
    lambda call: 3: "returns values, got 3",
    lambda call: None: "returns values, got None",
    lambda call: [well(call)] * 2: "gives 2 values, expected 1",
    lambda call: graph.isnan(well(call)):
        "gives a value of type tensor<4x8xi1>",
    lambda call: graph.relu(call.tensor("mat1")): "computed with [4, 16]",
    lambda call: graph.nothing(): "AttributeError",
    lambda call: call.op.erase(): "existed before",
    lambda call: call.tensor(3): "AttributeError",
    lambda call: graph.add(call.tensor("self"), call.tensor("mat1")): "do not broadcast",
    lambda call: well(call).owner.erase(): "TypeError",
}.items():
    behave = wrong
    raises(coil.CompileError, check_export, words)
print("wrong")


# Python ends at Ctrl-C.
def interrupting(call):
    raise KeyboardInterrupt


behave = interrupting
raises(KeyboardInterrupt, check_export)
behave = well
check_export()
raises(coil.InputError, lambda: extend.register_aten_legalization("relu")(well), "Coil's own")
raises(coil.InputError, lambda: extend.register_aten_legalization("_addmm_activation")(well), "already")
raises(coil.InputError, lambda: extend.register_aten_legalization(" ")(well), "names")
extend.register_aten_legalization("_addmm_activation", replace=True)(well)
check_export()
print("done")
sys.stdout.flush()
