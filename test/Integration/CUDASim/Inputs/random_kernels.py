# Random programs of independent kernels: bodies, sizes (some of them symbols), element types, reductions and scans are
# drawn; some read what others made. Each runs on the simulated GPU, with combinations of launches and without, and is
# compared with the interpreter; launches are counted.
import argparse
import os
import random
import subprocess

UNARY = ["exp", "cos", "abs", "neg", "tanh", "sqrt", "relu"]


def make(rng, count):
    """Values of symbols, and the text of a module."""
    symbols, inputs, body, results = {}, [], [], []

    def size():
        """A number, or a symbol, as a size of a tensor has it."""
        if rng.random() < 0.5:
            return str(rng.choice([1, 3, 17, 32, 64, 100, 257, 700]))
        if symbols and rng.random() < 0.4:
            return rng.choice(list(symbols))
        name = f"s{len(symbols)}"
        symbols[name] = rng.choice([0, 1, 2, 31, 33, 100, 513])
        return name

    def tensor(sizes, element):
        shape = "x".join("?" if each.startswith("s") else each for each in sizes)
        return f"tensor<{shape}x{element}, #sym.shape<[{', '.join(sizes)}]>>"

    values = []
    for i in range(count):
        if values and rng.random() < 0.2:
            name, sizes, element = rng.choice(values)
        else:
            sizes, element = [size() for _ in range(rng.choice([1, 2, 2]))], rng.choice(["f32", "f32", "f16", "f64"])
            name = f"%x{i}"
            inputs.append(f"{name}: {tensor(sizes, element)} {{coil.name = \"x{i}\"}}")
        kind = rng.choice(["unary", "chain", "reduce", "reduce", "softmax", "rows", "scan"])
        type_ = tensor(sizes, element)
        if kind in ("unary", "chain"):
            for j in range(1 if kind == "unary" else 3):
                operator = rng.choice([op for op in UNARY if op != "sqrt" or j == 0 and name.startswith("%x")])
                if operator == "sqrt":
                    body.append(f"%v{i}a = graph.abs {name} : ({type_}) -> {type_}")
                    name = f"%v{i}a"
                body.append(f"%v{i}_{j} = graph.{operator} {name} : ({type_}) -> {type_}")
                name = f"%v{i}_{j}"
        else:
            dim = rng.randrange(len(sizes))
            reduced = [each if d != dim else "1" for d, each in enumerate(sizes)]
            small = tensor(reduced, element)
            # The maximum of nothing is not defined.
            if sizes[dim].startswith("s") and kind != "reduce":
                kind = "reduce"
            if kind == "scan":
                body.append(f"%v{i} = graph.scan sum, {name} dim {dim} : ({type_}) -> {type_}")
                name = f"%v{i}"
            elif kind == "softmax":
                body.append(f"%m{i} = graph.reduce max, {name} dims [{dim}] keepdims : ({type_}) -> {small}")
                body.append(f"%d{i} = graph.sub {name}, %m{i} : ({type_}, {small}) -> {type_}")
                body.append(f"%e{i} = graph.exp %d{i} : ({type_}) -> {type_}")
                body.append(f"%t{i} = graph.reduce sum, %e{i} dims [{dim}] keepdims : ({type_}) -> {small}")
                body.append(f"%v{i} = graph.div %e{i}, %t{i} : ({type_}, {small}) -> {type_}")
                name = f"%v{i}"
            else:
                combiner = "sum" if kind == "reduce" else "max"
                body.append(f"%v{i} = graph.reduce {combiner}, {name} dims [{dim}] keepdims : ({type_}) -> {small}")
                name, sizes = f"%v{i}", reduced
        values.append((name, sizes, element))
        results.append((name, tensor(sizes, element)))

    ranges = ", ".join(f"{name} = #sym.range<0, 4096, hint = {max(value, 1)}>" for name, value in symbols.items())
    types = ", ".join(type_ for _, type_ in results)
    return symbols, "\n".join([
        f"func.func @main({', '.join(inputs)}) -> ({types}) attributes {{sym.symbols = {{{ranges}}}}} {{",
        *("  " + line for line in body), f"  return {', '.join(name for name, _ in results)} : {types}", "}"]) + "\n"


def run(options, path, symbols, combines):
    """Number of launches, and what went wrong."""
    command = [os.path.join(options.bin, "coil-run"), path, f"--target={options.target}", "--library=none",
               "--random-inputs", "--reference=interp", f"--combine-launches={'true' if combines else 'false'}",
               *(f"--symbol={name}={value}" for name, value in symbols.items())]
    environment = {**os.environ, "COIL_CUDA_DRIVER": options.cuda_sim, "COIL_CUDA_CACHING": "0",
                   "COIL_CUDA_SIM_TRACE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    error = "\n".join(line for line in text.splitlines() if "launch of" not in line) if done.returncode else ""
    return text.count("coil-cuda-sim: launch of"), error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cuda-sim", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--kernels", type=int, default=8)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    together = apart = failures = 0
    for seed in range(options.seed, options.seed + options.count):
        symbols, text = make(random.Random(seed), options.kernels)
        path = os.path.join(options.out, f"kernels-{seed}.mlir")
        with open(path, "w") as file:
            file.write(text)
        others = {name: value * 5 % 97 for name, value in symbols.items()}
        for values in (symbols, dict.fromkeys(symbols, 0), others):
            counts = []
            for combines in (True, False):
                launches, error = run(options, path, values, combines)
                counts.append(launches)
                if error:
                    failures += 1
                    print(f"{path} {values} combine-launches={combines}:\n{error}")
            together, apart = together + counts[0], apart + counts[1]
    print(f"{options.count} programs, {failures} failures, {together} launches in place of {apart}, "
          f"{'less' if 2 * together < apart else 'not less'} than half")


if __name__ == "__main__":
    main()
