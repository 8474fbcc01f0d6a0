//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Python says of the methods of a program.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_DOCS_H
#define COIL_PYTHON_EXTENSION_DOCS_H

namespace coil {

constexpr char runDoc[] =
    R"(run($self, /, *inputs, stream=None, device=0, like=None, donate=(), strides=None, updates=None)
--

Runs the program; returns a tuple of `Tensor`, or of `like`.

Outputs are in device memory if any input is, else in host memory.

Args:
  inputs: NumPy arrays, PyTorch tensors (of the host or, for a program
    for a GPU, of a GPU) or anything else that has DLPack, buffers,
    numbers.
  stream: the CUDA stream to work on, as an integer, such as
    `torch.cuda.current_stream().cuda_stream`. Inputs must be ready, and
    outputs are, in the order of the stream; the call does not wait. The
    caller keeps inputs and outputs until the stream has come that far,
    as it does with memory that the stream's allocator owns. Without
    one the outputs are complete on return.
  device: the GPU, when no input is on one.
  like: what outputs are: a type that has DLPack's table of C functions,
    such as `torch.Tensor` since PyTorch 2.10. They share the memory of
    the run, as `Tensor` does.
  donate: the numbers of inputs that the call takes over: `Tensor` and
    tensors of torch, none of which is given twice. Their memory is free
    for the rest of the run behind their last use in programs that were
    compiled with "release-inputs=true", and else for what comes behind
    the run, also one that fails. Afterwards a `Tensor` is of no use,
    which whoever tries is told, and one of torch is empty.
  strides: with `like=torch.Tensor`, the strides that outputs shall have, in
    one tuple, those of an output behind those of the one before; -1 is any.
    Outputs then share no memory with inputs or each other.
  updates: with `strides`, a tuple that has for each output the number of the
    input whose final value it is, or -1. An output that the program has
    written to the memory of that input, in programs that were compiled with
    "update-inputs=true", is None.)";
constexpr char bindDoc[] =
    R"(bind($self, /, *inputs, stream=None, device=0, like=None)
--

Binds a call to its memory, for a GPU that should not wait for its host:
returns an object that launches the call each time it is called, reading
the inputs where they are now and writing the same outputs, and returns
these. A launch is that of one CUDA graph: it checks and allocates
nothing. Nothing runs before the first one.

    step = program.bind(token, cache, stream=stream, like=torch.Tensor)
    while ...:
        token.copy_(next_token)
        (logits,) = step()

Weights are those that are in use now, whatever is swapped later. Raises
`InputError` for an input in host memory and for a program that draws
random numbers, and `CoilError` where the call is not one CUDA graph
because the host takes part in it.

Args:
  inputs: as of `run`, all on the program's GPUs. They are kept as long as the result.
  stream, device, like: as of `run`. Without a stream each launch is
    waited for.)";

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_DOCS_H
