// F26, F27, B12, B36: handles of calls; all places, whatever is written out.
// From nodes of the model to steps and back: two launches of one kernel have
// handles of their own, and one step has all nodes that were fused into it.
// RUN: rm -rf %t && coil-compile %s --debug-dir=%t/d --library=none -o %t.mlir
// RUN: FileCheck %s --check-prefix=JSON < %t/d/provenance.json
// RUN: FileCheck %s --check-prefix=PYTHON < %t/d/program.py
// RUN: FileCheck %s --check-prefix=PAGE < %t/d/index.html

func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>) {
  %0 = graph.aten "aten.exp.default"(%x) ["self"] {} : (tensor<64x32xf32>) -> tensor<64x32xf32> loc("exp"("model.py":3:0))
  %1 = graph.aten "aten.sum.dim_IntList"(%0) ["self"] {dim = array<i64: 1>, keepdim = false} : (tensor<64x32xf32>) -> tensor<64xf32> loc("sum_1"("model.py":3:0))
  %2 = graph.aten "aten.exp.default"(%y) ["self"] {} : (tensor<64x32xf32>) -> tensor<64x32xf32> loc("exp_1"("model.py":4:0))
  %3 = graph.aten "aten.sum.dim_IntList"(%2) ["self"] {dim = array<i64: 1>, keepdim = false} : (tensor<64x32xf32>) -> tensor<64xf32> loc("sum_2"("model.py":5:0))
  // Not needed.
  %4 = graph.aten "aten.relu.default"(%x) ["self"] {} : (tensor<64x32xf32>) -> tensor<64x32xf32> loc("relu"("<b>model</b>.py":6:0))
  %5 = graph.aten "aten.neg.default"(%y) ["self"] {} : (tensor<64x32xf32>) -> tensor<64x32xf32> loc("neg"("model.py":7:0))
  return %1, %3, %5 : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
}

// JSON:      "calls": [
// JSON:        "bytes": 8448,
// JSON-NEXT:   "flops": {{[0-9]+}},
// JSON-NEXT:   "function": "main",
// JSON-NEXT:   "handle": "[[K:exp_reduce_sum_0]]:0",
// JSON-NEXT:   "kernel": "[[K]]",
// JSON-NEXT:   "nodes": [
// JSON-NEXT:     "exp_1 (model.py:4)",
// JSON-NEXT:     "sum_2 (model.py:5)"
// JSON-NEXT:   ],
// JSON-NEXT:   "op": "wrapper.launch"
// JSON:        "handle": "[[K]]:1",
// JSON:        "handle": "neg_1:2",
// JSON:      "kernels": {
// JSON-NEXT:   "[[K]]": [
// JSON-NEXT:     "[[K]]:0",
// JSON-NEXT:     "[[K]]:1"
// JSON-NEXT:   ],
// JSON:      "lines": {
// JSON:        "model.py:3": {
// JSON-NEXT:     "calls": [
// JSON-NEXT:       "[[K]]:1"
// JSON-NEXT:     ],
// JSON-NEXT:     "nodes": [
// JSON-NEXT:       "exp (model.py:3)",
// JSON-NEXT:       "sum_1 (model.py:3)"
// JSON:        "model.py:7": {
// JSON:          "neg (model.py:7)"
// JSON:      "nodes": [
// JSON-NEXT:   {
// JSON-NEXT:   "calls": [
// JSON-NEXT:     "[[K]]:1"
// JSON-NEXT:   ],
// JSON-NEXT:   "graph": [
// JSON-NEXT:     "graph.exp"
// JSON-NEXT:   ],
// JSON-NEXT:   "id": "exp (model.py:3)",
// JSON-NEXT:   "line": "model.py:3",
// JSON-NEXT:   "name": "exp",
// JSON-NEXT:   "operators": [
// JSON-NEXT:     "aten.exp.default"
// JSON:        "calls": [],
// JSON-NEXT:   "graph": [],
// JSON-NEXT:   "id": "relu (<b>model</b>.py:6)",

// PYTHON:      # [exp_reduce_sum_0:0] exp_1 (model.py:4), sum_2 (model.py:5)
// PYTHON-NEXT: exp_reduce_sum_0(
// PYTHON:      # [exp_reduce_sum_0:1] exp (model.py:3), sum_1 (model.py:3)
// PYTHON-NEXT: exp_reduce_sum_0(
// PYTHON:      # [neg_1:2] neg (model.py:7)
// PYTHON-NEXT: neg_1(

// PAGE-NOT: <b>model
// PAGE:     &lt;b&gt;model&lt;/b&gt;.py:6
// PAGE-NOT: <b>model
