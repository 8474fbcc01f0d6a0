"""Dynamo has looked for backends before the package is on the path of Python."""
import sys

import torch

assert "coil" not in torch._dynamo.list_backends()
sys.path.insert(0, sys.argv[1])
import coil  # noqa: E402, F401

print(torch.compile(lambda x: x + 1, backend="coil")(torch.ones(2)), "coil" in torch._dynamo.list_backends())
