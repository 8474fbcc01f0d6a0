# A step of an optimizer in terms of torch._foreach_*, over tensors of several shapes, as an exported program with its
# inputs and what PyTorch gives for them.
import sys
import warnings

import numpy
import torch

warnings.simplefilter("ignore")
SHAPES = [(64, 33), (33,), (10, 64), (10,), (3, 3, 8), (1,), (257,), (0, 5)]


class Step(torch.nn.Module):
    def forward(self, *tensors):
        count = len(tensors) // 3
        parameters, gradients, moments = (list(tensors[i * count:(i + 1) * count]) for i in range(3))
        moments = torch._foreach_lerp(moments, gradients, 0.1)
        scale = torch._foreach_add(torch._foreach_sqrt(torch._foreach_abs(moments)), 1e-3)
        parameters = torch._foreach_addcdiv(torch._foreach_mul(parameters, 0.99), moments, scale, -0.5)
        return (*parameters, *moments)


torch.manual_seed(0)
inputs = tuple(torch.randn(shape) for _ in range(3) for shape in SHAPES)
folder = sys.argv[1]
torch.export.save(torch.export.export(Step(), inputs), f"{folder}/step.pt2")
for i, tensor in enumerate(inputs):
    numpy.save(f"{folder}/in{i}.npy", tensor.numpy())
for i, tensor in enumerate(Step()(*inputs)):
    numpy.save(f"{folder}/out{i}.npy", tensor.numpy())
with open(f"{folder}/flags.txt", "w") as file:
    file.write(" ".join([f"--input=@{folder}/in{i}.npy" for i in range(len(inputs))]
                        + [f"--expected-output=@{folder}/out{i}.npy" for i in range(2 * len(SHAPES))]))
