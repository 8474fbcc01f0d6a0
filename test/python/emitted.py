"""Runs an emitted program on recorded inputs and compares with recorded outputs.

    emitted.py module.py model.pt2 inputs.npy expected.npy tolerance [device count]

On a device other than the host, only the first inputs are looked at.
"""
import ctypes
import importlib.util
import struct
import sys

import torch

from coil import host

sys.path.insert(0, sys.path[0] + "/../Corpus/Inputs")
from run_python import contiguous, elements, read_npy  # noqa: E402

path, model, inputs, expected, tolerance = sys.argv[1:6]
device, count = sys.argv[6:] if len(sys.argv) > 6 else ("cpu", None)
spec = importlib.util.spec_from_file_location("program", path)
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)

sizes, raw = read_npy(inputs)
dtype = torch.int64 if b"<i8" in open(inputs, "rb").read(128) else torch.float32
if count:
    raw = raw[: len(raw) // sizes[0] * int(count)]
    sizes = (int(count), *sizes[1:])
given = torch.empty_strided(sizes, contiguous(sizes), dtype=dtype, device="cpu")
ctypes.memmove(given.data_ptr(), raw, len(raw))
if device != "cpu":
    given = torch.empty_strided(sizes, contiguous(sizes), dtype=dtype, device=device).copy_(given)

weights = host.load_weights(model, program.WEIGHTS, device)
args = [weights.get(i, given) for i in range(len(weights) + 1)]
(logits,) = program.main(args)
# What a call takes over is let go.
assert args == []

if device != "cpu":
    program.synchronize()
    logits = logits.cpu()
sizes, raw = read_npy(expected)
if count:
    sizes = (int(count), *sizes[1:])
assert tuple(logits.size()) == sizes, (logits.size(), sizes)
worst = 0.0
for i, element in enumerate(elements(logits)):
    (a,), (b,) = struct.unpack("<f", element), struct.unpack_from("<f", raw, 4 * i)
    worst = max(worst, abs(a - b))
if worst > float(tolerance):
    sys.exit(f"the largest difference is {worst}")
print(f"{sizes} agree")
try:
    host.load_weights(model, {0: "nothing"})
except host.InputError as error:
    print(error)
