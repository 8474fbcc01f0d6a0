# Configuration of Coil's lit suite. Features name capabilities; a test says
# what it needs with REQUIRES.
import ctypes
import os
import re
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "Coil"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.coil_obj_root, "test")
bin_dir = os.path.join(config.coil_obj_root, "bin")

# Another processor than the machine's as the native one, for Coil and for
# oneDNN; see docs/concepts/CPUTargets.md.
cpu = os.environ.get("COIL_LIT_CPU")
if cpu:
    config.name += "-" + cpu
    config.environment["COIL_CPU"] = cpu
    config.environment["ONEDNN_MAX_CPU_ISA"] = {"x86-64-v3": "AVX2"}.get(cpu, "ALL")

# Tests compile; those of the cache name a directory of their own.
config.environment["COIL_CACHE"] = "0"

llvm_config.use_default_substitutions()
llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope")

# The interpreter itself, where a version manager's script stands before it.
python = subprocess.run([config.python, "-c", "import sys; print(sys.executable)"],
                        check=True, capture_output=True, text=True).stdout.strip()
# Drivers that run tools many times load them once; see test/Inputs/tools.py.
fork_server = os.path.join(config.coil_obj_root, "lib", "coil-fork-server.so")
if os.path.exists(fork_server):
    llvm_config.with_environment("COIL_FORK_SERVER", fork_server)

if os.path.exists(os.path.join(config.coil_obj_root, "lib", "coil-limits.so")):
    config.available_features.add("limits")

opt = os.path.join(bin_dir, "coil-opt")
# A round trip through text and bytecode in each run of coil-opt: of what it reads, or, by the value "each", of what each pass leaves.
roundtrip = os.environ.get("COIL_LIT_ROUNDTRIP")
if roundtrip:
    opt += " --verify-roundtrip-each" if roundtrip == "each" else " --verify-roundtrip"

config.substitutions.append(("%coil_src", config.coil_src_root))
config.substitutions.append(("%coil_obj", config.coil_obj_root))
config.substitutions.append(("%coil_lib", os.path.join(config.coil_obj_root, "lib")))
config.substitutions.append(("%coil_plugin", os.path.join(config.coil_obj_root, "lib", "CoilPlugin.so")))
config.substitutions.append(("%models", os.path.join(config.coil_src_root, "examples", "models")))
config.substitutions.append(("%python", python))
config.substitutions.append(("%cc", config.cc))
config.substitutions.append(("%cxx", config.cxx))

torch_python = os.environ.get("COIL_TORCH_PYTHON", config.torch_python)
if torch_python and os.path.exists(torch_python):
    config.available_features.add("torch")
    config.substitutions.append(("%torch_python", torch_python))
    if subprocess.run([torch_python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('triton'))"],
                      check=False).returncode == 0:
        config.available_features.add("triton")
# What scripts/install-test-tools.sh installs.
test_tools = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "coil", "test-tools", "bin")


def find_test_tool(name, fallback):
    path = os.path.join(test_tools, name)
    return path if os.path.exists(path) else fallback


# The version of mypy that scripts/typing-requirements.txt names.
mypy_python = os.environ.get("COIL_MYPY_PYTHON") or find_test_tool("python", python)
requirements = os.path.join(config.coil_src_root, "scripts", "typing-requirements.txt")
wanted = re.search("mypy==(.*)", open(requirements).read()).group(1)
found = subprocess.run([mypy_python, "-m", "mypy", "--version"], capture_output=True, text=True, check=False).stdout
if found.startswith(f"mypy {wanted} "):
    config.available_features.add("mypy")
    config.substitutions.append(("%mypy_python", mypy_python))
# The version of tlparse that scripts/trace-requirements.txt names.
tlparse = os.environ.get("COIL_TLPARSE") or find_test_tool("tlparse", shutil.which("tlparse") or "")
requirements = os.path.join(config.coil_src_root, "scripts", "trace-requirements.txt")
wanted = re.search("tlparse==(.*)", open(requirements).read()).group(1)
if tlparse and subprocess.run([tlparse, "--version"], capture_output=True, text=True,
                              check=False).stdout.split()[-1:] == [wanted]:
    config.available_features.add("tlparse")
    config.substitutions.append(("%tlparse", tlparse))
# The parts of the wheel, which check-coil builds.
if os.path.exists(os.path.join(config.coil_obj_root, "wheel", "wheel.json")):
    config.available_features.add("wheel")
    config.substitutions.append(
        ("%wheel_torch", "--torch-python " + torch_python if "torch" in config.available_features else ""))
# A GPU that torch can use.
if torch_python and os.path.exists("/dev/nvidia0"):
    config.available_features.add("cuda")
if os.path.exists("/usr/lib/x86_64-linux-gnu/libdnnl.so.2"):
    config.available_features.add("onednn")


def has_lapack():
    """Whether a library that Coil would take for LAPACK can be loaded."""
    for name in ["libopenblas.so.0", "liblapack.so.3"]:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


# The example that serves over HTTP, where there was its library.
if os.path.exists(os.path.join(bin_dir, "coil-http-server")):
    config.available_features.add("httplib")

# A CUDA driver that executes PTX here; see docs/gpu/Simulator.md.
cuda_sim = os.path.join(config.coil_obj_root, "lib", "coil-cuda-sim.so")
if os.path.exists(cuda_sim):
    config.available_features.add("cuda-sim")
    config.substitutions.append(("%cuda_sim", "env COIL_CUDA_CACHING=0 COIL_CUDA_DRIVER=" + cuda_sim))
# Runs a program of the corpus everywhere; see docs/howto/Testing.md.
config.substitutions.append(
    (
        "%corpus",
        python
        + " "
        + os.path.join(config.test_source_root, "Corpus", "Inputs", "corpus.py")
        + " --bin="
        + bin_dir
        + " --out=%t"
        + (" --cuda-sim=" + cuda_sim if os.path.exists(cuda_sim) else ""),
    )
)
# Libraries that compute on that device.
for library in ["cudnn", "cublaslt", "cub", "cufft", "nccl"]:
    file = os.path.join(config.coil_obj_root, "lib", "coil-fake-" + library + ".so")
    if os.path.exists(file):
        config.available_features.add("fake-" + library)
        config.substitutions.append(("%fake_" + library, "env COIL_" + library.upper() + "_LIBRARY=" + file))
# cuSOLVER and cuBLAS in one, which is LAPACK behind their functions.
file = os.path.join(config.coil_obj_root, "lib", "coil-fake-cusolver.so")
if os.path.exists(file) and has_lapack():
    config.available_features.add("fake-cusolver")
    config.substitutions.append(
        ("%fake_cusolver", f"env COIL_CUSOLVER_LIBRARY={file} COIL_CUBLAS_LIBRARY={file}"))

# What sorts on a GPU, where there was an nvcc.
if os.path.exists(os.path.join(config.coil_obj_root, "lib", "libcoil-cub.so")):
    config.available_features.add("cub")
    config.substitutions.append(("%cub_on_sim", "env COIL_CUB_LIBRARY=" + os.path.join(
        config.coil_obj_root, "lib", "coil-cub-on-sim.so")))

# Pages are looked at in a browser where there is one.
for browser in ["chromium", "chromium-browser", "google-chrome"]:
    if shutil.which(browser):
        config.available_features.add("chromium")
        config.substitutions.append(("%chromium", shutil.which(browser)))
        break

# What builds the site of the documentation; scripts/install-docs.sh makes it.
mkdocs = os.path.join(config.coil_src_root, ".venv-docs", "bin", "mkdocs")
if os.path.exists(mkdocs):
    config.available_features.add("mkdocs")
    config.substitutions.append(("%mkdocs", mkdocs))

# A processor with AVX2 and without AVX-512, which qemu emulates from 7.2 on.
qemu = shutil.which("qemu-x86_64")
if qemu:
    version = subprocess.run([qemu, "--version"], capture_output=True, text=True).stdout.split()
    if "version" in version and tuple(map(int, version[version.index("version") + 1].split(".")[:2])) >= (7, 2):
        config.available_features.add("qemu-user")
        config.substitutions.append(("%haswell", qemu + " -cpu Haswell"))

# Upstream's own lowering, for comparison with it.
config.substitutions.append(("%llvm_tools", config.llvm_tools_dir))
if all(os.path.exists(os.path.join(config.llvm_tools_dir, tool))
       for tool in ["mlir-opt", "mlir-translate", "clang", "../lib/libmlir_c_runner_utils.so"]):
    config.available_features.add("mlir-tools")

if shutil.which("clang-format-22"):
    config.available_features.add("clang-format-22")

# What makes code objects of assembly; older versions on the path may not know the chip.
if all(os.path.exists(os.path.join(config.llvm_tools_dir, tool)) for tool in ["llvm-mc", "ld.lld", "llvm-readelf"]):
    config.available_features.add("code-objects")

# What assembles PTX; Coil looks in the same places.
cuda = [os.environ.get(v) for v in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
cuda_bins = [os.path.join(c, "bin") for c in cuda + ["/usr/local/cuda"] if c]
for tool in ["ptxas", "nvdisasm"]:
    if shutil.which(tool) or any(os.path.exists(os.path.join(b, tool)) for b in cuda_bins):
        config.available_features.add(tool)
for variable in ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "COIL_NVJITLINK"]:
    if variable in os.environ:
        llvm_config.with_environment(variable, os.environ[variable])

# Runs the shell blocks of pages, those that need PyTorch by its Python.
config.substitutions.append(
    (
        "%run_blocks",
        " ".join(
            [
                python,
                os.path.join(config.test_source_root, "Docs", "Inputs", "run_blocks.py"),
                "--root=" + config.coil_src_root,
                "--build=" + config.coil_obj_root,
                "--have=" + ",".join(sorted(config.available_features & {"torch", "cuda", "onednn", "ptxas", "mkdocs"})),
                "--python=" + (torch_python if "torch" in config.available_features else python),
            ]
        ),
    )
)

tools = [ToolSubst("coil-opt", command=opt)]
for tool in ["coil-bisect", "coil-tune", "coil-package", "coil-serve", "coil-translate", "coil-import", "coil-compile", "coil-run", "coil-reduce", "coil-lsp-server", "coil-interpret", "coil-fuzz"]:
    if os.path.exists(os.path.join(bin_dir, tool)):
        tools.append(ToolSubst(tool, command=os.path.join(bin_dir, tool)))
llvm_config.add_tool_substitutions(
    tools + ["mlir-opt", "split-file", "llvm-nm", "llvm-readelf"], [bin_dir, config.llvm_tools_dir]
)
