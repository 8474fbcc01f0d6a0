// RUN: coil-run %s --size-variants --library=none --random-inputs --symbol=s0=3 --symbol=s1=5 --reference=interp
// RUN: coil-run %s --size-variants --library=none --random-inputs --symbol=s0=64 --symbol=s1=1024 --reference=interp
// RUN: coil-run %s --size-variants --library=none --random-inputs --symbol=s0=3000 --symbol=s1=33 --reference=interp
// RUN: coil-run %s --size-variants --library=none --random-inputs --symbol=s0=1 --symbol=s1=40000 --reference=interp

// F66: whichever variant runs, the result is that of the interpreter.
!t = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !t {coil.name = "x"}) -> (!r, !t)
    attributes {sym.symbols = {s0 = #sym.range<1, 1048576, hint = 64>, s1 = #sym.range<1, 65536, hint = 1024>}} {
  %s = graph.reduce sum, %x dims [1] keepdims : (!t) -> !r
  %c = graph.scan sum, %x dim 0 : (!t) -> !t
  return %s, %c : !r, !t
}
