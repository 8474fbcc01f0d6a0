// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=0 --symbol=s1=5 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1 --symbol=s1=1 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1 --symbol=s1=1031 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1031 --symbol=s1=1 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=64 --symbol=s1=64 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=67 --symbol=s1=131 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=3 --symbol=s1=700 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=128 --symbol=s1=96 --reference=interp

// Transposed inputs and results of every width, with sizes that only the call
// knows: tiles that are whole, cut off, and almost empty.

func.func @main(%x_f32: tensor<?x?xf32, #sym.shape<[s0, s1]>>,
    %y_f32: tensor<?x?xf32, #sym.shape<[s1, s0]>>,
    %x_bf16: tensor<?x?xbf16, #sym.shape<[s0, s1]>>,
    %y_bf16: tensor<?x?xbf16, #sym.shape<[s1, s0]>>,
    %x_f16: tensor<?x?xf16, #sym.shape<[s0, s1]>>,
    %y_f16: tensor<?x?xf16, #sym.shape<[s1, s0]>>,
    %x_f64: tensor<?x?xf64, #sym.shape<[s0, s1]>>,
    %y_f64: tensor<?x?xf64, #sym.shape<[s1, s0]>>,
    %x_i8: tensor<?x?xi8, #sym.shape<[s0, s1]>>,
    %y_i8: tensor<?x?xi8, #sym.shape<[s1, s0]>>,
    %x_ui8: tensor<?x?xui8, #sym.shape<[s0, s1]>>,
    %y_ui8: tensor<?x?xui8, #sym.shape<[s1, s0]>>,
    %x_i16: tensor<?x?xi16, #sym.shape<[s0, s1]>>,
    %y_i16: tensor<?x?xi16, #sym.shape<[s1, s0]>>,
    %x_i32: tensor<?x?xi32, #sym.shape<[s0, s1]>>,
    %y_i32: tensor<?x?xi32, #sym.shape<[s1, s0]>>,
    %x_i64: tensor<?x?xi64, #sym.shape<[s0, s1]>>,
    %y_i64: tensor<?x?xi64, #sym.shape<[s1, s0]>>,
    %x_i1: tensor<?x?xi1, #sym.shape<[s0, s1]>>,
    %y_i1: tensor<?x?xi1, #sym.shape<[s1, s0]>>)
    -> (tensor<?x?xf32, #sym.shape<[s1, s0]>>,
        tensor<?x?xf32, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xbf16, #sym.shape<[s1, s0]>>,
        tensor<?x?xbf16, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xf16, #sym.shape<[s1, s0]>>,
        tensor<?x?xf16, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xf64, #sym.shape<[s1, s0]>>,
        tensor<?x?xf64, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xi8, #sym.shape<[s1, s0]>>,
        tensor<?x?xi8, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xui8, #sym.shape<[s1, s0]>>,
        tensor<?x?xui8, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xi16, #sym.shape<[s1, s0]>>,
        tensor<?x?xi16, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xi32, #sym.shape<[s1, s0]>>,
        tensor<?x?xi32, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xi64, #sym.shape<[s1, s0]>>,
        tensor<?x?xi64, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>},
        tensor<?x?xi1, #sym.shape<[s1, s0]>>,
        tensor<?x?xi1, #sym.shape<[s1, s0]>> {coil.strides = #sym.shape<[1, s1]>})
    attributes {sym.symbols = {s0 = #sym.range<0, 100000, hint = 200>, s1 = #sym.range<0, 100000, hint = 300>}} {
  %t_f32 = graph.aten "aten.t.default"(%x_f32) ["self"] {} : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s1, s0]>>
  %a_f32 = graph.aten "aten.add.Tensor"(%t_f32, %y_f32) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xf32, #sym.shape<[s1, s0]>>, tensor<?x?xf32, #sym.shape<[s1, s0]>>) -> tensor<?x?xf32, #sym.shape<[s1, s0]>>
  %n_f32 = graph.aten "aten.relu.default"(%y_f32) ["self"] {} : (tensor<?x?xf32, #sym.shape<[s1, s0]>>) -> tensor<?x?xf32, #sym.shape<[s1, s0]>>
  %t_bf16 = graph.aten "aten.t.default"(%x_bf16) ["self"] {} : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<?x?xbf16, #sym.shape<[s1, s0]>>
  %a_bf16 = graph.aten "aten.add.Tensor"(%t_bf16, %y_bf16) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xbf16, #sym.shape<[s1, s0]>>, tensor<?x?xbf16, #sym.shape<[s1, s0]>>) -> tensor<?x?xbf16, #sym.shape<[s1, s0]>>
  %n_bf16 = graph.aten "aten.relu.default"(%y_bf16) ["self"] {} : (tensor<?x?xbf16, #sym.shape<[s1, s0]>>) -> tensor<?x?xbf16, #sym.shape<[s1, s0]>>
  %t_f16 = graph.aten "aten.t.default"(%x_f16) ["self"] {} : (tensor<?x?xf16, #sym.shape<[s0, s1]>>) -> tensor<?x?xf16, #sym.shape<[s1, s0]>>
  %a_f16 = graph.aten "aten.add.Tensor"(%t_f16, %y_f16) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xf16, #sym.shape<[s1, s0]>>, tensor<?x?xf16, #sym.shape<[s1, s0]>>) -> tensor<?x?xf16, #sym.shape<[s1, s0]>>
  %n_f16 = graph.aten "aten.relu.default"(%y_f16) ["self"] {} : (tensor<?x?xf16, #sym.shape<[s1, s0]>>) -> tensor<?x?xf16, #sym.shape<[s1, s0]>>
  %t_f64 = graph.aten "aten.t.default"(%x_f64) ["self"] {} : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?x?xf64, #sym.shape<[s1, s0]>>
  %a_f64 = graph.aten "aten.add.Tensor"(%t_f64, %y_f64) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xf64, #sym.shape<[s1, s0]>>, tensor<?x?xf64, #sym.shape<[s1, s0]>>) -> tensor<?x?xf64, #sym.shape<[s1, s0]>>
  %n_f64 = graph.aten "aten.relu.default"(%y_f64) ["self"] {} : (tensor<?x?xf64, #sym.shape<[s1, s0]>>) -> tensor<?x?xf64, #sym.shape<[s1, s0]>>
  %t_i8 = graph.aten "aten.t.default"(%x_i8) ["self"] {} : (tensor<?x?xi8, #sym.shape<[s0, s1]>>) -> tensor<?x?xi8, #sym.shape<[s1, s0]>>
  %a_i8 = graph.aten "aten.add.Tensor"(%t_i8, %y_i8) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xi8, #sym.shape<[s1, s0]>>, tensor<?x?xi8, #sym.shape<[s1, s0]>>) -> tensor<?x?xi8, #sym.shape<[s1, s0]>>
  %n_i8 = graph.aten "aten.relu.default"(%y_i8) ["self"] {} : (tensor<?x?xi8, #sym.shape<[s1, s0]>>) -> tensor<?x?xi8, #sym.shape<[s1, s0]>>
  %t_ui8 = graph.aten "aten.t.default"(%x_ui8) ["self"] {} : (tensor<?x?xui8, #sym.shape<[s0, s1]>>) -> tensor<?x?xui8, #sym.shape<[s1, s0]>>
  %a_ui8 = graph.aten "aten.add.Tensor"(%t_ui8, %y_ui8) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xui8, #sym.shape<[s1, s0]>>, tensor<?x?xui8, #sym.shape<[s1, s0]>>) -> tensor<?x?xui8, #sym.shape<[s1, s0]>>
  %n_ui8 = graph.aten "aten.relu.default"(%y_ui8) ["self"] {} : (tensor<?x?xui8, #sym.shape<[s1, s0]>>) -> tensor<?x?xui8, #sym.shape<[s1, s0]>>
  %t_i16 = graph.aten "aten.t.default"(%x_i16) ["self"] {} : (tensor<?x?xi16, #sym.shape<[s0, s1]>>) -> tensor<?x?xi16, #sym.shape<[s1, s0]>>
  %a_i16 = graph.aten "aten.add.Tensor"(%t_i16, %y_i16) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xi16, #sym.shape<[s1, s0]>>, tensor<?x?xi16, #sym.shape<[s1, s0]>>) -> tensor<?x?xi16, #sym.shape<[s1, s0]>>
  %n_i16 = graph.aten "aten.relu.default"(%y_i16) ["self"] {} : (tensor<?x?xi16, #sym.shape<[s1, s0]>>) -> tensor<?x?xi16, #sym.shape<[s1, s0]>>
  %t_i32 = graph.aten "aten.t.default"(%x_i32) ["self"] {} : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<?x?xi32, #sym.shape<[s1, s0]>>
  %a_i32 = graph.aten "aten.add.Tensor"(%t_i32, %y_i32) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xi32, #sym.shape<[s1, s0]>>, tensor<?x?xi32, #sym.shape<[s1, s0]>>) -> tensor<?x?xi32, #sym.shape<[s1, s0]>>
  %n_i32 = graph.aten "aten.relu.default"(%y_i32) ["self"] {} : (tensor<?x?xi32, #sym.shape<[s1, s0]>>) -> tensor<?x?xi32, #sym.shape<[s1, s0]>>
  %t_i64 = graph.aten "aten.t.default"(%x_i64) ["self"] {} : (tensor<?x?xi64, #sym.shape<[s0, s1]>>) -> tensor<?x?xi64, #sym.shape<[s1, s0]>>
  %a_i64 = graph.aten "aten.add.Tensor"(%t_i64, %y_i64) ["self", "other"] {alpha = 1 : i64} : (tensor<?x?xi64, #sym.shape<[s1, s0]>>, tensor<?x?xi64, #sym.shape<[s1, s0]>>) -> tensor<?x?xi64, #sym.shape<[s1, s0]>>
  %n_i64 = graph.aten "aten.relu.default"(%y_i64) ["self"] {} : (tensor<?x?xi64, #sym.shape<[s1, s0]>>) -> tensor<?x?xi64, #sym.shape<[s1, s0]>>
  %t_i1 = graph.aten "aten.t.default"(%x_i1) ["self"] {} : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<?x?xi1, #sym.shape<[s1, s0]>>
  %a_i1 = graph.aten "aten.logical_or.default"(%t_i1, %y_i1) ["self", "other"] {} : (tensor<?x?xi1, #sym.shape<[s1, s0]>>, tensor<?x?xi1, #sym.shape<[s1, s0]>>) -> tensor<?x?xi1, #sym.shape<[s1, s0]>>
  %n_i1 = graph.aten "aten.logical_not.default"(%y_i1) ["self"] {} : (tensor<?x?xi1, #sym.shape<[s1, s0]>>) -> tensor<?x?xi1, #sym.shape<[s1, s0]>>
  return %a_f32, %n_f32, %a_bf16, %n_bf16, %a_f16, %n_f16, %a_f64, %n_f64, %a_i8, %n_i8, %a_ui8, %n_ui8, %a_i16, %n_i16, %a_i32, %n_i32, %a_i64, %n_i64, %a_i1, %n_i1
      : tensor<?x?xf32, #sym.shape<[s1, s0]>>,
        tensor<?x?xf32, #sym.shape<[s1, s0]>>,
        tensor<?x?xbf16, #sym.shape<[s1, s0]>>,
        tensor<?x?xbf16, #sym.shape<[s1, s0]>>,
        tensor<?x?xf16, #sym.shape<[s1, s0]>>,
        tensor<?x?xf16, #sym.shape<[s1, s0]>>,
        tensor<?x?xf64, #sym.shape<[s1, s0]>>,
        tensor<?x?xf64, #sym.shape<[s1, s0]>>,
        tensor<?x?xi8, #sym.shape<[s1, s0]>>,
        tensor<?x?xi8, #sym.shape<[s1, s0]>>,
        tensor<?x?xui8, #sym.shape<[s1, s0]>>,
        tensor<?x?xui8, #sym.shape<[s1, s0]>>,
        tensor<?x?xi16, #sym.shape<[s1, s0]>>,
        tensor<?x?xi16, #sym.shape<[s1, s0]>>,
        tensor<?x?xi32, #sym.shape<[s1, s0]>>,
        tensor<?x?xi32, #sym.shape<[s1, s0]>>,
        tensor<?x?xi64, #sym.shape<[s1, s0]>>,
        tensor<?x?xi64, #sym.shape<[s1, s0]>>,
        tensor<?x?xi1, #sym.shape<[s1, s0]>>,
        tensor<?x?xi1, #sym.shape<[s1, s0]>>
}
