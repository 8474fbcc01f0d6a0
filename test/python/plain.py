import array
import os
import sys
import tempfile

import coil

program = coil.compile(sys.argv[1])
# CHECK: [{'dtype': 'f32', 'name': 'a', 'sizes': ['s0', 4]}, {'dtype': 'f32', 'name': 'b', 'sizes': [4]}]
print(program.inputs)
# CHECK: [{'hint': 8, 'max': 64, 'min': 1, 'name': 's0'}]
print(program.symbols)

a = memoryview(array.array("f", range(8))).cast("B").cast("f", (2, 4))
b = array.array("f", [10, 20, 30, 40])
y, s = program.run(a, b)
# CHECK: coil.Tensor(shape=(2, 4), dtype=f32, device=cpu) (2,)
print(y, s.shape)
# CHECK: {{\[\[}}10.0, 21.0, 32.0, 43.0], [14.0, 25.0, 36.0, 47.0]] [106.0, 122.0]
print(y.tolist(), s.tolist())
# CHECK: True True
print(program.run_stats["launches"] > 0, program.compile_stats["seconds"]["total"] > 0)
# An output is an input again.
# CHECK: {{\[\[}}20.0, 41.0, 62.0, 83.0], [24.0, 45.0, 66.0, 87.0]]
print(program.run(y, b)[0].tolist())


def attempt(action):
    try:
        action()
    except coil.CoilError as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "))


# CHECK: InputError: expected 2 inputs but got 1
attempt(lambda: program.run(a))
# CHECK: InputError: input 1 ('b'){{.*}}expected rank 1 but got 2
attempt(lambda: program.run(a, a))
# CHECK: InputError: expected a tensor but got 'str'
attempt(lambda: program.run("x", b))
# CHECK: InputError: expected a contiguous buffer of numbers
attempt(lambda: program.run(memoryview(b)[::2], b))
# CHECK: CompileError: {{.*}}no-such-file
attempt(lambda: coil.compile("no-such-file.mlir"))
# CHECK: True True
with tempfile.TemporaryDirectory() as folder:
    debugged = coil.compile(sys.argv[1], debug_dir=folder)
    # A package has nothing to show.
    shown = os.path.exists(os.path.join(folder, "index.html"))
    print(shown == sys.argv[1].endswith(".mlir"), debugged.run(a, b)[0].tolist() == program.run(a, b)[0].tolist())
# CHECK: InputError: the option 'opt-level' is '4', expected a number from 0 to 3
attempt(lambda: coil.compile(sys.argv[1], opt_level=4))
