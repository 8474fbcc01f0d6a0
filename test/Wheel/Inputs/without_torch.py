# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The installed wheel, in an environment with nothing else."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import sysconfig

import coil

models, folder = map(pathlib.Path, sys.argv[1:])
scripts = pathlib.Path(sysconfig.get_path("scripts"))

assert "torch" not in sys.modules and "numpy" not in sys.modules
assert coil.__version__ == coil.version() == importlib.metadata.version("coil")
package = pathlib.Path(coil.__file__).parent
assert package.is_relative_to(sys.prefix), package
assert (package / "py.typed").exists()

# No other library of ours, or LLVM, is in the process.
libraries = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
ours = [name for name in libraries if "oil" in os.path.basename(name) or "LLVM" in name or "MLIR" in name]
assert ours and all(name.startswith(str(package)) for name in ours), ours

model = models / "digits_cnn.pt2"
image = memoryview(bytearray(4 * 64)).cast("f", (1, 1, 8, 8))
image[0, 0, 3, 3] = 1.0
logits, = coil.compile(str(model)).run(image)
print(f"  coil {coil.__version__}: compiled a .pt2")

archive = folder / "model.coilpkg"
subprocess.run([scripts / "coil-compile", model, "-o", archive], check=True)
packaged, = coil.compile(str(archive)).run(image)
assert packaged.tolist() == logits.tolist()
print("  a package gives the same")

console = importlib.metadata.distribution("coil").entry_points.select(group="console_scripts")
for name in sorted(each.name for each in console):
    output = subprocess.run([scripts / name, "--version"], check=True, capture_output=True, text=True).stdout
    # The language server's command line is upstream's.
    assert ("LLVM version" if name == "coil-lsp-server" else f"Coil version {coil.__version__}") in output, output
print(f"  {len(console)} tools")
images, expected = models / "digits_images.npy", models / "digits_logits.npy"
subprocess.run([scripts / "coil-run", model, f"--input=@{images}", f"--expected-output=@{expected}", "--atol=1e-4"],
               check=True)
failed = subprocess.run([scripts / "coil-run", "missing.pt2"], capture_output=True, text=True)
assert failed.returncode == 3, failed
print("  exit statuses are those of the tools")

# oneDNN of the wheel, not of the system.
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libdnnl" in line}
assert libraries == {str(package / "lib" / "libdnnl.so.2")}, libraries
