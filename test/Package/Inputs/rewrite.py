"""Copies a .pt2 file; sets the elements of one weight to zero."""
import json
import sys
import zipfile

source, target, what, name = sys.argv[1:]
assert what == "zero"
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    config = next(n for n in old.namelist() if n.endswith("weights_config.json"))
    weights = json.loads(old.read(config))["config"]
    path = config.rsplit("/", 1)[0] + "/" + weights[name]["path_name"]
    assert path in old.namelist(), path
    for entry in old.namelist():
        data = old.read(entry)
        new.writestr(entry, bytes(len(data)) if entry == path else data)
