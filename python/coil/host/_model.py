# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted programs, called as the models that they were exported from."""

from coil._structure import Structure
from coil.host._tensors import load_weights


class Model:
    """The module of an emitted program (`--emit=python` or `--emit=fx`) as the model of the exported program at `path`: takes
    the arguments of its `forward`, nested and named as they were, and returns what that returned. Weights are read from the
    file and are in `weights`, by name; what the model writes to its buffers is there in the next call, and what it writes to
    its arguments is written to them. Numbers are tensors of rank zero for the program."""

    def __init__(self, module, path, device="cpu"):
        self._main = module.main
        # Graphs of torch.fx, and what a compiler makes of them, take inputs one by one.
        self._takes_list = not hasattr(module, "build_main")
        self._device = device
        self.structure = Structure(path)
        names = module.WEIGHTS if hasattr(module, "WEIGHTS") else {}
        tensors = load_weights(path, names, device)
        self.weights = {names[position]: tensor for position, tensor in tensors.items()}
        self._positions = tensors
        self._updates = getattr(module, "UPDATES", {})

    def _tensor(self, value):
        import torch

        if isinstance(value, torch.Tensor):
            return value
        if isinstance(value, float):
            return torch.tensor(value, dtype=torch.float64, device=self._device)
        return torch.as_tensor(value, device=self._device)

    def __call__(self, *args, **kwargs):
        given = [self._tensor(value) for value in self.structure.flatten(args, kwargs)]
        user = iter(given)
        count = len(self._positions) + len(given)
        inputs = [self._positions[i] if i in self._positions else next(user) for i in range(count)]
        outputs = self._main(inputs) if self._takes_list else self._main(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        first = len(self._updates)
        arguments = [name for name, constant in self.structure.inputs if constant is None]
        for number, (kind, target) in self._updates.items():
            tensor = given[arguments.index(target)] if kind == "user_input" else self.weights[target]
            if tensor.data_ptr() != outputs[number].data_ptr():
                tensor.copy_(outputs[number])
        # Gradients of a loss come after the results.
        return self.structure.unflatten(outputs[first:first + self.structure.num_results])
