import warnings

import torch

import coil

warnings.filterwarnings("ignore")
matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn


def expect(matmul, conv):
    assert coil.torch_precision() == f"float32-matmul-precision={matmul} float32-conv-precision={conv}", \
        coil.torch_precision()


# What torch begins with: products exact, convolutions not.
expect("highest", "high")
for precision in ("high", "medium"):
    torch.set_float32_matmul_precision(precision)
    expect("high", "high")
torch.set_float32_matmul_precision("highest")
expect("highest", "high")
matmul.allow_tf32 = True
expect("high", "high")
cudnn.allow_tf32 = False
expect("high", "highest")
matmul.allow_tf32 = False
expect("highest", "highest")
if hasattr(matmul, "fp32_precision"):
    matmul.fp32_precision = "tf32"
    cudnn.conv.fp32_precision = "tf32"
    expect("high", "high")
    # The old interface refuses to answer now.
    cudnn.conv.fp32_precision = "ieee"
    expect("high", "highest")
    matmul.fp32_precision = "ieee"
    cudnn.allow_tf32 = False
expect("highest", "highest")
# What is compiled accepts the options.
print("flags agree")

# A backend whose programs tell what they were compiled with.
made = []


def backend(graph, inputs):
    def build(options):
        made.append(options)
        value = 2.0 * ("matmul-precision=high " in options) + options.endswith("conv-precision=high")
        return lambda *args: (torch.full((), value),)

    return coil.per_precision(build)


compiled = torch.compile(lambda x: x.sum(), backend=backend)
x = torch.ones(3)
for _ in range(2):
    for product in ("highest", "high"):
        for conv in (False, True):
            torch.set_float32_matmul_precision(product)
            cudnn.allow_tf32 = conv
            expected = 2.0 * (product == "high") + conv
            assert compiled(x).item() == expected, (product, conv, compiled(x))
print("compiled", len(set(made)), "times")
