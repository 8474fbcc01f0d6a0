#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the device library (lib/Device) on a GPU, in two steps, of which only
the first needs Coil:

    scripts/gpu_math.py make DIR [--build=BUILD] [--chip=sm_90a]
    python3 DIR/gpu_math.py run DIR

`make` writes kernels as PTX and the same library compiled for the host. `run`,
on a machine with an NVIDIA driver (or what COIL_CUDA_DRIVER names) and NumPy,
computes both: what is made of exact instructions must agree bit for bit, and of
versions with approximate instructions the largest error is printed.
"""

import argparse
import ctypes
import json
import os
import pathlib
import shutil
import subprocess

EXACT = """acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1
log log10 log1p log2 rsqrt sin sinh tan tanh""".split()
SPECIAL = "lgamma digamma erfinv i0 i0e i1 i1e ndtri log_ndtr erfcx".split()
SPECIAL_BINARY = "nextafter igamma igammac zeta".split()
BINARY = {"atan2": "math.atan2", "pow": "math.powf", "fmod": "arith.remf"}
# Those with approximate instructions, by mode, and the range they are for.
EXACT_APPROXIMATE = {"rsqrt": (1e-30, 1e30)}
DEFAULT = {"exp": (-87, 88.5), "exp2": (-126, 127.5), "tanh": (-20, 20), "erf": (-5, 5),
           "rsqrt": (1e-30, 1e30), "sqrt": (1e-30, 1e30), "log": (1e-40, 1e38), "log1p": (-0.999, 1e38), "expm1": (-25, 88.5)}
FAST = {"exp": (-87, 88.5), "log": (2, 1e30), "log2": (2, 1e30), "log10": (2, 1e30),
        "sin": (-3.1415925, 3.1415925), "cos": (-3.1415925, 3.1415925), "tanh": (-20, 20)}
RANGES = {"off": EXACT_APPROXIMATE, "default": DEFAULT, "fast": FAST}


def kernels():
    """(name, op, type, operands, mode) of every kernel."""
    for kind in ("f32", "f64"):
        for name in EXACT:
            yield f"{name}_{kind}", f"math.{name}", kind, 1, "off"
        for name, op in BINARY.items():
            yield f"{name}_{kind}", op, kind, 2, "off"
        for name in SPECIAL:
            yield f"{name}_{kind}", f"loop.special {name}", kind, 1, "off"
        for name in SPECIAL_BINARY:
            yield f"{name}_{kind}", f"loop.special {name}", kind, 2, "off"
    for mode, names in (("default", DEFAULT), ("fast", FAST)):
        for name in names:
            yield f"{name}_{mode}_f32", f"math.{name}", "f32", 1, mode
        yield f"div_{mode}_f32", "arith.divf", "f32", 2, mode


def kernel_text(name, op, kind, operands):
    names = ", ".join(("%x", "%y")[:operands])
    use = f"{op}({names})" if op.startswith("loop") else f"{op} {names}"
    return f"""gpu.module @{name} {{
  gpu.func @{name}(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: index) kernel {{
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %width = gpu.block_dim x
    %first = arith.muli %block, %width : index
    %t = arith.addi %first, %thread : index
    %in = arith.cmpi ult, %t, %n : index
    scf.if %in {{
      %i = arith.index_cast %t : index to i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {kind}
      %q = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {kind}
      %r = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {kind}
      %x = llvm.load %p : !llvm.ptr<1> -> {kind}
      %y = llvm.load %q : !llvm.ptr<1> -> {kind}
      %z = {use} : {kind}
      llvm.store %z, %r : {kind}, !llvm.ptr<1>
    }}
    gpu.return
  }}
}}
"""


def make(directory, build, chip, compiler):
    root = pathlib.Path(__file__).resolve().parent.parent
    directory.mkdir(parents=True, exist_ok=True)
    loops = [f'#include "{root}/lib/Device/Library.cpp"',
             "double coil::device::errorScale = 0;"]
    for mode in ("off", "default", "fast"):
        text = ""
        for name, op, kind, operands, its_mode in kernels():
            if mode != its_mode:
                continue
            text += kernel_text(name, op, kind, operands)
            if mode == "off":
                ctype = {"f32": "float", "f64": "double"}[kind]
                arguments = "a[i], b[i]" if operands == 2 else "a[i]"
                loops.append(f'extern "C" void host_{name}(const {ctype} *a, const {ctype} *b, '
                             f"{ctype} *c, long n) {{ for (long i = 0; i < n; ++i) "
                             f"c[i] = coil_{name}({arguments}); (void)b; }}")
        pipeline = f"builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{{chip={chip} fast-math={mode}}}))"
        lowered = subprocess.run([build / "bin/coil-opt", "-", f"-pass-pipeline={pipeline}"],
                                 input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        ptx = subprocess.run([build / "bin/coil-translate", "--kernels-to-ptx", "-"],
                             input=lowered, stdout=subprocess.PIPE, check=True).stdout
        (directory / f"{mode}.ptx").write_bytes(ptx)
    source = directory / "host.cpp"
    source.write_text("\n".join(loops))
    # Instead of calls of the C library, which has no vectors of them.
    cpu = pathlib.Path("/proc/cpuinfo")
    has_fma = cpu.exists() and " fma " in cpu.read_text()
    subprocess.run([compiler, "-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fPIC",
                    *(["-mfma", "-msse4.1"] if has_fma else []), "-shared",
                    f"-I{root}/lib/Runtime", source, "-o", directory / "host.so", "-lm"],
                   check=True)
    source.unlink()
    shutil.copy(__file__, directory)


class Driver:
    """The few functions of the CUDA driver that a launch takes."""

    def __init__(self):
        self.lib = ctypes.CDLL(os.environ.get("COIL_CUDA_DRIVER") or "libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: error {status}")

    def upload(self, array):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))
        return address

    def compute(self, ptx, name, x, y):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        result = x.copy()
        values = [self.upload(x), self.upload(y), self.upload(x), ctypes.c_int64(len(x))]
        pointers = (ctypes.c_void_p * 4)(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p)
                                           for v in values))
        self.call("cuLaunchKernel", function, (len(x) + 255) // 256, 1, 1, 256, 1, 1, 0, None,
                  pointers, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), values[2],
                  ctypes.c_size_t(result.nbytes))
        for address in values[:3]:
            self.call("cuMemFree_v2", address)
        self.call("cuModuleUnload", module)
        return result


def run(directory, count):
    import numpy as np
    host = ctypes.CDLL(str(directory.resolve() / "host.so"))
    driver = Driver()
    rng = np.random.default_rng(0)
    modules = {}
    for mode in ("off", "default", "fast"):
        for part in (directory / f"{mode}.ptx").read_text().split(".version")[1:]:
            modules[part.split(".entry ")[1].split("(")[0].strip()] = ".version" + part

    def on_host(name, x, y):
        result = np.empty_like(x)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y, result)]
        getattr(host, f"host_{name}")(*pointers, ctypes.c_long(len(x)))
        return result

    def make_arguments(kind, count, special):
        dtype, bits = (np.float32, np.uint32) if kind == "f32" else (np.float64, np.uint64)
        anything = rng.integers(0, np.iinfo(bits).max, count, bits, endpoint=True).view(dtype)
        middle = (rng.standard_normal(count) * 2.0 ** rng.integers(-6, 7, count)).astype(dtype)
        # Those of extreme arguments take longest.
        return middle if special else np.concatenate([anything, middle])

    report = {"device": driver.name, "identical": {}, "approximate": {}}
    for name, op, kind, operands, mode in kernels():
        base = name.split("_")[0]
        if mode == "off" and not (kind == "f32" and base in RANGES["off"]):
            special = op.startswith("loop")
            # Series of special functions take long.
            points = max(count >> 8, 32) if special else count >> 3
            x, y = (make_arguments(kind, points, special) for _ in range(2))
            if special and operands == 2:
                x, y = np.abs(x), np.abs(y)
            got, want = driver.compute(modules[name], name, x, y), on_host(name, x, y)
            bits = np.uint32 if kind == "f32" else np.uint64
            different = (got.view(bits) != want.view(bits)) & ~(np.isnan(got) & np.isnan(want))
            report["identical"][name] = [int(len(x)), int(different.sum())]
            if different.any():
                i = np.flatnonzero(different)[0]
                print(f"{name}: {different.sum()} of {len(x)} differ, first at {x[i]!r}, {y[i]!r}: "
                      f"{got[i]!r} on the device, {want[i]!r} on the host")
            continue
        if op == "arith.divf":
            x, y = (np.exp2(rng.uniform(-40, 40, count)).astype(np.float32) for _ in range(2))
            want = x.astype(np.float64) / y
        else:
            low, high = RANGES[mode][base]
            if low > 0:
                x = np.exp2(rng.uniform(np.log2(low), np.log2(high), count)).astype(np.float32)
            else:
                x = rng.uniform(low, high, count).astype(np.float32)
            y, wide = x, x.astype(np.float64)
            want = np.sqrt(wide) if base == "sqrt" else on_host(f"{base}_f64", wide, wide)
        got = driver.compute(modules[name], name, x, y)
        error = np.abs(got - want)
        ulp = np.spacing(np.abs(want).astype(np.float32)).astype(np.float64)
        finite = np.isfinite(got) & np.isfinite(want)
        report["approximate"][name] = {"ulp": float((error / ulp)[finite].max()),
                                       "absolute": float(error[finite].max()),
                                       "not finite": int((~finite).sum())}
    different = {n: c for n, c in report["identical"].items() if c[1]}
    print(f"{driver.name}: {len(report['identical'])} exact kernels, "
          f"{sum(c[0] for c in report['identical'].values())} values, in "
          f"{len(different)} kernels some differ from the host's")
    for name, errors in report["approximate"].items():
        print(f"{name}: {errors['ulp']:.3g} ulp, {errors['absolute']:.3g} absolute, "
              f"{errors['not finite']} not finite")
    (directory / "report.json").write_text(json.dumps(report, indent=1))
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["make", "run"])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--count", type=int, default=1 << 24,
                        help="arguments of a kernel; exact ones get fewer")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--compiler", default="clang++-22")
    args = parser.parse_args()
    if args.step == "make":
        make(args.directory, args.build, args.chip, args.compiler)
        return 0
    return run(args.directory, args.count)


if __name__ == "__main__":
    raise SystemExit(main())
