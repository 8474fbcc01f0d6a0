# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with operators that Coil has never heard of, for processes without Python: exports it, its input and eager mode's
results; or compares results with these. Builds what such a process loads.

    F61-torch-dispatcher.py build <c++> <source of Coil> <its libraries> <folder>
    F61-torch-dispatcher.py make <library of operators> <folder>
    F61-torch-dispatcher.py compare <folder>/expected<i>.npy <folder>/<result>.npy ...
    F61-torch-dispatcher.py numbers <folder>
    F61-torch-dispatcher.py emitted <folder> <name of a module>
"""
import os
import subprocess
import sys

import numpy
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.ops.unheard.norm(x * 2, eps=0.5)          # allocates
        first, second = torch.ops.unheard.parts(y.relu(), 2)
        into = torch.empty_like(first)
        torch.ops.unheard.norm.out(first + second, out=into)  # into memory that it is given
        torch.ops.unheard.scale_(into, None, [2.0, 0.25])     # in place
        return into.tanh(), torch.ops.unheard.norm(y)


def main():
    what, *rest = sys.argv[1:]
    if what == "build":
        cxx, source, libraries, folder = rest
        root = os.path.dirname(torch.__file__)
        for name, file, others in (("operators", "test/python/Inputs/torch_operators.cpp", ["-ltorch", "-lc10"]),
                                   ("dispatcher", "examples/torch_dispatcher/dispatcher.cpp",
                                    ["-lc10", "-L" + libraries, "-lcoil_runtime", "-Wl,-rpath," + libraries])):
            subprocess.run([*cxx.split(), "-std=c++20", "-O0", "-w", "-shared", "-fPIC", f"-I{root}/include", f"-I{source}/include",
                            os.path.join(source, file), "-o", f"{folder}/{name}.so", f"-L{root}/lib", "-ltorch_cpu", *others,
                            f"-Wl,-rpath,{root}/lib"], check=True)
        return
    if what == "numbers":
        lines = open(rest[0] + "/numbers").read().splitlines()
        for i, line in enumerate(lines):
            expected = numpy.load(f"{rest[0]}/expected{i}.npy")
            numpy.testing.assert_allclose(numpy.array(line.split(), dtype="f4"), expected.ravel(), rtol=1e-6)
        print(f"{len(lines)} results agree")
        return
    if what == "emitted":
        import importlib
        import warnings

        import coil

        folder, name = rest
        sys.path.insert(0, folder)
        warnings.simplefilter("ignore", coil.FallbackWarning)
        torch.ops.load_library(folder + "/operators.so")
        x = torch.from_numpy(numpy.load(folder + "/x.npy"))
        module = importlib.import_module(name)
        given = module.main([x]) if name.endswith("python") else module.main(x)
        for i, value in enumerate(given):
            torch.testing.assert_close(value, torch.from_numpy(numpy.load(f"{folder}/expected{i}.npy")))
        print(dict(sorted(coil.fallbacks().items())))
        return
    if what == "make":
        library, folder = rest
        torch.ops.load_library(library)
        x = torch.arange(24.0).reshape(6, 4) - 9
        exported = torch.export.export(Model(), (x,)).run_decompositions({})
        torch.export.save(exported, folder + "/model.pt2")
        numpy.save(folder + "/x.npy", x.numpy())
        for i, value in enumerate(Model()(x)):
            numpy.save(f"{folder}/expected{i}.npy", value.numpy())
        return
    for expected, given in zip(rest[::2], rest[1::2]):
        numpy.testing.assert_allclose(numpy.load(given), numpy.load(expected), rtol=1e-6)
    print(f"{len(rest) // 2} results agree")


main()
