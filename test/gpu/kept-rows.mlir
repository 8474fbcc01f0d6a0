// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Long rows of short elements, which threads keep in shared memory: as long as
// they may be, of odd length, and two inputs at once of which one is kept twice.
func.func @main(%x: tensor<3x32768xbf16>, %y: tensor<2x20001xbf16>, %u: tensor<2x16640xf16>, %v: tensor<2x16640xf16>) -> (tensor<3x32768xbf16>, tensor<2x20001xbf16>, tensor<2x16640xf16>) {
  %xf = graph.convert %x : (tensor<3x32768xbf16>) -> tensor<3x32768xf32>
  %m = graph.reduce max, %xf dims [1] keepdims : (tensor<3x32768xf32>) -> tensor<3x1xf32>
  %c = graph.sub %xf, %m : (tensor<3x32768xf32>, tensor<3x1xf32>) -> tensor<3x32768xf32>
  %e = graph.exp %c : (tensor<3x32768xf32>) -> tensor<3x32768xf32>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<3x32768xf32>) -> tensor<3x1xf32>
  %r = graph.div %e, %s : (tensor<3x32768xf32>, tensor<3x1xf32>) -> tensor<3x32768xf32>
  %rb = graph.convert %r : (tensor<3x32768xf32>) -> tensor<3x32768xbf16>

  %yf = graph.convert %y : (tensor<2x20001xbf16>) -> tensor<2x20001xf32>
  %ym = graph.reduce max, %yf dims [1] keepdims : (tensor<2x20001xf32>) -> tensor<2x1xf32>
  %yc = graph.sub %yf, %ym : (tensor<2x20001xf32>, tensor<2x1xf32>) -> tensor<2x20001xf32>
  %ye = graph.exp %yc : (tensor<2x20001xf32>) -> tensor<2x20001xf32>
  %ys = graph.reduce sum, %ye dims [1] keepdims : (tensor<2x20001xf32>) -> tensor<2x1xf32>
  %yr = graph.div %ye, %ys : (tensor<2x20001xf32>, tensor<2x1xf32>) -> tensor<2x20001xf32>
  %yb = graph.convert %yr : (tensor<2x20001xf32>) -> tensor<2x20001xbf16>

  %uf = graph.convert %u : (tensor<2x16640xf16>) -> tensor<2x16640xf32>
  %vf = graph.convert %v : (tensor<2x16640xf16>) -> tensor<2x16640xf32>
  %h = graph.add %uf, %vf : (tensor<2x16640xf32>, tensor<2x16640xf32>) -> tensor<2x16640xf32>
  %hm = graph.reduce max, %h dims [1] keepdims : (tensor<2x16640xf32>) -> tensor<2x1xf32>
  %hd = graph.sub %h, %hm : (tensor<2x16640xf32>, tensor<2x1xf32>) -> tensor<2x16640xf32>
  %hs = graph.reduce min, %hd dims [1] keepdims : (tensor<2x16640xf32>) -> tensor<2x1xf32>
  %q = graph.mul %h, %hs : (tensor<2x16640xf32>, tensor<2x1xf32>) -> tensor<2x16640xf32>
  %t = graph.add %q, %uf : (tensor<2x16640xf32>, tensor<2x16640xf32>) -> tensor<2x16640xf32>
  %tb = graph.convert %t : (tensor<2x16640xf32>) -> tensor<2x16640xf16>
  return %rb, %yb, %tb : tensor<3x32768xbf16>, tensor<2x20001xbf16>, tensor<2x16640xf16>
}
