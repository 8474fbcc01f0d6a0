# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles graphs of torch.fx whose kernels are on the simulated GPU in one process, and runs them in another.

    fx-pickles.py --dump fx.json <folder>     what run_all.py has emitted
    fx-pickles.py --load fx.json <folder>

A graph that cannot be pickled is printed with the reason.
"""
import json
import os
import pickle
import sys
import types

import coil
import simulated
from run_python import load, run

simulated.install()
coil.load_functions(os.environ["COIL_TEST_FUNCTIONS"])
mode, todo, folder = sys.argv[1:]
programs, cases = 0, 0
for each in json.load(open(todo)):
    path = os.path.join(folder, each["name"] + ".pickle")
    if mode == "--dump":
        try:
            data = pickle.dumps(load(each["file"], simulated).main)
        except pickle.PicklingError as error:
            print(f"{each['name']}: {error}")
            continue
        with open(path, "wb") as file:
            file.write(data)
        programs += 1
    elif os.path.exists(path):
        with open(path, "rb") as file:
            module = types.SimpleNamespace(main=pickle.load(file))
        module.main.graph.lint()
        for case in each["cases"]:
            # What nodes would give does not travel, so it is not looked at.
            run(module, case, check=lambda module: None)
            cases += 1
        programs += 1
print(f"{programs} programs, {cases} cases")
