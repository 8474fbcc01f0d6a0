# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels of exported programs, as user-defined kernels in PTX.

An exported program calls a Triton kernel by a number, under which PyTorch knows it in the
process that exported. So each call becomes one of an operator of its own, `coil_triton::...`, and
a file of kernels (`--user-kernels`) says what that operator is: PTX that the installed Triton
makes for the program's chip, without a GPU."""

import dataclasses
import hashlib
import json
import re

from coil._library import CompileError

_CALLS = ("triton_kernel_wrapper_functional", "triton_kernel_wrapper_mutation")

#: Types of elements: torch's name, Triton's, and that of the IR.
_ELEMENTS = {
    "float32": ("fp32", "f32"), "float16": ("fp16", "f16"), "bfloat16": ("bf16", "bf16"), "float64": ("fp64", "f64"),
    "int8": ("i8", "i8"), "uint8": ("u8", "ui8"), "int16": ("i16", "i16"), "int32": ("i32", "i32"),
    "int64": ("i64", "i64"), "bool": ("i1", "i1"),
}
_INT32 = (-2**31, 2**31 - 1)


def calls(graph):
    """The nodes of a graph that call a Triton kernel."""
    return [node for node in graph.nodes if getattr(node.target, "__name__", "") in _CALLS]


class _Refused(Exception):
    """Why a call cannot be compiled."""


@dataclasses.dataclass
class _Argument:
    """An argument of a kernel that is passed to it."""

    name: str
    #: "tensor", "int" or "float".
    kind: str
    #: What Triton calls the type.
    type: str
    #: A node of the graph, or a number.
    value: object
    mutated: bool = False

    def describe(self):
        """All that the text of an operator has of it."""
        rank = _value(self.value).dim() if self.kind == "tensor" else None
        return self.name, self.kind, self.type, self.mutated, rank, self.value if self.kind == "float" else None


def _kernel_name(node):
    """What its author calls a kernel, as far as this process knows it."""
    from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table

    try:
        kernel = kernel_side_table.get_kernel(node.kwargs["kernel_idx"])
    except AssertionError:
        return f"number {node.kwargs['kernel_idx']}"
    while not hasattr(kernel, "arg_names") or hasattr(kernel, "configs"):
        kernel = kernel.fn
    return f"'{getattr(kernel, '__name__', 'unknown')}'"


def _value(argument):
    import torch

    return argument.meta["val"] if isinstance(argument, torch.fx.Node) else argument


def _arch(target):
    """The number of the chip for which Triton makes PTX that the target's chip runs."""
    found = re.search(r"sm_(\d+)(a?)", target)
    if not found:
        return 80
    number = int(found[1])
    # From capability 9.0 on Triton's PTX is for one chip, which only targets with an 'a' are.
    return number if found[2] or number < 90 else 89


def _function_of(kernel, arguments):
    """The function of a kernel, its constants with those of its configuration, and options."""
    from triton.runtime.autotuner import Autotuner, Heuristics

    options = {}
    while isinstance(kernel, (Autotuner, Heuristics)):
        if isinstance(kernel, Heuristics):
            raise _Refused("its heuristics are functions of the values of a call")
        if len(kernel.configs) != 1:
            raise _Refused(f"it is tuned over {len(kernel.configs)} configurations, none of which can be measured "
                           "where a program is compiled; give it one")
        config = kernel.configs[0]
        arguments.update(config.kwargs)
        options = {name: value for name in ("num_warps", "num_stages", "num_ctas", "maxnreg")
                   if (value := getattr(config, name, None)) is not None}
        kernel = kernel.fn
    return kernel, options


def _classify(name, argument, mutated):
    """What a kernel takes for an argument that is no constant of its code."""
    import torch

    value = _value(argument)
    if isinstance(value, torch.Tensor):
        element = _ELEMENTS.get(str(value.dtype).removeprefix("torch."))
        if element is None:
            raise _Refused(f"'{name}' has elements of {value.dtype}")
        if not value.is_contiguous():
            raise _Refused(f"'{name}' is not contiguous, and a kernel is told of addresses alone")
        return _Argument(name, "tensor", "*" + element[0], argument, mutated)
    if isinstance(value, bool):
        raise _Refused(f"'{name}' is a bool that is no constexpr")
    if isinstance(value, (int, torch.SymInt)):
        fits = isinstance(value, torch.SymInt) or _INT32[0] <= value <= _INT32[1]
        return _Argument(name, "int", "i32" if fits else "i64", argument)
    if isinstance(value, float):
        return _Argument(name, "float", "fp32", argument)
    raise _Refused(f"'{name}' is a {type(value).__name__}")


def _collect(node):
    """The function that a node calls, its arguments in order, its constants and options."""
    from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table

    inputs = node.kwargs
    if inputs["kernel_idx"] not in kernel_side_table.id_to_kernel:
        raise _Refused("this process did not export it, so its code is not known")
    if inputs.get("tma_descriptor_metadata"):
        raise _Refused("it takes tensor maps of the host")
    given = dict(kernel_side_table.get_constant_args(inputs["constant_args_idx"]))
    given.update(inputs["kwargs"])
    function, options = _function_of(kernel_side_table.get_kernel(inputs["kernel_idx"]), given)
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        if name in given and name not in function.arg_names:
            options[name] = given.pop(name)
    mutated = set(inputs.get("tensors_to_clone", ()))
    arguments, constants = [], {}
    for parameter in function.params:
        name = parameter.name
        if name not in given:
            if not parameter.has_default:
                raise _Refused(f"it is called without '{name}'")
            given[name] = parameter.default
        if parameter.is_constexpr or given[name] is None:
            constants[name] = given[name]
            if hasattr(constants[name], "meta"):
                raise _Refused(f"its constexpr '{name}' is known only when the program runs")
        else:
            arguments.append(_classify(name, given[name], name in mutated))
    return function, arguments, constants, options


def _compile(function, arguments, constants, options, target):
    """PTX and what Triton says of it."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = {argument.name: argument.type for argument in arguments}
    ordered = {name: signature.get(name, "constexpr") for name in function.arg_names}
    try:
        made = triton.compile(ASTSource(function, signature=ordered, constexprs=constants),
                              target=GPUTarget("cuda", _arch(target), 32), options=options)
    except Exception as error:  # Triton's own errors have many types.
        first = (str(error).splitlines() or [""])[0]
        raise _Refused(f"Triton cannot compile it: {type(error).__name__}: {first}") from error
    metadata = made.metadata
    for name, reason in (("global_scratch_size", "scratch memory"), ("tensordesc_meta", "tensor maps"),
                         ("profile_scratch_size", "memory for its profile"),
                         ("launch_cooperative_grid", "a cooperative launch")):
        if getattr(metadata, name, None):
            raise _Refused(f"it needs {reason}")
    if metadata.num_ctas != 1:
        raise _Refused("its blocks run in clusters")
    return made.asm["ptx"], metadata


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\0A").replace("\t", "\\09") + '"'


def _element(tensor):
    return _ELEMENTS[str(tensor.dtype).removeprefix("torch.")][1]


def _buffer(argument):
    tensor = _value(argument.value)
    sizes = ", ".join(f"{argument.name}_{d}" for d in range(tensor.dim()))
    return f'!wrapper.buffer<[{sizes}], {_element(tensor)}, #wrapper.device<"cuda">>'


def _describe_kernel(name, ptx, metadata, arguments):
    """The text of a `wrapper.kernel`."""
    parameters = []
    for argument in arguments:
        if argument.kind == "tensor":
            kind = "update" if argument.mutated else "read"
            parameters.append(f'#wrapper.param<"{argument.name}", {kind}, {_element(_value(argument.value))}>')
        else:
            parameters.append(f'#wrapper.param<"{argument.name}", value, {argument.type.replace("fp", "f")}>')
    # Two addresses of scratch memory, of which this kernel needs none.
    entry = ptx[ptx.index(".entry " + metadata.name):]
    count = entry[:entry.index(")")].count(".param")
    parameters += [f'#wrapper.param<"scratch{i}", read, i8>' for i in range(count - len(arguments))]
    threads = metadata.num_warps * metadata.warp_size
    return (f'wrapper.kernel @{name}() attributes {{device = #wrapper.device<"cuda">, entry = "{metadata.name}",\n'
            f'    threads = array<i64: {threads}, 1, 1>, shared = {metadata.shared} : i64,\n'
            f'    parameters = [{", ".join(parameters)}],\n    ptx = {_quoted(ptx)}}} {{\n}}\n'
            f'wrapper.grid @{name}_grid["gx", "gy", "gz"] cases [#wrapper.grid_case<{{}}, <[gx, gy, gz]>>]\n',
            count - len(arguments))


def _describe_operator(name, arguments, scratch):
    """The text of the function for the operator."""
    tensors = [argument for argument in arguments if argument.kind == "tensor"]
    ranges, body, passed, updates = [], [], [], []
    for argument in tensors:
        for d in range(_value(argument.value).dim()):
            ranges.append(f"{argument.name}_{d} = #sym.range<0, 1099511627776>")
            body.append(f'wrapper.input_symbol "{argument.name}_{d}" = size {d} of %{argument.name} : '
                        + _buffer(argument))
    for symbol in [argument.name for argument in arguments if argument.kind == "int"] + ["gx", "gy", "gz"]:
        low, high = (0, _INT32[1]) if symbol in ("gx", "gy", "gz") else _INT32
        ranges.append(f"{symbol} = #sym.range<{low}, {high}>")
        body.append(f'wrapper.sym_expr "{symbol}" = <1>')
    for argument in arguments:
        if argument.kind == "tensor":
            passed.append("unit")
        elif argument.kind == "int":
            passed.append(f"#sym.expr<{argument.name}>")
        else:
            passed.append(f"{float(argument.value)!r} : f32")
    for argument in tensors:
        if argument.mutated:
            body += [f"%{argument.name}_new = wrapper.alloc : {_buffer(argument)}",
                     f"wrapper.copy %{argument.name} to %{argument.name}_new : {_buffer(argument)}"]
            updates.append(argument)
    read = [argument for argument in tensors if not argument.mutated]
    passed += ["#wrapper.null"] * scratch

    def operands(word, names, of):
        return f' {word}({", ".join(names)} : {", ".join(_buffer(each) for each in of)})' if of else ""

    body.append(f'wrapper.launch_user @{name} grid @{name}_grid[gx, gy, gz] config {{}} arguments [{", ".join(passed)}]'
                + operands("ins", [f"%{each.name}" for each in read], read)
                + operands("updates", [f"%{each.name}_new" for each in updates], updates))
    body.append(f'wrapper.return {", ".join(f"%{each.name}_new" for each in updates)} : '
                f'{", ".join(_buffer(each) for each in updates)}')
    inputs = ", ".join(f'%{each.name}: {_buffer(each)} {{coil.name = "{each.name}"}}' for each in tensors)
    results = ", ".join(_buffer(each) for each in updates)
    lines = "\n".join("  " + line for line in body)
    return (f'wrapper.func private @{name}_operator({inputs}) -> ({results})\n'
            f'    attributes {{wrapper.operator = "coil_triton::{name}",\n'
            f'                sym.symbols = {{{", ".join(ranges)}}}}} {{\n{lines}\n}}\n')


def _register(name, arguments):
    """The operator that stands for a kernel in a graph."""
    import torch

    if not hasattr(torch.ops.coil_triton, name):
        inputs = [("Tensor " if each.kind == "tensor" else "SymInt ") + each.name
                  for each in arguments if each.kind != "float"] + ["SymInt gx", "SymInt gy", "SymInt gz"]
        results = ["Tensor"] * sum(each.mutated for each in arguments)
        torch.library.define(f"coil_triton::{name}",
                             f'({", ".join(inputs)}) -> ({", ".join(results)})')
    return getattr(torch.ops.coil_triton, name).default


def _replace(graph, node, name, arguments):
    """Calls the operator in place of a node."""
    grid = node.kwargs["grid"]
    if len(grid) != 1:
        raise _Refused("it has a grid for each of several configurations")
    if not node.users:
        graph.erase_node(node)
        return
    grid = (list(grid[0]) + [1, 1])[:3]
    mutated = [each for each in arguments if each.mutated]
    target = _register(name, arguments)
    given = tuple([each.value for each in arguments if each.kind != "float"] + grid)
    # What takes a result from the dictionary keeps its name, which the signature of the program has.
    first, *others = node.users
    for user in others if len(mutated) == 1 else ():
        user.replace_all_uses_with(first)
        graph.erase_node(user)
    if len(mutated) == 1:
        first.target, first.args = target, given
        first.meta = {**node.meta, "val": _value(mutated[0].value)}
    else:
        with graph.inserting_before(node):
            call = graph.call_function(target, given)
        call.meta = {**node.meta, "val": tuple(_value(each.value) for each in mutated)}
        names = [each.name for each in mutated]
        for user in list(node.users):
            user.args = (call, names.index(user.args[1]))
    graph.erase_node(node)


def lower_triton(program, kernels, *, target="cuda"):
    """Replaces the Triton kernels of an exported program by operators whose code a file has.

        exported = coil.lower_triton(torch.export.export(...), "kernels.mlir", target="cuda:sm_90a")
        torch.export.save(exported, "model.pt2")
        # coil-compile model.pt2 --user-kernels=kernels.mlir --target=cuda:sm_90a -o model.coilpkg

    `coil.compile` and `coil.tune` do this by themselves. Triton has to be installed; a GPU is not needed.

    Args:
      program: a `torch.export.ExportedProgram`, in the process that exported it.
      kernels: the path of the file to write.
      target: the option `target` of the compilation, for whose chip the PTX is.

    Returns:
      The exported program; the one that was given where it calls no Triton kernel, and no file is written then.
    """
    import torch

    from coil.torch_compile import _fx

    found = calls(program.graph)
    if not found:
        return program

    def refuse(node, reason):
        raise CompileError(f"the Triton kernel {_kernel_name(node)} at {_fx.describe_source(node)}: {reason}") from None

    if not target.startswith("cuda"):
        refuse(found[0], f"it runs on a GPU of NVIDIA, and the target is '{target}'")
    try:
        import triton  # noqa: F401
    except ImportError:
        refuse(found[0], "Triton is not installed, which makes its code")
    if any(node.target.__name__ != _CALLS[0] for node in found):
        program = program.run_decompositions({})  # What a kernel writes becomes a result.
    copied = torch.fx.Graph()
    copied.output(copied.graph_copy(program.graph, {}))
    module = torch.fx.GraphModule(program.graph_module, copied)
    texts = {}
    for node in calls(copied):
        try:
            if node.target.__name__ != _CALLS[0]:
                raise _Refused("what it writes is no result of the program's graph")
            function, arguments, constants, options = _collect(node)
            if not any(each.mutated for each in arguments):
                raise _Refused("it changes none of its arguments")
            ptx, metadata = _compile(function, arguments, constants, options, target)
            key = json.dumps([ptx, metadata.shared, [each.describe() for each in arguments]])
            name = f"{metadata.name}_{hashlib.sha256(key.encode()).hexdigest()[:12]}"
            text, scratch = _describe_kernel(name, ptx, metadata, arguments)
            texts[name] = text + _describe_operator(name, arguments, scratch)
            _replace(copied, node, name, arguments)
        except _Refused as error:
            refuse(node, str(error))
    module.recompile()
    with open(kernels, "w") as file:
        file.write("\n".join(texts.values()))
    return program._update(module, program.graph_signature)
