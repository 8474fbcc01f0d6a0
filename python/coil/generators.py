# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators of torch as programs draw from them: a seed and an offset."""


class CudaGenerator:
    """One of a GPU: programs draw what its kernels would, and move it as far."""

    def __init__(self, generator):
        self._generator = generator

    def state(self):
        return self._generator.initial_seed(), self._generator.get_offset()

    def set_state(self, seed, offset):
        if seed != self._generator.initial_seed() % 2**64:
            self._generator.manual_seed(seed)
        self._generator.set_offset(offset)


class HostGenerator:
    """One of the CPU, whose numbers have no offset: each state is a new seed, drawn
    from it, and the offset zero. So `torch.manual_seed` fixes what programs draw, and
    the generator moves by one draw of 64 bits for each call."""

    def __init__(self, generator, torch):
        self._generator, self._torch = generator, torch
        self._state = None

    def state(self):
        if self._state is None:
            seed = self._torch.empty((), dtype=self._torch.int64).random_(generator=self._generator)
            self._state = seed.item() % 2**64, 0
        return self._state

    def set_state(self, seed, offset):
        # The call has ended; the next one draws again.
        self._state = None


def wrap(generator):
    """A generator of torch, or an object with `state()` and `set_state(seed, offset)`."""
    if hasattr(generator, "state") and hasattr(generator, "set_state") and not hasattr(generator, "device"):
        return generator
    if generator.device.type == "cuda":
        return CudaGenerator(generator)
    import torch

    return HostGenerator(generator, torch)
