# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments and results of an exported program as its author wrote them.

A compiled program takes and gives a flat list of tensors. The .pt2 file says how
they are nested, what they are called, and which arguments export made constant.
"""

import collections
import json
import sys
import zipfile

from coil._library import InputError

_SIMPLE = ("builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict",
           "collections.namedtuple")


class Structure:
    """What the program of a .pt2 file takes and gives."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as file:
            names = [n for n in file.namelist() if n.partition("/")[2].startswith("models/") and n.endswith(".json")]
            if len(names) != 1:
                raise InputError(f"{path}: expected one program but there are {len(names)}")
            module = json.loads(file.read(names[0]))["graph_module"]
        calls = [entry for entry in module.get("module_call_graph", ()) if entry["fqn"] == ""]
        if not calls or not calls[0].get("signature"):
            raise InputError(f"{path}: the file does not say how arguments are nested")
        signature = calls[0]["signature"]
        self._specs = signature["in_spec"], signature["out_spec"]
        self._in, self._out = (json.loads(text)[1] for text in self._specs)
        self._fields = module.get("treespec_namedtuple_fields") or {}
        self._classes = {}
        #: The names of the arguments of `forward`, or None.
        self.argument_names = signature.get("forward_arg_names")
        #: For each leaf among the arguments: its name, and a constant or None.
        self.inputs = []
        for spec in module["signature"]["input_specs"]:
            (kind, value), = spec.items()
            if kind == "constant_input":
                self.inputs.append((value["name"], value["value"]))
            elif kind == "user_input":
                (tag, argument), = value["arg"].items()
                constant = tag not in ("as_tensor", "as_sym_int") or "as_int" in argument
                self.inputs.append((self._name(argument), value["arg"] if constant else None))
        #: For each leaf among the results: its argument in the file.
        self.outputs = []
        for spec in module["signature"]["output_specs"]:
            (kind, value), = spec.items()
            if kind == "user_output":
                self.outputs.append(value["arg"])
            elif kind == "loss_output":
                self.outputs.append({"as_tensor": value["arg"]})
        self.num_results = sum(next(iter(o)) not in ("as_none", "as_string") for o in self.outputs)

    @staticmethod
    def _name(argument):
        return (argument.get("name") or argument.get("as_name") or "") if isinstance(argument, dict) else ""

    # -- Trees --------------------------------------------------------------

    def _is_simple(self, spec):
        return spec["type"] is None or (spec["type"] in _SIMPLE and all(map(self._is_simple, spec["children_spec"])))

    @staticmethod
    def _pytree(spec):
        """torch's description of a tree that has types of its own."""
        if "torch" not in sys.modules:
            raise InputError(f"arguments or results have types that only torch knows ({spec['type']}); import it first")
        return sys.modules["torch"].utils._pytree

    def _flatten(self, spec, value, where, leaves):
        kind, children = spec["type"], spec["children_spec"]
        if kind is None:
            leaves.append(value)
            return
        if kind in ("builtins.dict", "collections.OrderedDict"):
            keys = json.loads(spec["context"])
            if not isinstance(value, dict) or set(value) != set(keys):
                raise InputError(f"{where}: expected a dictionary with the keys {sorted(map(str, keys))}")
            parts = [(f"{where}[{key!r}]", value[key]) for key in keys]
        else:
            wanted = list if kind == "builtins.list" else tuple
            if not isinstance(value, wanted) or len(value) != len(children):
                raise InputError(f"{where}: expected a {wanted.__name__} of {len(children)}")
            parts = [(f"{where}[{i}]", element) for i, element in enumerate(value)]
        for child, (place, element) in zip(children, parts):
            self._flatten(child, element, place, leaves)

    def _build(self, spec, leaves):
        kind = spec["type"]
        if kind is None:
            return next(leaves)
        children = [self._build(child, leaves) for child in spec["children_spec"]]
        if kind == "builtins.dict":
            return dict(zip(json.loads(spec["context"]), children))
        if kind == "collections.OrderedDict":
            return collections.OrderedDict(zip(json.loads(spec["context"]), children))
        if kind == "builtins.list":
            return children
        if kind == "builtins.tuple":
            return tuple(children)
        return self._class(spec["context"])(*children)

    def _class(self, name):
        """A namedtuple: the program's, where torch has it, or one of these fields."""
        if name not in self._classes:
            torch, found = sys.modules.get("torch"), None
            if torch:
                found = torch.utils._pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.get(name)
            fields = self._fields.get(name)
            fields = fields["field_names"] if isinstance(fields, dict) else fields
            if found is None and not fields:
                raise InputError(f"results have the type {name}, which only torch knows; import it first")
            self._classes[name] = found or collections.namedtuple(name.rpartition(".")[2], fields)
        return self._classes[name]

    # -- Arguments ----------------------------------------------------------

    def _arrange(self, args, kwargs):
        """Arguments in the places in which the program was exported with them."""
        positional, keyword = self._in["children_spec"]
        names, count = self.argument_names, len(positional["children_spec"])
        keys = json.loads(keyword["context"]) if keyword["children_spec"] else []
        if not names or len(names) != count + len(keys):
            return tuple(args), kwargs
        if len(args) > len(names):
            raise InputError(f"expected {len(names)} arguments but got {len(args)}")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names:
                raise InputError(f"there is no argument '{name}', there are {', '.join(names)}")
            if name in given:
                raise InputError(f"the argument '{name}' is given twice")
            given[name] = value
        # Constants may be left out: the program has them.
        leaf = 0
        for name, spec in zip(names, positional["children_spec"] + keyword["children_spec"]):
            size = self._count(spec)
            if name not in given:
                if size != 1 or spec["type"] is not None or self.inputs[leaf][1] is None:
                    raise InputError(f"the argument '{name}' is missing")
                given[name] = self._value(self.inputs[leaf][1])
            leaf += size
        return tuple(given[n] for n in names[:count]), {n: given[n] for n in names[count:]}

    def _count(self, spec):
        return 1 if spec["type"] is None else sum(map(self._count, spec["children_spec"]))

    @staticmethod
    def _value(constant):
        (tag, value), = constant.items()
        return None if tag == "as_none" else value

    def flatten(self, args, kwargs):
        """The inputs of the program for the arguments of a call, those that are
        constants checked and left out."""
        args, kwargs = self._arrange(args, kwargs)
        if self._is_simple(self._in):
            leaves = []
            self._flatten(self._in, (args, kwargs), "arguments", leaves)
        else:
            pytree = self._pytree(self._in)
            leaves, spec = pytree.tree_flatten((args, kwargs))
            if spec != pytree.treespec_loads(self._specs[0]):
                raise InputError("the arguments are nested in another way than those of export")
        if len(leaves) != len(self.inputs):
            raise InputError(f"expected {len(self.inputs)} values but got {len(leaves)}")
        result = []
        for leaf, (name, constant) in zip(leaves, self.inputs):
            if constant is not None:
                self._check(leaf, name, constant)
            else:
                result.append(leaf)
        return result

    def _check(self, leaf, name, constant):
        wanted = self._value(constant)
        if not isinstance(wanted, (int, float, str, bool, type(None))):
            return  # An element type or a device, of which there are objects of torch.
        if isinstance(wanted, str) and next(iter(constant)) == "as_float":
            wanted = float(wanted.replace("Infinity", "inf"))
        same = type(leaf) is type(wanted) and (leaf == wanted or (wanted != wanted and leaf != leaf))
        if not same:
            raise InputError(f"the argument '{name}' is {wanted!r} in the program that was exported, "
                             f"and cannot be {leaf!r}")

    # -- Results ------------------------------------------------------------

    def unflatten(self, tensors):
        """The results of the program, nested as `forward` returned them."""
        tensors = iter(tensors)
        leaves = []
        for output in self.outputs:
            (tag, value), = output.items()
            if tag == "as_none":
                leaves.append(None)
            elif tag == "as_string":
                leaves.append(value)
            elif tag in ("as_int", "as_sym_int", "as_float", "as_sym_float", "as_bool", "as_sym_bool"):
                number = next(tensors)
                number = number.tolist() if hasattr(number, "tolist") else number
                leaves.append(bool(number) if tag in ("as_bool", "as_sym_bool") else number)
            else:
                leaves.append(next(tensors))
        if self._is_simple(self._out):
            return self._build(self._out, iter(leaves))
        pytree = self._pytree(self._out)
        return pytree.tree_unflatten(leaves, pytree.treespec_loads(self._specs[1]))
