// A loop that never ends is ended by the limit, and what ends in time is not.
// RUN: coil-run %s --input=2.0 --time-limit=60 | FileCheck %s
// CHECK: f32=4
// RUN: not coil-run %s --input=-1.0 --time-limit=1 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], capture_output=True).returncode != 4)" \
// RUN:   coil-run %s --input=-1.0 --time-limit=1
// LIMIT: coil-run: error: the run takes longer than --time-limit allows

!b = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x: tensor<f32>) attributes {input_strides = [#sym.shape<[]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "double" [] (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %v = loop.load %a[] : tensor<f32> -> f32
    %m = arith.addf %v, %v : f32
    loop.store %m, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

wrapper.kernel @below(%x: tensor<f32>) attributes {input_strides = [#sym.shape<[]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "below" [] (%a = %x) : (tensor<f32>) -> tensor<i1> {
    %v = loop.load %a[] : tensor<f32> -> f32
    %limit = arith.constant 3.0 : f32
    %m = arith.cmpf olt, %v, %limit : f32
    loop.store %m, 0 [] : i1
  }
  wrapper.yield %0 : tensor<i1>
}

// x doubles until it is 3 or more, which a negative number never becomes.
wrapper.func @main(%x: !b) -> !b {
  %r = wrapper.while %x : !b -> (!b) {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !p
    wrapper.launch @below[] ins(%a : !b) outs(%1 : !p)
    %c = wrapper.item %1 : !p -> i1
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%a : !b) outs(%1 : !b)
    wrapper.yield %1 : !b
  }
  wrapper.return %r : !b
}
