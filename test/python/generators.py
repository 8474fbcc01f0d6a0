# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators that programs draw from. The same numbers come out whether a program is
passed its state, moves a generator before the run, or while it runs.

    generators.py program.mlir
"""
import array
import sys

import coil

x = array.array("f", [1] * 4096)


class Generator:
    def __init__(self, seed, offset):
        self.seed, self.offset = seed, offset

    def state(self):
        return self.seed, self.offset

    def set_state(self, seed, offset):
        self.seed, self.offset = seed, offset


passed = coil.compile(sys.argv[1])
passed.random_state = 7, 8
first, second = passed.run(x)[0].tolist(), passed.run(x)[0].tolist()
end = passed.random_state
print(first != second, end)
# CHECK: True (7, 16)

generator = Generator(7, 8)
passed.random_state = 1, 0
passed.set_generator(generator)
print(passed.run(x)[0].tolist() == first, passed.run(x)[0].tolist() == second, generator.state())
# CHECK: True True (7, 16)
print(passed.random_state)
# CHECK: (1, 0)

# The program moves it itself.
program = coil.compile(sys.argv[1], options="random=generator")
generator = Generator(7, 8)
program.set_generator(generator)
print(program.run(x)[0].tolist() == first, program.run(x)[0].tolist() == second, generator.state())
# CHECK: True True (7, 16)


class Broken(Generator):
    def state(self):
        raise ValueError("no state")


for each in (passed, program):
    each.set_generator(Broken(0, 0))
    try:
        each.run(x)
    except coil.RunError as error:
        print(error)
# CHECK: ValueError: no state
# CHECK: ValueError: no state
    each.set_generator(None)
print(passed.run(x)[0].tolist() != first, passed.random_state)
# CHECK: True (1, 4)
# Without one it is the process's.
again = program.run(x)[0].tolist()
passed.random_state = 0, 0
print(passed.run(x)[0].tolist() == again)
# CHECK: True
