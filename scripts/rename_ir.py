#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites names of passes, ops and attributes that have changed.

  scripts/rename_ir.py [--check] [--sources] FILE-OR-FOLDER...

Modules, pipelines in text (`--pass-pipeline=`, `--insert-passes=`), flags of coil-opt,
Python and Markdown are rewritten in place; a folder stands for the .mlir, .test, .py,
.md and .sh files in it. With --sources also C++ identifiers are renamed, in .cpp, .h,
.td and CMakeLists.txt files. With --check nothing is written: the files that would
change are listed, and the exit status is 1 if there are any. A second run changes nothing.
"""
import argparse
import pathlib
import re
import sys

# Passes. A conversion between levels is called convert-<a>-to-<b>, every other pass <dialect>-<verb>-<object>.
PASSES = {
    "outline-kernels": "convert-loop-to-wrapper",
    "lower-cpu-kernel": "convert-cpu-kernel-to-llvm",
    "lower-gpu-kernel": "convert-gpu-kernel-to-nvvm",
    "lower-amd-kernel": "convert-gpu-kernel-to-rocdl",
    "lower-user-kernel": "wrapper-lower-user-kernel",
    "batch-gpu-launches": "wrapper-batch-gpu-launches",
    "order-gpu-blocks": "wrapper-order-gpu-blocks",
    "verify-graph-stage": "graph-verify-stage",
    "graph-group-scatter": "graph-scatter-to-segment-sum",
    "loop-flatten-points": "loop-flatten-pointwise",
    "loop-widen-moments": "loop-extend-variance-precision",
    "loop-widen-products": "loop-extend-product-precision",
    "wrapper-share-device": "wrapper-hoist-device-guards",
    "wrapper-drop-inputs": "wrapper-release-inputs",
    "wrapper-place-on-stack": "wrapper-promote-to-stack",
}
# Options of passes.
OPTIONS = {"wide-moments": "welford-in-f64"}
# Ops, each with the dialects that have it.
OPS = {"moments": ("welford", ("graph", "loop")), "gather_sum": ("segment_sum", ("loop",))}
# Names that kernels get from the ops in them.
KERNELS = {"moments": "welford"}
# Attributes of ops in the generic form.
ATTRIBUTES = {"wrapper.index_put_fallback": {"places": "positions"}}

# C++ identifiers; those of passes are derived from the names of their definitions.
PASS_CLASSES = {
    "OutlineKernels": "ConvertLoopToWrapper",
    "LowerCPUKernel": "ConvertCPUKernelToLLVM",
    "LowerGPUKernel": "ConvertGPUKernelToNVVM",
    "LowerAMDKernel": "ConvertGPUKernelToROCDL",
    "LowerUserKernel": "WrapperLowerUserKernel",
    "BatchGPULaunches": "WrapperBatchGPULaunches",
    "OrderGPUBlocks": "WrapperOrderGPUBlocks",
    "VerifyGraphStage": "GraphVerifyStage",
    "GraphGroupScatter": "GraphScatterToSegmentSum",
    "LoopFlattenPoints": "LoopFlattenPointwise",
    "LoopWidenMoments": "LoopExtendVariancePrecision",
    "LoopWidenProducts": "LoopExtendProductPrecision",
    "WrapperShareDevice": "WrapperHoistDeviceGuards",
    "WrapperDropInputs": "WrapperReleaseInputs",
    "WrapperPlaceOnStack": "WrapperPromoteToStack",
}
IDENTIFIERS = {
    "Variance": "DimDependence",
    "getVariance": "getDimDependence",
    "MomentsOp": "WelfordOp",
    "Graph_MomentsOp": "Graph_WelfordOp",
    "Loop_MomentsOp": "Loop_WelfordOp",
    "GatherSumOp": "SegmentSumOp",
    "Loop_GatherSumOp": "Loop_SegmentSumOp",
    "getExtremum": "getMinMax",
    "getWhere": "getMinMaxIndex",
    "getPlaces": "getPositions",
    "wideMoments": "welfordInF64",
}
# Files that carry the name of what they define.
FILES = {
    "OutlineKernels.cpp": "ConvertLoopToWrapper.cpp",
    "LowerCPUKernel.cpp": "ConvertCPUKernelToLLVM.cpp",
    "LowerGPUKernel.cpp": "ConvertGPUKernelToNVVM.cpp",
    "LowerAMDKernel.cpp": "ConvertGPUKernelToROCDL.cpp",
    "LowerUserKernel.cpp": "WrapperLowerUserKernel.cpp",
    "VerifyGraphStage.cpp": "GraphVerifyStage.cpp",
    "VerifyGraphStage.h": "GraphVerifyStage.h",
    "GraphGroupScatter.cpp": "GraphScatterToSegmentSum.cpp",
    "FlattenPoints.cpp": "FlattenPointwise.cpp",
    "WidenMoments.cpp": "ExtendVariancePrecision.cpp",
    "WidenProducts.cpp": "ExtendProductPrecision.cpp",
    "ShareDevice.cpp": "HoistDeviceGuards.cpp",
    "DropInputs.cpp": "ReleaseInputs.cpp",
    "PlaceOnStack.cpp": "PromoteToStack.cpp",
    "Variance.cpp": "DimDependence.cpp",
    "EmitMoments.cpp": "EmitWelford.cpp",
}
TEXT = {".mlir", ".test", ".py", ".md", ".sh"}
SOURCES = {".cpp", ".h", ".td", ".def", ".txt"}


def alternatives(names) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def rewrite_text(text: str) -> str:
    """The text of a module, a pipeline or a page with the new names."""
    # A pass is a word of its own: "outline-kernels", not "my-outline-kernels"; flags begin with hyphens.
    text = re.sub(rf"(?<!\w)(?<!\w-)({alternatives(PASSES)})(?!-?\w)", lambda m: PASSES[m[1]], text)
    text = re.sub(rf"(?<!\w)(?<!\w-)({alternatives(OPTIONS)})(?!-?\w)", lambda m: OPTIONS[m[1]], text)
    # Tests of a constraint are called after the pass or the op: loop_fuse_c1.
    for old, new in PASSES.items():
        text = re.sub(rf"\b{old.replace('-', '_')}(?=_c\d|\b)", new.replace("-", "_"), text)
    for old, (new, dialects) in OPS.items():
        text = re.sub(rf"\b({'|'.join(dialects)})\.{old}\b", rf"\1.{new}", text)
        text = re.sub(rf"(?<![\w-]){old}(?=_c\d)", new, text)
    # Names of kernels are joined by + in the string and by _ in the symbol.
    for old, new in KERNELS.items():
        text = re.sub(rf'(?<=["+]){old}(?=["+]|_chunks")', new, text)
        text = re.sub(rf"(?<=@){old}(?=_(\d|\w))", new, text)
        text = re.sub(rf"(@\w*_){old}(?=_\w*\d\b)", rf"\1{new}", text)
    for op, names in ATTRIBUTES.items():
        for old, new in names.items():
            text = re.sub(rf'("{re.escape(op)}"\([^\n]*?<\{{[^\n]*?\b){old}(?= = )', rf"\1{new}", text)
    return text


def rewrite_sources(text: str) -> str:
    """C++, TableGen or CMake with the new names."""
    text = rewrite_text(text)
    text = re.sub(rf"(?<![\w.])({alternatives(FILES)})(?!\w)", lambda m: FILES[m[1]], text)
    classes = rf"\b(create|register|)({alternatives(PASS_CLASSES)})((?:Pass\w*)?)\b"
    text = re.sub(classes, lambda m: m[1] + PASS_CLASSES[m[2]] + m[3], text)
    macros = {old.upper(): new.upper() for old, new in PASS_CLASSES.items()}
    text = re.sub(rf"\b(GEN_PASS_(?:DEF|DECL)_)({alternatives(macros)})(?=PASS\b)", lambda m: m[1] + macros[m[2]], text)
    # A comment that begins with the word is about the statistic.
    return re.sub(rf"(?<!// )\b({alternatives(IDENTIFIERS)})\b", lambda m: IDENTIFIERS[m[1]], text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, list what would change")
    parser.add_argument("--sources", action="store_true", help="rename C++ identifiers, too")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    suffixes = TEXT | (SOURCES if args.sources else set())
    changed = 0
    for path in args.paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if not file.is_file() or (path.is_dir() and file.suffix not in suffixes):
                continue
            # This table has the old names.
            if file.resolve() == pathlib.Path(__file__).resolve():
                continue
            try:
                text = file.read_bytes().decode()
            except UnicodeDecodeError:
                continue
            new = rewrite_sources(text) if args.sources and file.suffix in SOURCES else rewrite_text(text)
            if new == text:
                continue
            changed += 1
            print(file)
            if not args.check:
                file.write_bytes(new.encode())
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
