#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a wheel into fresh virtual environments and tests it there: one for each Python
from 3.10 on that is found, without PyTorch, and one with PyTorch. See docs/howto/Wheel.md.

    scripts/check_wheel.py dist/coil-*.whl --torch-python .venv/bin/python
    scripts/check_wheel.py dist/coil-*.whl --audit DIR   # The tag, by auditwheel in DIR.
"""

import argparse
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = ROOT / "test" / "Wheel" / "Inputs"
AUDITWHEEL = "auditwheel==6.4.2"
LIMIT = 48 * 1000 * 1000
VERSIONS = [f"3.{minor}" for minor in range(10, 15)]


def run(*command, **options):
    """Output of a command; its own messages are shown where it fails."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("PYTHON", "LD_", "COIL_"))}
    done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**environment, **options.pop("env", {})}, **options)
    if done.returncode:
        sys.exit(f"check_wheel: error: '{' '.join(map(str, command))}' failed with status {done.returncode}:\n"
                 f"{done.stdout}")
    return done.stdout


def find_pythons():
    """Interpreters by version: those on the path, and those of version managers beside them."""
    found = {}
    for version in VERSIONS:
        managed = glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python"))
        named = shutil.which(f"python{version}")
        for path in [*managed, *([named] if named else [])]:
            done = subprocess.run([path, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"],
                                  capture_output=True, text=True)
            if done.returncode == 0 and done.stdout.strip() == version:
                found.setdefault(version, path)
    return found


def make_environment(python, folder, wheel):
    """A virtual environment with the wheel and nothing else; returns its interpreter."""
    run(python, "-m", "venv", "--without-pip", folder)
    inside = folder / "bin" / "python"
    run(get_installer(folder.parent), "-m", "pip", "--disable-pip-version-check", "--python", inside, "install",
        "--no-index", "--no-deps", wheel)
    return inside


def get_installer(folder):
    """A Python with pip, which installs into all environments. Debian's own has none."""
    installer = folder / "installer" / "bin" / "python"
    if not installer.exists():
        run(sys.executable, "-m", "venv", folder / "installer")
    return installer


def check_without_torch(python, folder, wheel):
    inside = make_environment(python, folder, wheel)
    print(run(inside, PARTS / "without_torch.py", ROOT / "examples" / "models", folder, cwd=folder,
              env={"COIL_CACHE_DIR": str(folder / "cache")}), end="")
    compiler = shutil.which("cc") or shutil.which("clang-22")
    if compiler:
        package = pathlib.Path(run(inside, "-c", "import coil, os; print(os.path.dirname(coil.__file__))").strip())
        program = folder / "in_c"
        run(compiler, PARTS / "in_c.c", "-I", package / "include", "-o", program, package / "lib" / "libCoilC.so.0",
            package / "lib" / "libcoil_runtime.so", f"-Wl,-rpath,{package / 'lib'}")
        print(run(program, ROOT / "examples" / "models" / "digits_cnn.pt2"), end="")


def check_with_torch(python, folder, wheel):
    """PyTorch itself is that of another environment, which a new one would only copy."""
    inside = make_environment(python, folder, wheel)
    paths = run(python, "-c", "import site; print(*site.getsitepackages(), sep='\\n')").split("\n")
    own = run(inside, "-c", "import site; print(site.getsitepackages()[0])").strip()
    (pathlib.Path(own) / "torch.pth").write_text("\n".join(paths))
    print(run(inside, PARTS / "with_torch.py", folder, cwd=folder, env={"COIL_CACHE_DIR": str(folder / "cache")}),
          end="")


def check_refusals(folder, wheel):
    """What pip says where the wheel is not for."""
    for what, arguments in (("another platform", ["--platform", "win_amd64"]),
                            ("an older glibc", ["--platform", "manylinux2014_x86_64"]),
                            ("an older Python", ["--python-version", "3.9"])):
        done = subprocess.run([str(get_installer(folder)), "-m", "pip", "--disable-pip-version-check", "install",
                               "--no-index", "--no-deps", "--only-binary=:all:", "--target", str(folder / "target"),
                               *arguments, str(wheel)], capture_output=True, text=True)
        refused = done.returncode != 0 and "is not a supported wheel on this platform" in done.stderr
        if not refused:
            sys.exit(f"check_wheel: error: {what} was not refused:\n{done.stdout}{done.stderr}")
        print(f"{what}: refused")


def audit(folder, wheel):
    """Compares the tag of the platform with what auditwheel finds."""
    tool = folder / "bin" / "auditwheel"
    if not tool.exists():
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", AUDITWHEEL)
    tag = wheel.stem.split("-")[-1]
    found = " ".join(run(tool, "show", wheel).split())
    if f'This constrains the platform tag to "{tag}"' not in found:
        sys.exit(f"check_wheel: error: the tag is '{tag}', auditwheel says:\n{found}")
    print(f"auditwheel: {tag}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--torch-python", type=pathlib.Path, help="a Python with the pinned PyTorch")
    parser.add_argument("--audit", type=pathlib.Path, help="only check the tag, with auditwheel in this environment")
    parser.add_argument("--pythons", nargs="*", help="versions to test with; all that are found by default")
    arguments = parser.parse_args()
    wheel = arguments.wheel.resolve()
    if arguments.audit:
        audit(arguments.audit, wheel)
        return
    size = wheel.stat().st_size
    if size > LIMIT:
        sys.exit(f"check_wheel: error: the wheel has {size} bytes, more than {LIMIT}")
    print(f"{wheel.name}: {size / 1e6:.1f} MB")
    pythons = find_pythons()
    if not pythons:
        sys.exit("check_wheel: error: there is no Python from 3.10 on")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for version, python in pythons.items():
            if arguments.pythons is None or version in arguments.pythons:
                print(f"Python {version} without PyTorch")
                check_without_torch(python, folder / version, wheel)
        if arguments.torch_python:
            print("with PyTorch")
            check_with_torch(arguments.torch_python, folder / "torch", wheel)
        check_refusals(folder, wheel)
    missing = [version for version in VERSIONS if version not in pythons]
    if missing:
        print(f"not here: Python {', '.join(missing)}")


if __name__ == "__main__":
    main()
