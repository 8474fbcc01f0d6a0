# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning: schedules of kernels that were measured. The tool `coil-tune` does it, in processes of its own."""

import hashlib
import os
import pathlib
import subprocess
import tempfile

from coil import _model, _options, _tools
from coil._library import CoilError, InputError


def tune(source, *, records, args=None, kwargs=None, dynamic_shapes=None, strict=False, options="",
         budget_seconds=0, candidates=24, device=0, **pipeline_options):
    """Measures other schedules of a program's kernels on this machine, and adds those that are
    faster to a file, which `coil.compile(..., tuning_records=records)` reads. Kernels that the file
    has records of are not measured again.

        print(coil.tune(module, args=(x,), records="here.records", target="cuda"))
        model = coil.compile(module, args=(x,), tuning_records="here.records", target="cuda")

    Args:
      source, args, kwargs, dynamic_shapes, strict: as `coil.compile` takes them; no package.
      records: the path of the file.
      options, pipeline_options: as `coil.compile` takes them; the same have to be given there.
      budget_seconds: no kernel is begun after so long; 0 is any time.
      candidates: schedules of each kernel that are tried.
      device: the GPU to measure on.

    Returns:
      A report: a line for each kernel, and a summary.
    """
    text = _options.add_keywords(options, pipeline_options)
    flags = [f"--candidates={candidates}", f"--budget-seconds={budget_seconds}", f"--device={device}"]
    if isinstance(source, (str, bytes, os.PathLike)):
        if args is not None or kwargs is not None or dynamic_shapes is not None:
            raise InputError("args, kwargs and dynamic_shapes are for a module; a file has its own")
        return run_tool(os.fsdecode(source), records, text, flags)
    if not (_model.is_exported(source) or _model.is_module(source)):
        raise InputError("expected a torch.nn.Module, a torch.export.ExportedProgram or the path of a file "
                         f"but got '{type(source).__name__}'")
    with _model.exported_file(source, args, kwargs, dynamic_shapes, strict,
                              _options.get_target(text)) as (path, _, kernels):
        own = {"user_kernels": kernels} if kernels else {}
        return run_tool(path, records, _options.add_keywords(text, own), flags)


def run_tool(path, records, options, flags):
    """Runs `coil-tune`, and returns its report; raises CoilError where it fails."""
    command = [_tools.find("coil-tune"), path, f"--records={os.fspath(records)}", *flags, *_split(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CoilError(done.stderr.strip() or f"coil-tune ended with status {done.returncode}")
    return done.stdout


def _split(options):
    """Options in text as flags. Quotes keep a value with spaces together."""
    import shlex

    return [f"--{option}" for option in shlex.split(options)]


def _folder():
    """Where records of graphs are kept between processes, as the compile cache is; None for nowhere."""
    if os.environ.get("COIL_CACHE") == "0":
        return None
    named = os.environ.get("COIL_CACHE_DIR")
    if not named:
        base = os.environ.get("XDG_CACHE_HOME", "")
        named = os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), "coil")
    return pathlib.Path(named) / "tuning"


def records_of_text(text, options, device, seconds, use_cache):
    """The file of records of a piece of a graph, which is tuned unless an earlier process did. Each piece
    has a file of its own, so that the compile cache, which compares the contents, finds it again."""
    folder = _folder() if use_cache else None
    if folder is None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="coil-tuning-"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(f"{options}\n{device}\n{text}".encode()).hexdigest()
    done, partial = folder / f"{name}.records", folder / f"{name}.{os.getpid()}.partial"
    if done.exists():
        return str(done)
    with tempfile.TemporaryDirectory(prefix="coil-") as program:
        path = os.path.join(program, "program.json")
        pathlib.Path(path).write_text(text)
        run_tool(path, partial, options, [f"--budget-seconds={seconds}", f"--device={device}"])
    if not partial.exists():
        return None  # There is no kernel to be tuned.
    # Whoever is last: both are right.
    os.replace(partial, done)
    return str(done)
