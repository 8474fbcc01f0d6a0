import sys

import numpy
import torch

import coil
from coil import _tensor

program = coil.compile(sys.argv[1])
capsules = []
by_capsule = _tensor._from_dlpack
_tensor._from_dlpack = lambda *args: capsules.append(args[0]) or by_capsule(*args)


def run(a, b):
    capsules.clear()
    y, s = program.run(a, b)
    expected = torch.as_tensor(a) + torch.as_tensor(b)
    same = torch.equal(torch.from_dlpack(y), expected) and torch.allclose(torch.from_dlpack(s), expected.sum(1))
    print(same, len(capsules))


a, b = torch.rand(3, 4), torch.rand(4)
# CHECK: True 0
run(a, b)
# Strides of its own, and a first element that is not the storage's.
# CHECK-NEXT: True 0
run(torch.rand(4, 9).t()[2:7], torch.rand(7)[3:])
# Subclasses have the functions of their base.
# CHECK-NEXT: True 0
run(torch.nn.Parameter(a, requires_grad=False), b)
# Two libraries at once.
# CHECK-NEXT: True 0
run(a, b.numpy())


# A producer that has capsules only.
class Capsules:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __array__(self, dtype=None, copy=None):
        return self.tensor.numpy()


# CHECK-NEXT: True 1
run(a, Capsules(b))


def attempt(*inputs):
    try:
        program.run(*inputs)
    except coil.CoilError as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "))


# What does not fit is the program's to say.
# CHECK-NEXT: InputError: input 0 ('a'){{.*}}expected element type f32 but got f64
attempt(a.double(), b)
# CHECK-NEXT: InputError: input 0 ('a'){{.*}}expected rank 2 but got 3
attempt(torch.rand(2, 3, 4), b)
# CHECK-NEXT: InputError: {{.*}}expected a tensor of numbers
attempt(a.to(torch.complex64), b)
# Results outlive the program and its inputs.
# CHECK-NEXT: [4.0, 4.0]
total = coil.compile(sys.argv[1]).run(torch.ones(2, 4), torch.zeros(4))[1]
print(numpy.asarray(total).tolist())

# Outputs as tensors of the library: the same memory, with lives of their own.
# CHECK-NEXT: Tensor Tensor True True
y, total = program.run(a, b, like=torch.Tensor)
print(type(y).__name__, type(total).__name__, torch.equal(y, a + b), torch.allclose(total, (a + b).sum(1)))
# CHECK-NEXT: 7.0
del program
y += 1
again = coil.compile(sys.argv[1]).run(torch.ones(1, 4), torch.zeros(4), like=torch.Tensor)
y = again[0]
del again
y += 6
print(y[0, 0].item())
