# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comments of a program of the corpus say."""
import re


def read_cases(source):
    """The cases of a program: inputs, and outputs or the text of an error."""
    cases = []
    # "// HOST: 0 2" says which inputs stay on the host where others do not.
    host = [int(n) for line in re.findall(r"^// HOST:(.*)$", source, re.M) for n in line.split()]
    # "// SECOND: 1" which are on the second GPU.
    second = [int(n) for line in re.findall(r"^// SECOND:(.*)$", source, re.M) for n in line.split()]
    for inputs, outputs in re.findall(r"^// CASE:(.*?)->(.*)$", source, re.M):
        split = lambda text: [t.strip() for t in text.split(";") if t.strip()]
        outputs = outputs.strip()
        error = outputs[len("error:"):].strip() if outputs.startswith("error:") else None
        cases.append({"inputs": split(inputs), "error": error, "host": host, "second": second,
                      "outputs": [] if error is not None else split(outputs)})
    return cases


def on_device(source, kind):
    """The program with all buffers and kernels on another device, or None where it
    is not for that: "// GPU: no" says that one is for the host, "// GPU: only"
    that it is for a GPU as it stands. "// GPU: fallbacks" lets functions of the
    host that no GPU has work on copies there, see `before_planning`."""
    if "// GPU: no" in source:
        return None if kind == "cuda" else place(source, kind)
    if is_for_gpu(source):
        return source if kind == "cuda" else None
    return place(source, kind)


def is_for_gpu(source):
    return "// GPU: only" in source


def needs_two(source):
    """Whether a program is for two GPUs."""
    return '#wrapper.device<"cuda", 1>' in source


def needs_capability(source):
    """The compute capability, times ten, of the oldest GPU that a program is for."""
    return 90 if "wrapper.tma_descriptor" in source else 0


def place(source, kind):
    text = source.replace('#wrapper.device<"cpu">', f'#wrapper.device<"{kind}">')
    if kind == "cuda": # Schedules for the CPU are none there.
        text = re.sub(r" schedule<[^>]*> \{", " {", text)
    # Kernels run where their buffers are.
    return re.sub(r"(wrapper\.kernel @\w+\([^{]*?\) attributes \{)",
                  rf'\1device = #wrapper.device<"{kind}">, ', text)


def before_planning(source, kind):
    """The passes that a program on a device needs before memory is planned."""
    if kind != "cuda":
        return ""
    moves = "wrapper-move-host-calls{functions=all}," if "// GPU: fallbacks" in source else ""
    return "wrapper.kernel(loop-select-gpu-schedule)," + moves
