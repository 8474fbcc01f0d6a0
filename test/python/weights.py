import sys
import threading
import weakref

import numpy as np

import coil

model, images = sys.argv[1], np.load(sys.argv[2])[:50]
program = coil.compile(model)
# CHECK: f2.bias {'dtype': 'f32', 'sizes': (10,)}
print("f2.bias", program.weights["f2.bias"])
# CHECK-NEXT: {'active': 0, 'inactive': None, 'num_sets': 1}
print(program.weights_info)
(before,) = program(images)


def is_shifted(by):
    return bool(np.allclose(program(images)[0], before + by, atol=1e-4))


class Array(np.ndarray):
    """Can be referred to weakly."""


def array(values):
    return np.asarray(values, dtype=np.float32).view(Array)


# Only what is given changes. The bias of the last layer shows in all logits.
bias = np.zeros(10, np.float32)
program.update({"f2.bias": bias})
program.prepare()
# CHECK-NEXT: {'active': 0, 'inactive': 'prepared', 'num_sets': 2} True
print(program.weights_info, is_shifted(0))
program.swap()
original = before - program(images)[0]
bias += 7  # Was copied.
# CHECK-NEXT: True
print(np.allclose(before - program(images)[0], original))
original = np.ascontiguousarray(original[0])

# In place, and back.
mine = array(original + 1)
watch = weakref.ref(mine)
program.update({"f2.bias": mine}, copy=False)
program.swap()
del mine
# CHECK-NEXT: kept True True
print("kept", watch() is not None, is_shifted(1))
program.swap()
program.drop()
# CHECK-NEXT: gone True {'active': 1, 'inactive': None, 'num_sets': 1}
print("gone", watch() is None, program.weights_info)

# Of files. Other names in them do not matter.
program.update(model)
program.swap()
# CHECK-NEXT: from a file True
print("from a file", is_shifted(0))


def refuse(*args, **kwargs):
    info = program.weights_info
    try:
        program.update(*args, **kwargs)
    except coil.CoilError as error:
        print(type(error).__name__, str(error).replace(model, "model"), info == program.weights_info)


# CHECK-NEXT: InputError there is no weight 'f2' True
refuse({"f2": bias})
# CHECK-NEXT: InputError weight 'f2.bias': expected 10xf32 but got 10xf64 True
refuse({"f2.bias": bias.astype(np.float64)})
# CHECK-NEXT: InputError weight 'f2.bias': expected 10xf32 but got 9xf32 True
refuse({"f2.bias": bias[1:]})
# CHECK-NEXT: InputError weight 'c1.weight' is missing True
refuse({"f2.bias": bias}, complete=True)
# CHECK-NEXT: InputError weight 'f2.bias' cannot be used where it is: {{.*}} True
refuse({"f2.bias": np.zeros(20, np.float32)[::2]}, copy=False)
# CHECK-NEXT: InputError expected a tensor but got 'object' True
refuse({"f2.bias": object()})
# CHECK-NEXT: CompileError {{.*}}no-such.pt2{{.*}} True
refuse("no-such.pt2")
# CHECK-NEXT: nothing stays []
print("nothing stays", list(coil._program._kept))
program.drop()
try:
    program.swap()
except coil.InputError as error:
    # CHECK-NEXT: there are no weights to swap to
    print(error)

# Callers see one set or the other.
wrong, counts, stop = [], [0, 0], threading.Event()


def serve():
    while not stop.is_set():
        shift = program(images)[0] - before
        which = int(round(float(shift[0, 0])))
        if which not in (0, 1) or not np.allclose(shift, which, atol=1e-3):
            wrong.append(shift)
        counts[which] += 1


threads = [threading.Thread(target=serve) for _ in range(3)]
for thread in threads:
    thread.start()
i = 0
while i < 40 or min(counts) < 5:
    i += 1
    program.update({"f2.bias": array(original + i % 2)}, copy=i % 3 != 0)
    program.swap()
stop.set()
for thread in threads:
    thread.join()
# CHECK-NEXT: mixed 0
print("mixed", len(wrong))
