// REQUIRES: cuda-sim, fake-cub
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --library=cub --random-inputs --reference=interp

// Lines that a block holds, and longer ones, each by a block, by blocks of one
// launch, and by the whole device; along an inner dimension; every width of
// keys; selections.
func.func @main(%a: tensor<5x1xf32>, %b: tensor<37x31xbf16>, %c: tensor<3x1021x2xf32>, %d: tensor<129x4099xf16>, %e: tensor<40009xf32>, %f: tensor<2x5003xi64>, %g: tensor<64x257xui8>, %h: tensor<17x4096xf64>, %j: tensor<2x32771xi16>, %k: tensor<5003xi64>, %l: tensor<9001x1xbf16>)
    -> (tensor<5x1xf32>, tensor<37x31xbf16>, tensor<37x31xi64>, tensor<3x1021x2xf32>, tensor<3x1021x2xi64>, tensor<129x4099xf16>, tensor<129x4099xi64>, tensor<40009xf32>, tensor<40009xi64>, tensor<2x5003xi64>, tensor<2x5003xi64>, tensor<64x257xui8>, tensor<17x50xf64>, tensor<17x50xi64>, tensor<5xi64>, tensor<2x32771xi64>, tensor<5003xi64>, tensor<9001x1xbf16>, tensor<100x1xi64>) {
  %av, %ai = graph.sort %a dim 1 : (tensor<5x1xf32>) -> (tensor<5x1xf32>, tensor<5x1xi64>)
  %bv, %bi = graph.sort %b dim 1 descending : (tensor<37x31xbf16>) -> (tensor<37x31xbf16>, tensor<37x31xi64>)
  %cv, %ci = graph.sort %c dim 1 : (tensor<3x1021x2xf32>) -> (tensor<3x1021x2xf32>, tensor<3x1021x2xi64>)
  %dv, %di = graph.sort %d dim 1 descending : (tensor<129x4099xf16>) -> (tensor<129x4099xf16>, tensor<129x4099xi64>)
  %ev, %ei = graph.sort %e dim 0 : (tensor<40009xf32>) -> (tensor<40009xf32>, tensor<40009xi64>)
  %fv, %fi = graph.sort %f dim 1 descending : (tensor<2x5003xi64>) -> (tensor<2x5003xi64>, tensor<2x5003xi64>)
  %gv, %gi = graph.sort %g dim 0 : (tensor<64x257xui8>) -> (tensor<64x257xui8>, tensor<64x257xi64>)
  %hv, %hi = graph.topk %h k <50> dim 1 largest sorted : (tensor<17x4096xf64>) -> (tensor<17x50xf64>, tensor<17x50xi64>)
  %iv, %ii = graph.topk %e k <5> dim 0 : (tensor<40009xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  %jv, %ji = graph.sort %j dim 1 : (tensor<2x32771xi16>) -> (tensor<2x32771xi16>, tensor<2x32771xi64>)
  %kv, %ki = graph.sort %k dim 0 descending : (tensor<5003xi64>) -> (tensor<5003xi64>, tensor<5003xi64>)
  %lv, %li = graph.sort %l dim 0 : (tensor<9001x1xbf16>) -> (tensor<9001x1xbf16>, tensor<9001x1xi64>)
  %mv, %mi = graph.topk %l k <100> dim 0 largest sorted : (tensor<9001x1xbf16>) -> (tensor<100x1xbf16>, tensor<100x1xi64>)
  return %av, %bv, %bi, %cv, %ci, %dv, %di, %ev, %ei, %fv, %fi, %gv, %hv, %hi, %ii, %ji, %ki, %lv, %mi : tensor<5x1xf32>, tensor<37x31xbf16>, tensor<37x31xi64>, tensor<3x1021x2xf32>, tensor<3x1021x2xi64>, tensor<129x4099xf16>, tensor<129x4099xi64>, tensor<40009xf32>, tensor<40009xi64>, tensor<2x5003xi64>, tensor<2x5003xi64>, tensor<64x257xui8>, tensor<17x50xf64>, tensor<17x50xi64>, tensor<5xi64>, tensor<2x32771xi64>, tensor<5003xi64>, tensor<9001x1xbf16>, tensor<100x1xi64>
}
