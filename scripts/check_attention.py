#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the eager attention of architectures of transformers is recognised, and what is made of it.

  scripts/check_attention.py --build build [--only REGEX] [--run] [--remarks]

Needs the environment of test/models/requirements.txt. Each architecture of test/models/architectures.py that
transformers has is made with attn_implementation="eager" and random weights and exported. A line says how many
softmaxes it has and how many operators of attention `graph-raise-attention` makes; --remarks adds why others are not.
With --run the program is compiled with these operators, run on the CPU and compared with eager mode
(test/models/running.py). Architectures of the list EXPECTED have to be recognised as a whole.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/models"))
sys.dont_write_bytecode = True
import architectures  # noqa: E402

PASSES = ("builtin.module(func.func(graph-legalize-aten),canonicalize,cse,"
          "func.func(graph-raise-attention{always=true}))")
REMARKS = ["--remarks-filter=graph-raise-attention", "--remark-policy=all"]
# Architectures of which every softmax between two products is found.
EXPECTED = set((
    "albert ast bart beit_hf bert bloom camembert clip_vision codegen ctrl deberta deberta_v2 deit_hf dinov2 "
    "distilbert electra ernie falcon funnel gemma gemma2 gpt2 gpt_bigcode gpt_neo gpt_neox gptj granite hubert ibert "
    "levit_hf llama mistral mixtral mobilebert mpnet mpt olmo olmo2 opt pegasus persimmon phi phi3 qwen2 qwen2_moe "
    "qwen3 rembert roberta roformer segformer siglip squeezebert starcoder2 t5 van vit_hf wav2vec2 whisper_encoder "
    "xlm_roberta xlnet").split())


def check(build, name, path, run):
    """How many softmaxes and operators of attention there are, the remarks, and how the run went."""
    import torch
    torch.manual_seed(0)
    module, inputs = architectures.make("transformers." + name, attention="eager")
    with torch.no_grad():
        program = torch.export.export(module, inputs)
        torch.export.save(program, path)
    softmaxes = sum("softmax" in str(node.target) for node in program.graph.nodes if node.op == "call_function")
    text = subprocess.run([f"{build}/bin/coil-import", path], capture_output=True, text=True, check=True).stdout
    done = subprocess.run([f"{build}/bin/coil-opt", f"--pass-pipeline={PASSES}", *REMARKS], input=text,
                          capture_output=True, text=True, check=True)
    remarks = re.findall(r"not attention: [^\n|]*", done.stderr)
    outcome = ""
    if run:
        import coil
        import running
        shim = types.SimpleNamespace(CompileError=coil.CompileError, CoilError=coil.CoilError,
                                     compile=lambda file: coil.compile(file, options="raise-attention=always"))
        entry = running.compare(shim, path, module, inputs)
        outcome = f"{entry['outcome']} {entry.get('why', '')}".strip()
    return softmaxes, done.stdout.count("graph.attention "), remarks, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--remarks", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, f"{options.build}/python")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    whole, failures = [], []
    for name in [*architectures.TRANSFORMERS, *architectures.PERCEPTION]:
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                softmaxes, found, remarks, outcome = check(options.build, name, f"{folder}/model.pt2", options.run)
            except Exception as error:  # pylint: disable=broad-except
                print(f"{name}: skipped, {type(error).__name__}: {str(error)[:200]}", flush=True)
                continue
        print(f"{name}: {found} of {softmaxes} softmaxes are of attention {outcome}", flush=True)
        if options.remarks:
            for remark in sorted(set(remarks)):
                print(f"  {remark}")
        if found and not remarks:
            whole.append(name)
        elif name in EXPECTED:
            failures.append(name)
        if outcome.split(" ")[0] in ("wrong", "error"):
            failures.append(name)
    print(f"{len(whole)} architectures are recognised as a whole: {' '.join(whole)}")
    for name in failures:
        print(f"error: {name}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
