# Programs of independent kernels, as random_kernels.py draws them, and some of a file, as emitted Python on the simulated GPU
# (under the stand-in for torch) or as torch.fx graphs (under torch): results are those of the native program without combinations, and
# there are as many launches as it has with them.
import argparse
import importlib.util
import json
import math
import os
import random
import re
import subprocess
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TYPE = r"(!\w+|tensor<[^,>]*(?:, #sym\.shape<\[[^\]]*\]>)?>)"


def describe(type_, aliases, symbols):
    """A type as coil-run has it, and how many elements it has."""
    type_ = aliases.get(type_, type_)
    parts = re.match(r"tensor<([^,>]*)", type_).group(1).split("x")
    named = re.search(r"\[(.*)\]", type_)
    sizes = named.group(1).split(", ") if named else parts[:-1]
    sizes = [int(symbols.get(size, size)) for size in sizes]
    return "x".join([*map(str, sizes), parts[-1]]), math.prod(sizes)


def draw(rng, text, symbols):
    """Inputs of the public function of a module as text, and the types of its results."""
    taken, given = re.search(r"func\.func @main\((.*?)\) -> \((.*?)\)\s*(?:attributes|\{)", text, re.S).groups()
    aliases = dict(re.findall(r"^(!\w+) = (.*)$", text, re.M))
    inputs = []
    for type_ in re.findall(r"%\w+: " + TYPE, taken):
        type_, count = describe(type_, aliases, symbols)
        # A command line holds so many numbers.
        numbers = " ".join(str(rng.randrange(-16, 16) / 8) for _ in range(count if count < 5000 else 1))
        inputs.append(f"{type_}={numbers}")
    return inputs, [describe(type_, aliases, symbols)[0] for type_ in re.findall(TYPE, given)]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--bin", "--cuda-sim", "--corpus", "--out", "--emit"):
        parser.add_argument(name, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--apart", action="store_true", help="as on a device that allows no combination")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    make = load(os.path.join(os.path.dirname(__file__), "random_kernels.py")).make
    programs = []
    for file in options.files:
        with open(file) as source:
            text = source.read()
        hints = {name: int(hint) for name, hint in re.findall(r"(\w+) = #sym.range<[^>]*hint = (\d+)>", text)}
        programs.append(("program-" + os.path.basename(file), hints, text))
    for seed in range(options.seed, options.seed + options.count):
        programs.append((f"random-{seed}.mlir", *make(random.Random(seed), 6)))
    environment = {**os.environ, "COIL_CUDA_DRIVER": options.cuda_sim, "COIL_CUDA_CACHING": "0", "COIL_CUDA_SIM_TRACE": "1",
                   "COIL_CACHE": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    paths = [os.path.join(os.path.dirname(options.bin), "python")]
    if options.emit == "python":
        paths.append(os.path.join(options.corpus, "standin"))
    run_python = [options.python, os.path.join(options.corpus, "run_python.py"),
                  "--device=" + ("cuda:0" if options.emit == "python" else "simulated")]
    failures = launches = combinations = 0
    for name, symbols, text in programs:
        path = os.path.join(options.out, name)
        with open(path, "w") as file:
            file.write(text)

        def tool(*command, env=None, **kwargs):
            done = subprocess.run(command, env=env or environment, capture_output=True, text=True, check=False, **kwargs)
            if done.returncode:
                print(f"{path}: {' '.join(command)[:300]}\n{done.stdout}{done.stderr}")
            return done

        coil = lambda name: os.path.join(options.bin, name)
        module = path + "." + options.emit + ".py"
        made = tool(coil("coil-compile"), path, "--target=cuda:sm_90", "--library=none", "--emit=" + options.emit, "-o", module)
        if options.apart:
            with open(module) as file:
                changed = file.read().replace("host.Kernels()", 'host.Kernels("combine-launches=false")')
            with open(module, "w") as file:
                file.write(changed)
        # The same plan, natively.
        plan = path + ".plan.mlir"
        tool(coil("coil-compile"), path, "--target=cuda:sm_90", "--library=none", "--to=wrapper", "-o", plan)
        rng = random.Random(name)
        for values in (symbols, dict.fromkeys(symbols, 0)) if symbols else ({},):
            inputs, types = draw(rng, text, values)
            given = [f"--input={each}" for each in inputs]
            count = tool(coil("coil-run"), plan, "--target=cuda:sm_90", *given)
            native = (count.stdout + count.stderr).count("coil-cuda-sim: launch of")
            results = [f"{path}.{i}.npy" for i in range(len(types))]
            reference = tool(coil("coil-run"), plan, "--target=cuda:sm_90", "--combine-launches=false", *given, *(f"--output=@{each}" for each in results))
            done = tool(*run_python, module, env={**environment, "PYTHONPATH": os.pathsep.join(paths)},
                        input=json.dumps([{"inputs": inputs, "expected": results, "error": None, "outputs": types}]))
            if options.apart:
                native = (reference.stdout + reference.stderr).count("coil-cuda-sim: launch of")
            emitted = (done.stdout + done.stderr).count("coil-cuda-sim: launch of")
            # Parts of batches are apart, too.
            agrees = emitted >= native if options.apart else emitted == native
            if made.returncode or count.returncode or reference.returncode or done.returncode or not agrees:
                failures += 1
                print(f"{path}: {emitted} launches in place of {native}")
            launches += emitted
        with open(module) as file:
            combinations += file.read().count("kernels.combine(")
    print(f"{len(programs)} programs, {failures} failures, {launches} launches, {combinations} combinations")


main()
