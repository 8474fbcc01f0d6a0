# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the stubs of modules with the modules: the same public names, and functions with
the same parameters.

    stubs.py module...
"""
import ast
import importlib
import inspect
import pathlib
import sys

EMPTY = inspect.Parameter.empty


def parameters(function):
    """The parameters of a function in a stub: name, kind, whether there is a default."""
    a = function.args
    plain = a.posonlyargs + a.args
    optional = len(plain) - len(a.defaults)
    found = [(arg.arg, inspect.Parameter.POSITIONAL_ONLY if i < len(a.posonlyargs)
              else inspect.Parameter.POSITIONAL_OR_KEYWORD, i >= optional) for i, arg in enumerate(plain)]
    if a.vararg:
        found.append((a.vararg.arg, inspect.Parameter.VAR_POSITIONAL, False))
    found += [(arg.arg, inspect.Parameter.KEYWORD_ONLY, default is not None)
              for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        found.append((a.kwarg.arg, inspect.Parameter.VAR_KEYWORD, False))
    return found


def runtime_parameters(function):
    return [(p.name, p.kind, p.default is not EMPTY) for p in inspect.signature(function).parameters.values()]


def compare(where, stub, value, problems):
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if not inspect.isfunction(value):
        return
    expected, actual = parameters(stub), runtime_parameters(value)
    if expected != actual:
        problems.append(f"{where}: the stub has {[e[0] for e in expected]}, the module {[a[0] for a in actual]}, "
                        "or they differ in kinds and defaults")


def compare_overloads(where, stubs, value, problems):
    """Each overload has some of the parameters, together they have all."""
    actual = runtime_parameters(value)
    together = set()
    for stub in stubs:
        expected = parameters(stub)
        together |= set(expected)
        if [p for p in actual if p in expected] != expected:
            problems.append(f"{where}: an overload of the stub has {[e[0] for e in expected]}, the module "
                            f"{[a[0] for a in actual]}, or they differ in order, kinds and defaults")
    if together != set(actual):
        problems.append(f"{where}: no overload of the stub has {[a[0] for a in actual if a not in together]}")


def compare_class(where, stub, cls, problems):
    for node in stub.body:
        name = getattr(node, "name", None)
        if name is None:
            continue
        found = inspect.getattr_static(cls, name, None)
        if found is None:
            problems.append(f"{where}.{name}: there is none")
        elif isinstance(node, ast.FunctionDef) and not isinstance(found, property):
            compare(f"{where}.{name}", node, found, problems)
    declared = {getattr(node, "name", None) for node in ast.walk(stub)}
    declared |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    for name, value in vars(cls).items():
        is_public = not name.startswith("_") and (
            inspect.isfunction(value) or isinstance(value, (property, staticmethod, classmethod)))
        if is_public and name not in declared:
            problems.append(f"{where}.{name}: the stub lacks it")


def public_names(module):
    """What a module offers: __all__, or what it defines and imports from the package."""
    if hasattr(module, "__all__"):
        return set(module.__all__)
    return {name for name, value in vars(module).items() if not name.startswith("_")
            and not inspect.ismodule(value) and getattr(value, "__module__", "").startswith("coil")}


problems = []
functions = 0
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    path = pathlib.Path(module.__file__)
    stub = ast.parse(path.with_suffix(".pyi").read_text())
    declared = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    overloads = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == "overload" for d in node.decorator_list):
            overloads.setdefault(node.name, []).append(node)
    others = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    others |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    for public in sorted(public_names(module)):
        if public not in declared and public not in others:
            problems.append(f"{name}.{public}: the stub lacks it")
    for public, node in declared.items():
        if public.startswith("_"):
            continue
        value = getattr(module, public, None)
        if value is None:
            problems.append(f"{name}.{public}: there is none")
        elif isinstance(node, ast.ClassDef):
            compare_class(f"{name}.{public}", node, value, problems)
        elif public in overloads:
            compare_overloads(f"{name}.{public}", overloads[public], value, problems)
        else:
            compare(f"{name}.{public}", node, value, problems)
        functions += 1
if problems:
    sys.exit("\n".join(problems))
print(f"{functions} public names")
