# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comments of a program of the corpus say."""
import re


def read_cases(source):
    """The cases of a program: inputs, and outputs or the text of an error."""
    cases = []
    for inputs, outputs in re.findall(r"^// CASE:(.*?)->(.*)$", source, re.M):
        split = lambda text: [t.strip() for t in text.split(";") if t.strip()]
        outputs = outputs.strip()
        error = outputs[len("error:"):].strip() if outputs.startswith("error:") else None
        cases.append({"inputs": split(inputs), "error": error,
                      "outputs": [] if error is not None else split(outputs)})
    return cases


def on_device(source, kind):
    """The program with all buffers and kernels on another device, or None where it
    is not for that: "// GPU: no" says that one is for the host, "// GPU: only"
    that it is for a GPU as it stands."""
    if "// GPU: no" in source:
        return None if kind == "cuda" else place(source, kind)
    if is_for_gpu(source):
        return source if kind == "cuda" else None
    return place(source, kind)


def is_for_gpu(source):
    return "// GPU: only" in source


def place(source, kind):
    text = source.replace('#wrapper.device<"cpu">', f'#wrapper.device<"{kind}">')
    # Kernels run where their buffers are.
    return re.sub(r"(wrapper\.kernel @\w+\([^{]*?\) attributes \{)",
                  rf'\1device = #wrapper.device<"{kind}">, ', text)
