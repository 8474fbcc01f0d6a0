# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that are threads of one process."""

import threading

import coil


def on_ranks(size, body, ranks=None):
    """Runs `body` on a thread for each of `ranks`, by default all; gives results or messages of
    errors, None for the others."""
    results = [None] * size

    def work(rank):
        try:
            results[rank] = body(rank)
        except coil.CoilError as error:
            results[rank] = str(error)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in ranks or range(size)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return results
