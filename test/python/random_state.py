# Random numbers go on from run to run, and begin where they are told to.
import sys

import coil

program = coil.compile(sys.argv[1])
# CHECK: [] (0, 0)
print(program.inputs, program.random_state)
first = program.run()[0].tolist()
# CHECK: (0, 4) [0.3990{{[0-9]*}}, 0.5166{{[0-9]*}},
print(program.random_state, first)
second = program.run()[0].tolist()
# CHECK: (0, 8) True
print(program.random_state, first != second)
program.random_state = 0, 4
# CHECK: True (0, 8)
print(program.run()[0].tolist() == second, program.random_state)
program.random_state = 42, 0
# CHECK: (42, 0) [0.6129{{[0-9]*}}, 0.0100{{[0-9]*}},
print(program.random_state, program.run()[0].tolist())
try:
    program.random_state = 1, 3
except ValueError as error:
    # CHECK: the offset 3 is not a multiple of 4
    print(error)
