// Sorts and selections of sizes that are known when they run, along each
// dimension, with what is around them.

// RUN: coil-run %s --random-inputs --reference=interp --symbol=s0=1 --symbol=s1=1
// RUN: coil-run %s --random-inputs --reference=interp --symbol=s0=2 --symbol=s1=1031
// RUN: coil-run %s --random-inputs --reference=interp --symbol=s0=1500 --symbol=s1=7
// RUN: coil-run %s --random-inputs --reference=interp --symbol=s0=0 --symbol=s1=3
// RUN: coil-run %s --random-inputs --reference=interp --symbol=s0=97 --symbol=s1=31 --num-threads=1

// A selection of more than there is fails where it runs, with its place.
// RUN: not coil-run %s --function=few --random-inputs --symbol=s0=2 2>&1 | FileCheck %s
// CHECK: coil-run: error: a selection takes no more elements than there are (got 3 and 2)

!x = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!h = tensor<?x?xbf16, #sym.shape<[s0, s1]>>
!i = tensor<?x?xi64, #sym.shape<[s0, s1]>>
!t = tensor<?x?xf32, #sym.shape<[s1, s0]>>
!ti = tensor<?x?xi64, #sym.shape<[s1, s0]>>
func.func @main(%x: !x, %h: !h, %k: !i) -> (!x, !i, !h, !i, !i, !t, !ti, tensor<?x?xf32, #sym.shape<[s0, s1 floordiv 2]>>)
    attributes {sym.symbols = {s0 = #sym.range<0, 4096>, s1 = #sym.range<1, 4096>}} {
  %n = graph.neg %x : (!x) -> !x
  %v, %i = graph.sort %n dim 1 : (!x) -> (!x, !i)
  %d = graph.mul %v, %v : (!x, !x) -> !x
  %w, %j = graph.sort %h dim 0 descending stable : (!h) -> (!h, !i)
  %u, %l = graph.sort %k dim 1 descending : (!i) -> (!i, !i)
  %p = graph.permute %x [1, 0] : (!x) -> !t
  %q, %m = graph.sort %p dim 1 : (!t) -> (!t, !ti)
  %s, %o = graph.topk %x k <s1 floordiv 2> dim 1 largest sorted : (!x) -> (tensor<?x?xf32, #sym.shape<[s0, s1 floordiv 2]>>, tensor<?x?xi64, #sym.shape<[s0, s1 floordiv 2]>>)
  return %d, %i, %w, %j, %l, %q, %m, %s : !x, !i, !h, !i, !i, !t, !ti, tensor<?x?xf32, #sym.shape<[s0, s1 floordiv 2]>>
}

func.func @few(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<3xf32> attributes {sym.symbols = {s0 = #sym.range<0, 4096>}} {
  %0:2 = graph.aten "aten.topk.default"(%x) ["self"] {k = 3 : i64, dim = -1 : i64, largest = true, sorted = true} : (tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0 : tensor<3xf32>
}
