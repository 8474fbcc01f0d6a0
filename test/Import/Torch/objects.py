# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with an object of torch.classes, as torch.export writes one: no class that
Python alone knows can be exported, so the object is put into the file.

    objects.py OUT
"""
import json
import sys
import zipfile

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x) + 1


path = sys.argv[1]
torch.export.save(torch.export.export(Model(), (torch.randn(4),)), path)
with zipfile.ZipFile(path) as archive:
    files = [(info, archive.read(info)) for info in archive.infolist()]
queue = {"name": "obj_queue", "class_fqn": "__torch__.torch.classes.mylib.Queue"}
with zipfile.ZipFile(path, "w") as archive:
    for info, data in files:
        if info.filename.endswith("models/model.json"):
            model = json.loads(data)
            module = model["graph_module"]
            module["signature"]["input_specs"].insert(0, {"custom_obj": {"arg": queue, "custom_obj_name": "queue"}})
            module["graph"]["inputs"].insert(0, {"as_custom_obj": queue})
            module["graph"]["custom_obj_values"]["obj_queue"] = queue
            if len(sys.argv) < 3: # Else nothing takes it.
                node = module["graph"]["nodes"][0]
                node["target"] = "torch.ops.higher_order.call_torchbind"
                node["inputs"] = [{"name": "obj", "arg": {"as_custom_obj": queue}, "kind": 1},
                                  {"name": "method", "arg": {"as_string": "push"}, "kind": 1},
                                  *node["inputs"]]
            data = json.dumps(model).encode()
        archive.writestr(info, data)
