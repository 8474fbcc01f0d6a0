# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes nodes of an FX graph as the text of an exported program.

The text is the JSON that a .pt2 file has of a program, schema version 8, which the
importer reads (docs/concepts/Import.md). It is made here from the graph in memory, because the
serializer of torch needs an ExportedProgram, which a graph of AOTAutograd is not (its
inputs are a flat list, its backward has no signature), and takes 20 times as long.
"""

import functools
import json
import math

import sympy
import torch
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from coil.torch_compile import _fx

_LAYOUTS = {torch.strided: 7}
_FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3,
            torch.preserve_format: 4}


class Unsupported(Exception):
    """A node that has no form in the text. `node` may be None."""

    def __init__(self, node, reason):
        super().__init__(reason)
        self.node, self.reason = node, reason


def _float(value):
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


class MissingSymbol(Unsupported):
    """A symbol whose value nothing outside of a piece tells."""

    def __init__(self, symbol):
        super().__init__(None, f"nothing says what '{symbol}' is")
        self.symbol = symbol


@functools.lru_cache(None)
def _arguments_of(operator):
    """The names of an operator's arguments, and for each the type of its elements as the
    schema writes it, without `Optional` and lists: "Tensor", "int", "float", ... Asking a schema
    costs more than all else that is done for an argument."""
    elements = {}
    for argument in operator._schema.arguments:
        kind = argument.type
        while isinstance(kind, (torch.OptionalType, torch.ListType)):
            kind = kind.getElementType()
        elements[argument.name] = str(kind)
    return tuple(elements), elements


class Writer:
    """The text of one piece of a graph.

    Args:
      inputs: nodes that become the program's inputs: tensors.
      nodes: what is computed, in order.
      outputs: nodes whose values are results.
      shape_env: where ranges of symbols are.
      updates: for outputs that are the final value of an input, that input.

    Attributes:
      numbers: symbols whose values are inputs behind the tensors; known when the text is.
    """

    def __init__(self, inputs, nodes, outputs, shape_env, updates):
        self.updates = updates
        self.inputs, self.nodes, self.outputs = inputs, nodes, outputs
        self.shape_env = shape_env
        self.tensors, self.ints, self.floats, self.bools = {}, {}, {}, {}
        self.symbols = set()
        self.current = None

    def fail(self, reason):
        raise Unsupported(self.current, reason)

    # -- Numbers ------------------------------------------------------------

    def _expr(self, number):
        expr = number.node.expr
        self.symbols |= expr.free_symbols
        result = {"expr_str": sympy.srepr(expr)}
        hint = _fx.hint_of(number)
        if isinstance(hint, int) and not isinstance(hint, bool):
            result["hint"] = {"as_int": hint}
        return {"as_expr": result}

    def size(self, number):
        """A size, stride or offset."""
        if isinstance(number, int):
            return {"as_int": number}
        expr = number.node.expr
        return {"as_int": int(expr)} if expr.is_number else self._expr(number)

    def _number(self, node):
        """A node that gives a number, as an argument: its kind and the reference."""
        value = _fx.value_of(node)
        if isinstance(value, bool):
            return "as_bool", value
        if isinstance(value, int):
            return "as_int", value
        if isinstance(value, float):
            return "as_float", _float(value)
        expr = value.node.expr
        if isinstance(value, torch.SymInt):
            if expr.is_number:
                return "as_int", int(expr)
            self.ints[node.name] = self._expr(value)
            return "as_sym_int", {"as_name": node.name}
        if isinstance(value, torch.SymBool):
            self.bools[node.name] = self._expr(value)
            return "as_sym_bool", {"as_name": node.name}
        if expr.is_number:
            return "as_float", _float(float(expr))
        if any(symbol.is_integer is not True for symbol in expr.free_symbols):
            return self.fail("it takes a data-dependent float")
        # A float that follows from sizes; the program computes it.
        self.floats[node.name] = self._expr(value)
        return "as_sym_float", {"as_name": node.name}

    # -- Tensors ------------------------------------------------------------

    def tensor(self, name, value):
        """Declares a tensor and refers to it."""
        if value.dtype not in _fx.DTYPES:
            self.fail(f"tensors of {value.dtype} are not supported")
        if value.layout is not torch.strided:
            self.fail(f"tensors of layout {value.layout} are not supported")
        self.tensors[name] = json.dumps({
            "dtype": _fx.DTYPES[value.dtype],
            "sizes": [self.size(size) for size in value.shape],
            "strides": [self.size(stride) for stride in value.stride()],
            "storage_offset": self.size(value.storage_offset()),
            "requires_grad": False,
            "layout": 7,
            "device": {"type": value.device.type, "index": value.device.index},
        })
        return {"name": name}

    # -- Arguments ----------------------------------------------------------

    def _list(self, values, element):
        if not values:
            tag = {"Tensor": "as_tensors", "float": "as_floats", "bool": "as_bools"}.get(element, "as_ints")
            return {tag: []}
        has_tensors = any(isinstance(v, Node) and isinstance(_fx.value_of(v), torch.Tensor) for v in values)
        if has_tensors:
            if any(v is None for v in values):
                return {"as_optional_tensors": [
                    {"as_none": True} if v is None else {"as_tensor": {"name": self._reference(v)}} for v in values]}
            return {"as_tensors": [{"name": self._reference(v)} for v in values]}
        given = [self.argument(v, element) for v in values]
        tags = {tag for each in given for tag in each}
        if len(tags) == 1 and not tags & {"as_sym_int", "as_sym_bool"}:
            tag, = tags
            plural = {"as_int": "as_ints", "as_float": "as_floats", "as_bool": "as_bools", "as_string": "as_strings"}
            if tag in plural:
                return {plural[tag]: [each[tag] for each in given]}
        if tags <= {"as_int", "as_sym_int"}:
            return {"as_sym_ints": [each.get("as_sym_int", each) for each in given]}
        if tags <= {"as_int", "as_float"}:
            return {"as_floats": [next(iter(each.values())) for each in given]}
        return self.fail(f"it takes a list of {', '.join(sorted(tags))}")

    def _reference(self, node):
        if node.name not in self.tensors:
            self.fail(f"it takes '{node.name}', which is not a tensor")
        return node.name

    def argument(self, value, element=None):
        """A value as an argument whose elements have a type; None where no schema tells it."""
        if isinstance(value, Node):
            given = _fx.value_of(value)
            if isinstance(given, torch.Tensor):
                return {"as_tensor": {"name": self._reference(value)}}
            if _fx.is_number(given):
                tag, reference = self._number(value)
                if tag == "as_int" and element == "float":
                    return {"as_float": float(reference)}
                return {tag: reference}
            if given is None:
                return {"as_none": True}
            if isinstance(given, (tuple, list)):
                return self._list([self.member(value, i) for i in range(len(given))], element)
            return self.fail(f"it takes a value of {type(given).__name__}")
        if value is None:
            return {"as_none": True}
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, torch.SymInt) or isinstance(value, torch.SymFloat) or isinstance(value, torch.SymBool):
            return self.fail("it takes a symbolic number without a node")
        if isinstance(value, int):
            if element == "float":
                return {"as_float": float(value)}
            if not -2**63 <= value < 2**63:
                return self.fail("it takes an integer of more than 64 bits")
            return {"as_int": value}
        if isinstance(value, float):
            return {"as_float": _float(value)}
        if isinstance(value, complex):
            return {"as_complex": {"real": _float(value.real), "imag": _float(value.imag)}}
        if isinstance(value, str):
            return {"as_string": value}
        if isinstance(value, torch.dtype):
            if value not in _fx.DTYPES:
                return self.fail(f"{value} is not supported")
            return {"as_scalar_type": _fx.DTYPES[value]}
        if isinstance(value, torch.device):
            return {"as_device": {"type": value.type, "index": value.index}}
        if isinstance(value, torch.memory_format):
            return {"as_memory_format": _FORMATS[value]}
        if isinstance(value, torch.layout):
            if value not in _LAYOUTS:
                return self.fail(f"layout {value} is not supported")
            return {"as_layout": _LAYOUTS[value]}
        if isinstance(value, (tuple, list)):
            return self._list(value, element)
        return self.fail(f"it takes a value of {type(value).__name__}")

    def member(self, node, number):
        """The node that takes an element out of what another gives."""
        for user in node.users:
            if _fx.is_getitem(user) and user.args[1] == number:
                return user
        return self.fail(f"element {number} of '{node.name}' has no node")

    # -- Nodes --------------------------------------------------------------

    def _results(self, node):
        """What a node gives, as the text says it."""
        value = _fx.value_of(node)
        if isinstance(value, torch.Tensor):
            return [{"as_tensor": self.tensor(node.name, value)}]
        if not isinstance(value, (tuple, list)):
            return self.fail(f"it gives a value of {type(value).__name__}")
        users = {user.args[1]: user.name for user in node.users if _fx.is_getitem(user)}
        used = {user.args[1] for user in node.users if _fx.is_getitem(user) and user.users}
        given = []
        for i, part in enumerate(value):
            name = users.get(i, f"{node.name}_unused_{i}")
            if part is None or isinstance(part, torch.Tensor) and part.dtype not in _fx.DTYPES and i not in used:
                given.append({"as_none": True})
            elif isinstance(part, torch.Tensor):
                given.append({"as_tensor": self.tensor(name, part)})
            elif _fx.is_number(part) and not free_unbacked_symbols(part):
                given.append({"as_none": True})  # Whoever takes it says what it is.
            else:
                self.fail(f"it gives a value of {type(part).__name__} among its results")
        schema = _fx.schema_of(node)
        if schema is not None and len(schema.returns) == 1:  # A list.
            return [{"as_tensors": [each["as_tensor"] for each in given]}]
        return given

    def node(self, node):
        """The text of a node. Text at once, as for tensors: tens of thousands of dictionaries
        until the end of the graph would keep Python's collector of garbage busy."""
        self.current = node
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            return self._control_flow(node)
        names, elements = _arguments_of(node.target)
        arguments = [(names[i], value, 1) for i, value in enumerate(node.args)]
        arguments += [(name, value, 2) for name, value in node.kwargs.items()]
        result = {
            "target": f"torch.ops.{node.target}",
            "name": node.name,
            "inputs": [{"name": name, "arg": self.argument(value, elements[name]), "kind": kind}
                       for name, value, kind in arguments],
            "metadata": {},
        }
        return self._finish(node, result)

    def _finish(self, node, result):
        result["outputs"] = self._results(node)
        source = _fx.source_of(node)
        if source:
            result["metadata"]["stack_trace"] = 'File "%s", line %s, in %s' % source
        return json.dumps(result)

    # -- Branches and loops -------------------------------------------------

    def _control_flow(self, node):
        """The text of a node with subgraphs. What these are given is written as one list for each
        list of operands, symbolic sizes among the tensors, as torch.export writes it."""
        subgraphs = _fx.subgraphs_of(node)
        arguments = []
        for value in node.args:
            if isinstance(value, Node) and value in subgraphs:
                argument = {"as_graph": {"name": value.target, "graph": self._subgraph(subgraphs[value])}}
            elif isinstance(value, (tuple, list)):
                argument = {"as_tensors": [{"name": self._operand(each)} for each in value]} if value else {"as_ints": []}
            else:
                argument = self.argument(value)
            arguments.append({"name": "", "arg": argument, "kind": 1})
        self.current = node
        return self._finish(node, {"target": f"torch.ops.higher_order.{node.target.name()}", "name": node.name,
                                   "inputs": arguments, "metadata": {}})

    def _operand(self, value):
        if not isinstance(value, Node):
            return self.fail(f"it hands the number {value} to a subgraph")
        given = _fx.value_of(value)
        if isinstance(given, torch.SymInt):
            tag, reference = self._number(value)
            return reference["as_name"] if tag == "as_sym_int" else self.fail("it hands a number to a subgraph")
        return self._reference(value)

    def _subgraph(self, module):
        """A subgraph, whose names are its own and whose symbols are those of the program."""
        placeholders = [each for each in module.graph.nodes if each.op == "placeholder"]
        inner = Writer([], [each for each in module.graph.nodes if each.op == "call_function"], [], self.shape_env, {})
        inner.symbols = self.symbols
        inputs = []
        for node in placeholders:
            inner.current = node
            value = _fx.value_of(node)
            if isinstance(value, torch.Tensor):
                inputs.append({"as_tensor": inner.tensor(node.name, value)})
            elif isinstance(value, torch.SymInt):
                tag, reference = inner._number(node)
                if tag != "as_sym_int":
                    self.fail("it hands a number to a subgraph")
                inputs.append({tag: reference})
            else:
                self.fail(f"it hands a value of {type(value).__name__} to a subgraph")
        try:
            nodes = [json.loads(inner.node(node)) for node in inner.nodes
                     if not _fx.is_getitem(node) and not _fx.is_number(_fx.value_of(node))]
            output = next(each for each in module.graph.nodes if each.op == "output").args[0]
            outputs = [inner.argument(each) for each in (output if isinstance(output, (tuple, list)) else (output,))]
        except Unsupported as unsupported:
            inside = f"'{_fx.name_of(unsupported.node)}' in its subgraph: " if unsupported.node is not None else ""
            return self.fail(f"{inside}{unsupported.reason}")
        return {
            "inputs": inputs, "outputs": outputs, "nodes": nodes,
            "tensor_values": {name: json.loads(text) for name, text in inner.tensors.items()},
            "sym_int_values": inner.ints, "sym_float_values": inner.floats, "sym_bool_values": inner.bools,
        }

    # -- The program --------------------------------------------------------

    def _range(self, symbol):
        found = self.shape_env.var_to_range.get(symbol) if self.shape_env else None

        def bound(value):
            finite = found is not None and value.is_Integer and -2**63 < value < 2**63
            return int(value) if finite else None

        lower, upper = (found.lower, found.upper) if found is not None else (None, None)
        # Without a lower bound the importer takes a symbol for a size; numbers may be negative.
        least = bound(lower)
        # Dynamo checks sizes before it calls the backend, which export leaves to nobody.
        return {"min_val": -(2**63 - 1) if least is None else least, "max_val": bound(upper), "is_guarded": True}

    def _output_spec(self, node, output):
        if node not in self.updates:
            return {"user_output": {"arg": output}}
        return {"user_input_mutation": {"arg": output["as_tensor"], "user_input_name": self.updates[node].name}}

    def text(self):
        specs, graph_inputs = [], []
        for node in self.inputs:
            self.current = node
            argument = {"as_tensor": self.tensor(node.name, _fx.value_of(node))}
            graph_inputs.append(argument)
            specs.append({"user_input": {"arg": argument}})
        nodes = [self.node(node) for node in self.nodes]
        self.current = None
        # Sizes of inputs say what most symbols are, and nodes what their data decides.
        told = {size.node.expr for node in self.inputs for size in _fx.value_of(node).shape if _fx.is_symbolic(size)}
        told.update(*map(_fx.bound_by, self.nodes))
        self.numbers = sorted(self.symbols - told, key=lambda symbol: symbol.name)
        for symbol in self.numbers:
            argument = {"as_sym_int": {"as_name": symbol.name}}
            self.ints[symbol.name] = {"as_expr": {"expr_str": sympy.srepr(symbol)}}
            graph_inputs.append(argument)
            specs.append({"user_input": {"arg": argument}})
        outputs = [{"as_tensor": {"name": node.name}} for node in self.outputs]
        graph = {
            "inputs": json.dumps(graph_inputs),
            "outputs": json.dumps(outputs),
            "nodes": f"[{', '.join(nodes)}]",
            "tensor_values": _join(self.tensors),
            "sym_int_values": json.dumps(self.ints),
            "sym_float_values": json.dumps(self.floats),
            "sym_bool_values": json.dumps(self.bools),
        }
        signature = {
            "input_specs": specs,
            "output_specs": [self._output_spec(node, output) for node, output in zip(self.outputs, outputs)],
        }
        module = {"graph": _join(graph), "signature": json.dumps(signature), "module_call_graph": "[]"}
        # In an order that is the same in every process, as the cache on disk wants it.
        ranges = {symbol.name: self._range(symbol) for symbol in sorted(self.symbols, key=lambda each: each.name)}
        return _join({
            "graph_module": _join(module),
            "range_constraints": json.dumps(ranges),
            "schema_version": json.dumps({"major": 8, "minor": 15}),
            "verifiers": "[]",
            "torch_version": json.dumps(torch.__version__),
        })


def _join(texts):
    """The text of an object whose values are texts."""
    return "{%s}" % ", ".join(f"{json.dumps(name)}: {text}" for name, text in texts.items())
