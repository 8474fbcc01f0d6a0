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
