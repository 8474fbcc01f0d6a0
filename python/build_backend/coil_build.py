# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the wheel `coil` of a build tree: the build backend of pyproject.toml (PEP 517), and
a command for `make wheel`. Nothing but Python's standard library; see docs/howto/Wheel.md.

    python3 python/build_backend/coil_build.py --build build --out dist

The tree is configured if it is not there, `wheel-parts` is built in it, and the install
component `wheel` becomes the folder `coil` of the archive.
"""

import argparse
import base64
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What pip downloads in a minute over a slow line, and issue trackers ask for.
LIMIT = 48 * 1000 * 1000
PYTHON_TAG = "cp310-abi3"
# Of any archive that is the same whenever it is made: the earliest that zip can say.
DATE = (1980, 1, 1, 0, 0, 0)
# The Debian packages whose licences come with libraries in the wheel.
LICENSES = {
    "libdnnl.so.2": "libdnnl2",
    "libgomp.so.1": "libgomp1",
    "libOpenCL.so.1": "ocl-icd-libopencl1",
    "libCoilC.so.0": "libmlir-22-dev",
}


class WheelError(Exception):
    """Why there is no wheel."""


def run(*command, **options):
    try:
        return subprocess.run(command, check=True, text=True, **options)
    except FileNotFoundError:
        raise WheelError(f"'{command[0]}' is not installed") from None
    except subprocess.CalledProcessError as error:
        raise WheelError(f"'{command[0]} {' '.join(command[1:3])} ...' failed with status {error.returncode}") from None


def build_parts(build):
    """Configures, where that is missing, and builds."""
    if not (build / "build.ninja").exists():
        run("cmake", "--preset", "release", "-B", str(build), "-DCOIL_INCLUDE_TESTS=OFF", cwd=ROOT)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL")
    run("cmake", "--build", str(build), "--target", "wheel-parts", *(["-j", jobs] if jobs else []))


def get_facts(build):
    """What CMake says of a tree."""
    path = build / "wheel" / "wheel.json"
    if not path.exists():
        raise WheelError(f"'{build}' has no parts of a wheel; there are none with COIL_STATIC_LLVM or a sanitizer")
    return json.loads(path.read_text())


def is_elf(path):
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def stage(build, folder, facts):
    """Puts the package into a folder."""
    run(facts["cmake"], "--install", str(build), "--component", "wheel", "--prefix", str(folder), "--strip",
        stdout=subprocess.DEVNULL)
    for path in facts["libraries"]:
        if not os.path.exists(path):
            raise WheelError(f"'{os.path.basename(path)}' is not installed")
        target = folder / "lib" / os.path.basename(path)
        shutil.copyfile(path, target)
        run("patchelf", "--set-rpath", "$ORIGIN", str(target))
    for path in sorted(folder.rglob("*")):
        if is_elf(path):
            run(facts["strip"], str(path))


def get_platform(folder, facts):
    """The tag of the platform, by the newest symbols of glibc that the files need."""
    newest = (2, 17)  # manylinux2014, below which there is no tag in use.
    for path in sorted(folder.rglob("*")):
        if is_elf(path):
            needs = run(facts["readelf"], "--version-info", str(path), stdout=subprocess.PIPE).stdout
            found = re.findall(r"Name: GLIBC_(\d+)\.(\d+)\b", needs)
            newest = max([newest, *(tuple(map(int, each)) for each in found)])
    return f"manylinux_{newest[0]}_{newest[1]}_{facts['machine']}"


def get_metadata(version):
    head = (ROOT / "python" / "METADATA.in").read_text().replace("@PROJECT_VERSION@", version)
    return head + (ROOT / "README.md").read_text()


def write_licenses(folder, package):
    folder.mkdir(parents=True)
    shutil.copyfile(ROOT / "LICENSE", folder / "coil.txt")
    for library, debian in LICENSES.items():
        text = pathlib.Path("/usr/share/doc") / debian / "copyright"
        if not (package / "lib" / library).exists():
            continue
        if not text.exists():
            raise WheelError(f"the licence of '{library}' is not at '{text}'")
        shutil.copyfile(text, folder / f"{debian}.txt")


def write_dist_info(folder, package, version, tag):
    write_licenses(folder / "licenses", package)
    (folder / "METADATA").write_text(get_metadata(version))
    shutil.copyfile(ROOT / "python" / "entry_points.txt", folder / "entry_points.txt")
    (folder / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: coil_build\nRoot-Is-Purelib: false\nTag: {tag}\n")


def write_archive(root, path, info):
    """Zips a folder with the list of its files and their hashes."""
    files = sorted(each for each in root.rglob("*") if each.is_file())
    # Installers want what describes a wheel at its end.
    files.sort(key=lambda each: info in each.parts)
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)

        for file in files:
            data, name = file.read_bytes(), file.relative_to(root).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
            add(name, data, 0o755 if is_elf(file) else 0o644)
        name = f"{info}/RECORD"
        add(name, "".join([*record, f"{name},,\n"]), 0o644)


def make_wheel(build, out, with_build=True):
    """Makes the wheel; returns its path."""
    if not sys.platform.startswith("linux"):
        raise WheelError(f"Coil runs on Linux, not on '{sys.platform}'")
    if with_build:
        build_parts(build)
    facts = get_facts(build)
    version = facts["version"]
    info = f"coil-{version}.dist-info"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        package = root / "coil"
        stage(build, package, facts)
        tag = f"{PYTHON_TAG}-{get_platform(package, facts)}"
        write_dist_info(root / info, package, version, tag)
        path = out / f"coil-{version}-{tag}.whl"
        partial = path.with_suffix(".partial")
        write_archive(root, partial, info)
        os.replace(partial, path)
    size = path.stat().st_size
    if size > LIMIT:
        path.unlink()
        raise WheelError(f"the wheel has {size} bytes, more than {LIMIT}")
    return path


# -- Hooks of PEP 517 -----------------------------------------------------------


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip wheel . --config-settings build-dir=build` makes it of a tree that is there."""
    build = ROOT / (config_settings or {}).get("build-dir", "build-wheel")
    return make_wheel(build, pathlib.Path(wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows, and PKG-INFO."""
    version = re.search(r"project\(Coil VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    files = run("git", "ls-files", cwd=ROOT, stdout=subprocess.PIPE).stdout.splitlines()
    base = f"coil-{version}"
    path = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in files:
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        text = get_metadata(version).encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return path.name


def main():
    parser = argparse.ArgumentParser(description="Makes the wheel of a build tree.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build tree")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist", help="where the wheel goes")
    parser.add_argument("--no-build", action="store_true", help="take the parts that are there")
    arguments = parser.parse_args()
    try:
        path = make_wheel(arguments.build.resolve(), arguments.out, not arguments.no_build)
    except WheelError as error:
        sys.exit(f"coil_build: error: {error}")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
