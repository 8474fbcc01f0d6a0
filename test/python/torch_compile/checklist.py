#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What a backend of torch.compile has to get right, item by item: inputs, outputs, aliases,
mutation, element types, random numbers, custom operators and symbolic sizes."""

import sys

import coil
import torch
import torch.nn.functional as F
from checks import check, check_gradients, compile, equal, main

# ===------------------------------------------------------------------------===
# Outputs
# ===------------------------------------------------------------------------===


def test_outputs_of_all_kinds():
    def function(x, n):
        y = x * 2
        return {"none": None, "int": 3, "float": 2.5, "bool": True, "text": "t", "y": (y, y, [y]), "x": x,
                "size": x.shape[0], "sum": n + 1, "empty": x[:0] + 1, "scalar": x.sum()}
    check(function, torch.rand(4, 5), 7)
    check(function, torch.rand(4, 5), 7, dynamic=True)


def test_no_tensor_at_all():
    check(lambda x: x.shape[0] * 2, torch.rand(3))
    check(lambda x: None, torch.rand(3))


def test_outputs_alias_inputs():
    def function(x):
        return x, x.t(), x[1:], x.view(-1), x.reshape(2, 6)[:, 2:], x.expand(2, 3, 4), x.unsqueeze(0), x.detach()
    compiled = check(function, torch.rand(3, 4))
    x = torch.rand(3, 4)
    for result in compiled(x):
        assert result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    x.fill_(2)
    compiled(x)[2].mul_(3)
    assert x[0, 0] == 2 and x[2, 3] == 6


def test_outputs_alias_each_other():
    def function(x):
        y = x.exp()
        return y, y[1:], y.t(), y.unbind(0), y.split([1, 2], 1), y.view(-1)
    compiled = check(function, torch.rand(4, 3))
    y, part, *_ = compiled(torch.rand(4, 3))
    part.zero_()
    assert y[1:].abs().sum() == 0 and y[0].abs().sum() > 0


def test_equal_outputs_have_own_memory():
    def function(x):
        return x + 1, x + 1, (x + 1).clone(), x.clone(), (x * 1)[0].clone(), x.contiguous() + 0
    compiled = check(function, torch.rand(3, 3))
    x = torch.rand(3, 3)
    results = compiled(x)
    kept = [r.clone() for r in results]
    for i, result in enumerate(results):
        result.fill_(-1)
        for j, other in enumerate(results):
            assert torch.equal(other, kept[j]) if j > i else torch.all(other == -1)
    assert x.min() >= 0


def test_output_strides():
    def function(x):
        return (x.t() + 1, x.permute(1, 0).contiguous(), torch.empty_like(x.t()).copy_(x.t()),
                x.to(torch.float64).t().clone(), (x.unsqueeze(1) * 2).expand(4, 3, 6))
    check(function, torch.rand(4, 6))
    image = torch.rand(2, 3, 8, 8).contiguous(memory_format=torch.channels_last)
    conv = torch.nn.Conv2d(3, 5, 3).to(memory_format=torch.channels_last)
    with torch.no_grad():
        check(lambda x: F.relu(conv(x)), image)


# ===------------------------------------------------------------------------===
# Inputs
# ===------------------------------------------------------------------------===


def test_empty_outputs_are_resized_afterwards():
    made = compile(lambda x: (x[:0] * 2, x + 1))(torch.rand(4))[0]
    torch.add(torch.ones(3), 1, out=made)
    assert made.eq(2).all() and made.shape == (3,)


def test_outputs_are_updated_afterwards():
    """Results are no views as autograd sees it, whatever strides and element types they have."""
    def function(x):
        y = x.transpose(0, 1) * 2
        return y, torch.complex(x, x * 3), y.sum()
    compiled = compile(function)
    given = torch.rand(1, 5, 3)
    gradients = []
    for call in compiled, function:
        x = given.clone().requires_grad_()
        y, z, total = call(x)
        assert not y._is_view() and not z._is_view()
        y.add_(1)
        z.mul_(2)
        (y.square().sum() + z.abs().sum() + total).backward()
        gradients.append(x.grad)
    equal(*gradients)


def test_input_layouts():
    base = torch.rand(100)
    function = lambda x: (x * 2, x.sum(0), x.softmax(-1))
    for x in (base.as_strided((3, 4), (4, 1), 1), base.as_strided((3, 4), (1, 3), 5), base[:12].view(3, 4).t(),
              torch.rand(3, 1).expand(3, 4), torch.rand(1, 4).expand(3, 4), base.as_strided((3, 4), (2, 1), 3),
              base.as_strided((5, 3), (20, 7), 2), torch.rand(6, 8)[::2, ::3]):
        check(function, x)
        check(function, x, dynamic=True)


def test_other_strides_than_the_example():
    # Dynamo compiles again where strides are others; addresses are nobody's guard.
    torch._dynamo.reset()
    compiled = compile(lambda x: x * 2 + 1)
    base = torch.rand(65)
    for offset in (0, 1, 2, 3, 5):
        x = base[offset:offset + 32]
        equal(compiled(x), x * 2 + 1)
    raw = torch.arange(129, dtype=torch.uint8)
    odd = raw[1:129].view(torch.uint8)
    equal(compiled(odd), odd * 2 + 1)


def test_zero_size_and_rank_zero():
    function = lambda x, y: (x + y, x.sum(), (x * y).mean(), x.reshape(-1))
    for size in ((0,), (0, 3), (3, 0, 2), ()):
        check(function, torch.rand(size), torch.rand(()))
        check(function, torch.rand(size), torch.tensor(2))


def test_unused_and_repeated_inputs():
    check(lambda x, y, z: x * 2, torch.rand(3), torch.rand(4), 5)
    x = torch.rand(3, 3)
    torch._dynamo.reset()
    equal(compile(lambda a, b: a @ b + a)(x, x), x @ x + x)


def test_parameters_buffers_and_constants():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)
            self.register_buffer("count", torch.zeros((), dtype=torch.int64))
            self.table = torch.arange(4.0)

        def forward(self, x):
            self.count += 1
            return self.linear(x) + self.table + torch.tensor([1.0, 2.0, 3.0, 4.0]) + self.count

    torch.manual_seed(0)
    model = Model()
    torch._dynamo.reset()
    compiled, x = compile(model), torch.rand(2, 4)
    for number in range(1, 4):
        result = compiled(x)
        assert model.count.item() == number
        equal(result.detach(), (model.linear(x) + model.table + torch.tensor([1.0, 2, 3, 4]) + number).detach())


def test_tied_parameters():
    torch.manual_seed(0)
    embedding = torch.nn.Embedding(10, 6)
    head = torch.nn.Linear(6, 10, bias=False)
    head.weight = embedding.weight
    tokens = torch.randint(10, (3, 5))
    losses = []
    for call in compile(lambda t: head(embedding(t)).log_softmax(-1).sum()), \
            lambda t: head(embedding(t)).log_softmax(-1).sum():
        embedding.weight.grad = None
        call(tokens).backward()
        losses.append(embedding.weight.grad.clone())
    equal(*losses, rtol=1e-4, atol=1e-4)


# ===------------------------------------------------------------------------===
# Mutation
# ===------------------------------------------------------------------------===


def test_mutated_inputs():
    def function(x, y):
        x.add_(1)
        y[1:].mul_(x[0, 0])
        x.t_()
        return x * y.sum()
    check(function, torch.rand(3, 4), torch.rand(5))

    def swap(x, y):
        kept = x.clone()
        x.copy_(y)
        y.copy_(kept)
        return x + y
    check(swap, torch.rand(3), torch.rand(3))

    def swap_views(x):
        top = x[:2].clone()
        x[:2] = x[2:]
        x[2:] = top
        return x.sum()
    check(swap_views, torch.rand(4, 3))


def test_mutated_inputs_that_share_memory():
    def function(x, y):
        x.add_(1)
        return y * 2
    base = torch.rand(8)
    torch._dynamo.reset()
    ours, theirs = base.clone(), base.clone()
    equal(compile(function)(ours[:5], ours[3:]), function(theirs[:5], theirs[3:]))
    equal(ours, theirs)


def test_result_of_a_mutation():
    def function(x):
        y = x.add_(2)
        return y, x.relu_(), x * 1
    check(function, torch.randn(4))
    check(function, torch.randn(4, 3).t())


def test_out_and_set_data():
    def function(x):
        out = torch.empty(3)
        torch.add(x, 1, out=out)
        out[0] = 5
        return out
    check(function, torch.rand(3))


def test_batch_norm_in_training():
    torch.manual_seed(0)
    ours, theirs = torch.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3)
    compiled = compile(ours)
    for _ in range(3):
        x = torch.rand(4, 3, 5, 5)
        equal(compiled(x).detach(), theirs(x).detach(), 1e-4, 1e-4)
    equal(ours.running_mean, theirs.running_mean)
    equal(ours.running_var, theirs.running_var)
    assert ours.num_batches_tracked == theirs.num_batches_tracked == 3


# ===------------------------------------------------------------------------===
# Element types
# ===------------------------------------------------------------------------===


def test_element_types():
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32, torch.int64,
                  torch.uint8):
        x = (torch.rand(3, 5) * 10).to(dtype)
        tolerance = 1e-2 if dtype in (torch.float16, torch.bfloat16) else 1e-6
        check(lambda x: (x + 1, x * x, x.sum(), x.to(torch.float32) / 3, x > 2), x, rtol=tolerance, atol=tolerance)
    check(lambda x: (x & ~x, x.any(), x.to(torch.int64).sum(), x | True), torch.rand(7) > 0.5)
    check(lambda x: x.to(torch.float8_e4m3fn).to(torch.float32), torch.rand(9))


def test_complex():
    z = torch.view_as_complex(torch.rand(3, 4, 2))
    function = lambda z: (z * z.conj(), z.real + 1, z.imag * 2, z.abs(), torch.view_as_real(z * 2), z.t() + 1)
    check(function, z)
    check(function, z.conj())
    check(lambda x: x * 2, z.imag)
    check(lambda x: x + 1, z.conj().imag)
    check(lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2), torch.rand(3, 8))


def test_types_without_support_are_called():
    before = coil.counters()["fallbacks"]
    x = torch.tensor([1, 2, 2**32 - 1], dtype=torch.uint32)
    check(lambda x: (x.to(torch.int64) + 1, x), x)
    assert coil.counters()["fallbacks"] > before


# ===------------------------------------------------------------------------===
# Random numbers
# ===------------------------------------------------------------------------===


def test_random_numbers_are_those_of_eager_mode():
    def function(x):
        return (F.dropout(x, 0.4), torch.rand(3) + 1, torch.randn_like(x) * 2, torch.randperm(7), x.bernoulli(0.3),
                torch.randint(0, 9, (4,)), x.uniform_(), torch.normal(0.0, 1.0, (2, 2)))
    check(function, torch.rand(4, 5))
    torch._dynamo.reset()
    compiled = compile(lambda x: F.dropout(x, 0.5))
    x = torch.rand(64)
    torch.manual_seed(5)
    first, second = compiled(x), compiled(x)
    assert not torch.equal(first, second)
    torch.manual_seed(5)
    equal([first, second], [F.dropout(x, 0.5), F.dropout(x, 0.5)])


def test_generator_state_after_a_call():
    torch._dynamo.reset()
    torch.manual_seed(1)
    compile(lambda x: F.dropout(x) * 2)(torch.rand(10))
    mine = torch.rand(3)
    torch.manual_seed(1)
    F.dropout(torch.rand(10))
    equal(mine, torch.rand(3))


# ===------------------------------------------------------------------------===
# Symbolic sizes
# ===------------------------------------------------------------------------===


def test_dynamic_sizes_compile_once():
    torch._dynamo.reset()
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.LayerNorm(16))
    compiled = compile(lambda x: model(x).view(x.shape[0], 2, -1).sum(1), dynamic=True)
    before = coil.counters()["graphs"]
    for batch in (3, 7, 2, 64, 33):
        x = torch.rand(batch, 8)
        equal(compiled(x).detach(), model(x).view(batch, 2, -1).sum(1).detach())
    # Once with symbols, forward and backward at most.
    assert coil.counters()["graphs"] - before <= 2, coil.counters()["graphs"] - before


def test_no_guard_is_added():
    def graphs(backend):
        torch._dynamo.reset()
        seen = []

        def counting(module, inputs):
            seen.append(module)
            return backend(module, inputs)
        def function(x, y):
            z = torch.cat([x, y]).view(-1, 2)
            return z.sum(1) * x.shape[0], z.shape[0] // 2, F.pad(z, (0, x.shape[0]))
        compiled = torch.compile(function, backend=counting, dynamic=True)
        for a, b in ((2, 4), (3, 5), (8, 2), (6, 6), (31, 3), (17, 19)):
            x, y = torch.rand(a, 2), torch.rand(b, 2)
            equal(compiled(x, y), function(x, y))
        return len(seen)

    from torch._dynamo.backends.registry import lookup_backend
    assert graphs(lookup_backend("coil")) == graphs(lookup_backend("aot_eager"))


def test_symbolic_numbers():
    def function(x, n):
        y = torch.zeros(n, x.shape[1]) + x.shape[0] / 2
        return y * n, n * 2, x[: n // 2], x.shape[0] * n + 1, torch.arange(n)
    torch._dynamo.reset()
    compiled = compile(function, dynamic=True)
    for rows, n in ((8, 5), (12, 7), (9, 6)):
        x = torch.rand(rows, 3)
        equal(compiled(x, n), function(x, n))
    # Numbers may be negative, sizes are not.
    torch._dynamo.reset()
    compiled = compile(lambda x, n: (x + n, x * (n - 2), torch.full((3,), n)), dynamic=True)
    for n in (7, -4, -9):
        x = torch.rand(3)
        equal(compiled(x, n), (x + n, x * (n - 2), torch.full((3,), n)))


def test_numbers_that_sizes_do_not_tell():
    """Sizes of saved tensors follow from symbols by division, and strides of views are numbers by themselves."""
    before = coil.counters()["fallbacks"]
    torch._dynamo.reset()
    w = torch.rand(2, 2, requires_grad=True)

    def patches(x):
        return F.avg_pool2d(x, 4).flatten(2).mT.matmul(w).tanh()
    compiled = compile(patches, dynamic=True)
    for batch, size in ((3, 12), (2, 16), (5, 9)):
        x = torch.rand(batch, 2, size, size)
        y, expected = compiled(x), patches(x)
        equal(y.detach(), expected.detach())
        equal(torch.autograd.grad(y.sum(), w)[0], torch.autograd.grad(expected.sum(), w)[0])
    torch._dynamo.reset()
    compiled = compile(lambda x: (x * 2).cumsum(-1))
    for columns in (4, 5, 7):
        x = torch.rand(2, columns, 3)[:, -1:]
        equal(compiled(x), (x * 2).cumsum(-1))
    assert coil.counters()["fallbacks"] == before, coil.counters()["fallbacks_by_operator"]


def test_sizes_that_data_decides():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        def function(x):
            found = (x > 0.5).nonzero()
            return found, found.shape[0], found.sum() + x.sum()
        check(function, torch.rand(17))
        check(lambda x: x[x > 0.5] * 2, torch.rand(17))

        def scalar(x, n):
            size = n.item()
            torch._check(size >= 0)
            torch._check(size < 100)
            return torch.ones(size) * 2, x * size
        check(scalar, torch.rand(3), torch.tensor(6))


def test_asserts():
    from checks import raises
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        def function(n):
            size = n.item()
            torch._check(size >= 2)
            torch._check(size < 10)
            return torch.zeros(size)
        torch._dynamo.reset()
        compiled = compile(function, fullgraph=True)
        assert compiled(torch.tensor(4)).shape == (4,)
        raises(RuntimeError, "", compiled, torch.tensor(50))


# ===------------------------------------------------------------------------===
# Operators
# ===------------------------------------------------------------------------===


@torch.library.custom_op("coil_checklist::scale", mutates_args=())
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    return x * factor


@scale.register_fake
def _(x, factor):
    return torch.empty_like(x)


@torch.library.custom_op("coil_checklist::add_to", mutates_args={"x"})
def add_to(x: torch.Tensor, amount: float) -> None:
    x.add_(amount)


def test_custom_operators():
    before = coil.counters()["fallbacks"]
    check(lambda x: torch.ops.coil_checklist.scale(x * 2, 3.0) + 1, torch.rand(3, 4))
    assert coil.counters()["fallbacks"] == before + 1

    def function(x):
        y = x * 2
        torch.ops.coil_checklist.add_to(y, 1.5)
        torch.ops.coil_checklist.add_to(x, 2.5)
        return y + x
    check(function, torch.rand(3, 4))


def test_alternating_fallbacks():
    def function(x):
        for i in range(4):
            x = torch.ops.coil_checklist.scale(x.sin() + i, 1.5).exp().clamp(max=3)
        return x, F.dropout(x)
    check(function, torch.rand(5, 6))
    check(function, torch.rand(5, 6), dynamic=True)


def test_higher_order_operators():
    def function(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() - 1, (x,))
    check(function, torch.rand(4))
    check(function, -torch.rand(4))

    def loop(x):
        return torch._higher_order_ops.while_loop(
            lambda i, x: i < 5, lambda i, x: (i + 1, x * 1.5), (torch.tensor(0), x))
    check(loop, torch.rand(4))


def test_branches_and_loops_are_compiled():
    from torch._higher_order_ops.associative_scan import associative_scan
    from torch._higher_order_ops.map import map as map_rows
    from torch._higher_order_ops.scan import scan

    def branch(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() - 1, (x,))

    def steps(x, w):
        return scan(lambda state, x: ((state @ w).tanh() + x, state.sum(-1)), torch.ones_like(x[0]), x)

    def rows(x, w):
        return map_rows(lambda x, w: (x @ w).sin() * x.shape[0], x, w)

    def products(x):
        return associative_scan(lambda a, b: a * b + 1, x, 0, combine_mode="generic")
    x, w = torch.rand(6, 4, 4), torch.rand(4, 4)
    wanted = [each.clone().requires_grad_() for each in (x, w)]
    for dynamic in False, True:
        given = {"dynamic": dynamic, "options": {"fallback": "error"}}
        check(branch, x, **given)
        check(branch, -x, **given)
        check(steps, x, w, **given)
        check(rows, x, w, **given)
        check(products, x, **given)
        check_gradients(branch, wanted[0], **given)
        check_gradients(steps, *wanted, **given)
        check_gradients(rows, *wanted, **given)


def test_branches_with_fallbacks_are_called():
    def function(x):
        return torch.cond(x.sum() > 0, lambda x: torch.ops.coil_checklist.scale(x, 2.0), lambda x: x - 1, (x,))
    check(function, torch.rand(4))
    torch._dynamo.reset()
    (operator, reason, _), = coil.explain(function, torch.rand(4)).fallbacks
    assert operator == "higher_order.cond" and "'coil_checklist.scale.default' in its subgraph" in reason, reason


@torch.compiler.nested_compile_region
def region(x, w):
    return (x @ w).sin() + 1, x * 2


def test_regions_are_compiled():
    def function(x, w):
        for _ in range(3):
            x, y = region(x, w)
        return x, y.sum()
    x, w = torch.rand(4, 4, requires_grad=True), torch.rand(4, 4)
    torch._dynamo.reset()
    explanation = coil.explain(function, x.detach(), w)
    assert not explanation.fallbacks and len(explanation.graphs[0].programs) == 1, str(explanation)
    check(function, x.detach(), w)
    check(function, x.detach(), w, dynamic=True)
    check_gradients(function, x, w)


def test_sparse():
    dense = (torch.rand(4, 4) > 0.5).float()
    torch._dynamo.reset()
    sparse = dense.to_sparse()
    equal(torch.compile(lambda s, x: torch.sparse.mm(s, x) + 1, backend="coil")(sparse, dense), dense @ dense + 1)


def test_sorting_and_indexing():
    def function(x, i):
        values, order = x.sort(-1)
        top, at = x.topk(2, -1)
        return values, order, top, at, x[i], x.gather(1, i.view(-1, 1) % 3), x.scatter_add(0, i.view(-1, 1), x), \
            x.index_add(0, i, x), x.cumsum(1), x.argmax(), x.unique().shape[0]
    check(function, torch.randn(5, 7), torch.randint(0, 5, (5,)))


def test_graph_breaks():
    def function(x):
        y = x.sin()
        if y.sum() > 100:  # A truth value ends the graph.
            return y
        print(end="")
        return y.cos() + 1
    check(function, torch.rand(4))


def test_no_grad_modes():
    x = torch.rand(3, 4, requires_grad=True)
    for mode in torch.no_grad, torch.inference_mode:
        with mode():
            torch._dynamo.reset()
            equal(compile(lambda x: x.exp() * 2)(x), x.exp() * 2)
    check_gradients(lambda x: (x.exp(), x.detach() * 2), x)


def test_autocast():
    model = torch.nn.Linear(8, 8)
    x = torch.rand(4, 8)

    def function(x):
        with torch.autocast("cpu", torch.bfloat16):
            return model(x).relu()
    with torch.no_grad():
        check(function, x, rtol=1e-2, atol=1e-2)


if __name__ == "__main__":
    sys.exit(main(globals()))
