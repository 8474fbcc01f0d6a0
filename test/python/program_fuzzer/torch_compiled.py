#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The drawn programs through torch.compile(backend="coil"): results, and what inputs and buffers hold
after the call. Nothing is exported, so in-place updates of inputs stay what they are."""

import torch

import worker

MODES = ("compile", "compile-dynamic", "compile-gradients")


def run(program, backend, way, calls=1):
    """What a compiled program returns, and what its inputs and buffers hold after the call, of the last of
    some calls on the same numbers."""
    torch._dynamo.reset()
    module = program.module()
    options = {"options": {"strict": True, "cache": False, "opt_level": way.opt_level}} if backend == "coil" else {}
    call = torch.compile(module, backend=backend, dynamic=way.mode == "compile-dynamic", **options)
    buffers = {name: getattr(module, name).clone() for name, _, is_buffer in program.inputs if is_buffer}
    for _ in range(calls):
        given = {}
        for tensor, (name, _, is_buffer) in zip(program.make_inputs(), program.inputs):
            if is_buffer:
                getattr(module, name).copy_(buffers[name])
                given[name] = getattr(module, name)
            else:
                given[name] = tensor
        users = [given[name] for name, _, is_buffer in program.inputs if not is_buffer]
        torch.manual_seed(1)
        if way.mode == "compile-gradients":
            # Inputs become results of an operator, so that the program may update them. The forward
            # graph is that of training; gradients themselves are the operator database's to check.
            leaves = [t.requires_grad_() if t.is_floating_point() or t.is_complex() else t for t in users]
            users = [t * 1 if t.requires_grad else t for t in leaves]
            results = [t.detach() for t in call(*users)]
            given.update(zip([name for name, _, is_buffer in program.inputs if not is_buffer],
                             [t.detach() for t in users]))
        else:
            with torch.no_grad():
                results = list(call(*users))
    return results, given


def check(program, way, expectation, say):
    """(state, why) of a program."""
    say({"stage": "compile"})
    try:
        results, after = run(program, "coil", way, calls=2)
        state, why = expectation.judge(results, after)
    except Exception as error:  # pylint: disable=broad-except
        inner = getattr(error, "inner_exception", error)
        state, why = "refused", f"{type(inner).__name__}: {worker.first_line(inner)}"
    if state not in ("wrong", "refused"):
        return state, why
    # What Dynamo and AOTAutograd make of the program may be something else, or nothing.
    try:
        results, after = run(program, "aot_eager", way)
        judged, reason = expectation.judge(results, after)
    except Exception as error:  # pylint: disable=broad-except
        return "export", f"aot_eager fails, too: {worker.first_line(error)}"
    if judged == "wrong":
        return "export", f"aot_eager gives other results, too: {reason}"
    return state, why
