# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host functions in Python without torch: tensors are views of the program's memory."""

import array
import sys

import coil

kept = []


def scale(x, f, b=None):
    kept.append(x)
    assert x.shape == (4,) and x.dtype == "f32" and x.strides == (1,) and x.device == "cpu"
    assert repr(x) == "coil.View(shape=(4,), dtype=f32, device=cpu)"
    return array.array("f", [f * v + (1 if b is None else b.tolist()[0]) for v in x.tolist()])


coil.register_function("mylib::scale", scale)
program = coil.compile(sys.argv[1])
(y,) = program.run(array.array("f", [1, 2, 3, 4]))
print(y.tolist())
# CHECK: [3.0, 5.0, 7.0, 9.0]

# A view is the function's for the time of the call.
try:
    kept[0].tolist()
except AttributeError:
    print("gone")
# CHECK-NEXT: gone


def fail(*args):
    raise KeyError("nothing fits")


coil.register_function("mylib::scale", fail, replace=True)
try:
    program.run(array.array("f", [1, 2, 3, 4]))
except coil.RunError as error:
    print(error)
# CHECK-NEXT: the function 'mylib::scale' ({{.*}}program-call.mlir:[[#]]) failed: KeyError: 'nothing fits'

# Positional where names do not fit.
coil.register_function("mylib::scale", lambda first, second, third: first, replace=True)
print(program.run(array.array("f", [1, 2, 3, 4]))[0].tolist())
# CHECK-NEXT: [1.0, 2.0, 3.0, 4.0]

for arguments, options in ((("mylib::scale", scale), {}), (("mylib::other", 5), {}),
                           (("mylib::other", scale), {"device": "tpu"}), (("mylib::other",), {})):
    try:
        coil.register_function(*arguments, **options)
    except coil.InputError as error:
        print(error)
# CHECK-NEXT: the function 'mylib::scale' is registered for cpu already
# CHECK-NEXT: 'mylib::other' is not a function but a 'int'
# CHECK-NEXT: unknown device 'tpu', expected 'cpu' or 'cuda'
# CHECK-NEXT: no function is given for 'mylib::other', and torch is not imported
