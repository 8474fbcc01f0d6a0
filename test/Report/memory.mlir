// What is allocated, in whose storage, and for how long.
// RUN: split-file %s %t
// RUN: coil-compile %t/plan.mlir --memory-report=%t/m.json -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t/m.json
// RUN: coil-compile %t/plan.mlir --memory-report=%t/m.svg -o /dev/null
// RUN: FileCheck %s --check-prefix=SVG < %t/m.svg
// RUN: coil-compile %t/plan.mlir --memory-report=%t/m.html -o /dev/null
// RUN: FileCheck %s --check-prefix=HTML < %t/m.html

// A buffer that takes storage over is in the same allocation.
// JSON-LABEL: "allocations": [
// JSON:         "begin": 0,
// JSON-NEXT:    "bytes": 448,
// JSON:       "buffers": [
// JSON:         "allocation": 0,
// JSON-NEXT:    "begin": 0,
// JSON-NEXT:    "bytes": 448,
// JSON:         "name": "b0",
// JSON:         "source": "{{.*}}plan.mlir:14",
// JSON:         "writer": "twice:0"
// JSON:         "allocation": 0,
// JSON:         "name": "b1",
// JSON:         "writer": "twice:1"
// JSON:         "allocation": 1,
// JSON:         "bytes": 448,
// JSON:         "name": "b2",
// JSON:         "writer": "twice:2"
// JSON:       "input_bytes": 448,
// JSON:       "lower_bound": 896,
// JSON:       "name": "main",
// JSON:       "peak": 896,
// JSON:       "peak_for": "twice:2",
// JSON:       "planned_peak": 896,
// JSON:       "weight_bytes": 0

// SVG:      <svg xmlns="http://www.w3.org/2000/svg"
// SVG:      <title>b0, 448 B, steps 0 to {{[0-9]+}}
// SVG-NEXT: !wrapper.buffer&lt;[100], f32
// SVG-NEXT: written by twice:0
// SVG-NEXT: from {{.*}}plan.mlir:14</title></rect>
// SVG:      peak 896 B</text>
// SVG:      for twice:2</text>
// SVG-NEXT: </svg>

// HTML:     <title>Memory of {{.*}}plan.mlir</title>
// HTML:     <dt>peak<dd>896 B<dt>lower bound<dd>896 B<dt>inputs<dd>448 B
// HTML:     <svg
// HTML:     <code title="!wrapper.buffer&lt;[100], f32, #wrapper.device&lt;&quot;cpu&quot;&gt;&gt;">b0</code>

//--- plan.mlir
!b = !wrapper.buffer<[100], f32, #wrapper.device<"cpu">>
wrapper.kernel @twice(%a: tensor<100xf32>) attributes {
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "twice" [100] (%i = %a) : (tensor<100xf32>) -> tensor<100xf32> {
    %v = loop.load %i[d0] : tensor<100xf32> -> f32
    %w = arith.addf %v, %v : f32
    loop.store %w, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<100xf32>
}
wrapper.func @main(%x: !b) -> !b attributes {wrapper.memory = {peak = 896 : i64, lower_bound = 896 : i64}} {
  %0 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.reuse %0 : !b to !b
  wrapper.launch @twice[] ins(%1 : !b) outs(%1 : !b)
  %2 = wrapper.alloc : !b
  wrapper.launch @twice[] ins(%1 : !b) outs(%2 : !b)
  wrapper.free %1 : !b
  wrapper.return %2 : !b
}
