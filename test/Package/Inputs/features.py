"""Says that a package was compiled for a processor with other features."""
import json
import sys
import zipfile

source, target, features = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    for name in old.namelist():
        text = old.read(name)
        if name == "manifest.json":
            manifest = json.loads(text)
            manifest["main"]["features"] = features
            if "prepare" in manifest:
                manifest["prepare"]["features"] = features
            text = json.dumps(manifest).encode()
        new.writestr(name, text)
