# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of Python classes in programs.

    objects.py program.mlir [emitted.py]
"""
import gc
import importlib.util
import sys
import weakref

import coil


class Counter:
    def __init__(self):
        self.total, self.notes = 0, []

    def add(self, x, n):
        self.total += n
        return Array([value + self.total for value in x.tolist()])

    def note(self, *values):
        self.notes.append(values)


class Array:
    """What NumPy's interface makes of floats."""

    def __init__(self, values):
        import array

        self._data = array.array("f", values)
        self.__array_interface__ = {
            "version": 3, "shape": (len(values),), "typestr": "<f4",
            "data": (self._data.buffer_info()[0], False),
        }


if len(sys.argv) > 2:
    import torch

    spec = importlib.util.spec_from_file_location("emitted", sys.argv[2])
else:
    spec = None

# Methods have to be there when a program is loaded.
try:
    coil.compile(sys.argv[1])
except coil.CompileError as error:
    print("missing:", "mylib::Counter.add" in str(error))
# CHECK: missing: True

coil.register_class("mylib::Counter", Counter)
try:
    coil.register_class("mylib::Counter", Counter)
except coil.InputError as error:
    print("twice:", error)
# CHECK: twice: the class 'mylib::Counter' is registered already
try:
    coil.register_class("Counter", Counter)
except coil.InputError as error:
    print("name:", error)
# CHECK: name: 'Counter' is no name of a class, expected 'namespace::name'
try:
    coil.bind_object("counter", 3)
except coil.InputError as error:
    print("class:", error)
# CHECK: class: no class is registered for a 'int'

if spec:
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run():
        x = torch.empty_strided((2,), (1,), dtype=torch.float32, device="cpu")
        return module.main([x])
else:
    program = coil.compile(sys.argv[1])

    def run():
        return program.run(Array([1, 2]))[0].tolist()


try:
    run()
except coil.RunError as error:
    print("unbound:", error)
# CHECK: unbound: no object is bound to the name 'counter'

counter = Counter()
coil.bind_object("counter", counter)
first = run()
print("totals:", counter.total, run() is not None, counter.total)
# CHECK: totals: 3 True 6
print("notes:", counter.notes[0])
# CHECK: notes: ('text', None, True, 0.5, [1, 2])
print("objects:", coil.object_count())
# CHECK: objects: 1

counter.notes = None
Counter.note = None
coil.register_function("mylib::Counter.note", lambda self, *values: None, replace=True)
for _ in range(2_000 if spec else 100_000):
    run()
print("objects:", coil.object_count())
# CHECK: objects: 1

# A method that fails stops the program, and leaves no owner.
coil.register_function("mylib::Counter.add", lambda self, x, n: 1 / 0, replace=True)
try:
    run()
except coil.RunError as error:
    print("fails:", error)
# CHECK: fails: the function 'mylib::Counter.add' (model.py:7) failed: ZeroDivisionError: division by zero
print("objects:", coil.object_count())
# CHECK: objects: 1

# The binding is the last owner but us.
reference = weakref.ref(counter)
del counter
print("bound:", reference() is not None)
# CHECK: bound: True
coil.bind_object("counter", None)
gc.collect()
print("gone:", reference() is None, coil.object_count())
# CHECK: gone: True 0
