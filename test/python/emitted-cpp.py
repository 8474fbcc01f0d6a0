"""Runs a model that was emitted as C++ on recorded inputs, with its weights.

    emitted-cpp.py library.so model.pt2 inputs.npy expected.npy tolerance
"""
import ctypes
import os
import struct
import sys

from coil import host
from coil._library import CTensor

sys.path.insert(0, sys.path[0] + "/../Corpus/Inputs")
library_path, model, inputs, expected, tolerance = sys.argv[1:]
sys.argv[1] = library_path
import run_cpp  # noqa: E402
from run_python import contiguous, elements, read_npy  # noqa: E402
import torch  # noqa: E402

library = run_cpp.library
# The names of the program begin with that of its file.
prefix = os.path.basename(library_path).partition(".")[0] + "_main"
weight = getattr(library, prefix + "_input_weight")
weight.restype, weight.argtypes = ctypes.c_char_p, [ctypes.c_size_t]
count = getattr(library, prefix + "_num_inputs")()
names = {i: weight(i).decode() for i in range(count) if weight(i)}
tensors = host.load_weights(model, names)
sizes, raw = read_npy(inputs)
dtype = torch.int64 if b"<i8" in open(inputs, "rb").read(128) else torch.float32
given = torch.empty_strided(sizes, contiguous(sizes), dtype=dtype, device="cpu")
ctypes.memmove(given.data_ptr(), raw, len(raw))
arguments = (CTensor * count)(*[run_cpp.to_c(tensors.get(i, given)) for i in range(count)])
output, run = CTensor(), ctypes.c_void_p()
assert library.coil_run_create(ctypes.byref(run)) == 0
entry = getattr(library, prefix)
entry.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
                  ctypes.c_size_t]
status = entry(run, arguments, count, ctypes.byref(output), 1)
assert status == 0, library.coil_last_error()
sizes, raw = read_npy(expected)
assert tuple(output.sizes[:output.rank]) == sizes
worst = 0.0
for i, element in enumerate(elements(run_cpp.Output(output))):
    (a,), (b,) = struct.unpack("<f", element), struct.unpack_from("<f", raw, 4 * i)
    worst = max(worst, abs(a - b))
if worst > float(tolerance):
    sys.exit(f"the largest difference is {worst}")
print(f"{sizes} agree")
assert entry(run, arguments, 1, ctypes.byref(output), 1) != 0
print(library.coil_last_error().decode())
library.coil_run_destroy(run)
