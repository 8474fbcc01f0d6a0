// RUN: coil-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @if_c1(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected a tensor of one element but got 'tensor<2xi1>'}}
  graph.if %b : tensor<2xi1> {
    graph.yield
  } else {
    graph.yield
  }
  return
}

// -----

func.func @if_c2_arguments(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected region 0 without arguments}}
  "graph.if"(%p) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield
  }, {
    graph.yield
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @if_c2_terminator(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected region 1 to end in 'graph.yield'}}
  "graph.if"(%p) ({
    graph.yield
  }, {
    "test.end"() : () -> ()
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @if_c2_symbols(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  %0 = graph.if %p : tensor<i1> defines ["u0"] -> (tensor<?xf32, #sym.shape<[u0]>>) {
    // expected-error@+1 {{gives 0 symbols but the op binds 1}}
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32> symbols [4]
  }
  return
}

// -----

func.func @if_c3(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  %0 = graph.if %p : tensor<i1> defines ["u0"] -> (tensor<?xf32, #sym.shape<[u0]>>) {
    graph.yield %x : tensor<4xf32> symbols [4]
  } else {
    // expected-error@+1 {{value 0 has type 'tensor<4xf32>', expected 'tensor<3xf32>'}}
    graph.yield %x : tensor<4xf32> symbols [3]
  }
  return
}

// -----

func.func @if_c3_count(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  %0 = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    // expected-error@+1 {{gives 2 values but the op has 1}}
    graph.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c1(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected region 1 with arguments of the operands' types}}
  %0 = graph.while %x : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<2xi1>):
    graph.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c1_results(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected results of the operands' types}}
  %0 = "graph.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.condition %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @while_c2(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected region 0 to end in 'graph.condition'}}
  graph.while {
    graph.yield
  } do {
    graph.yield
  }
  return
}

// -----

func.func @while_c2_types(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  %0 = graph.while %x : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{value 0 has type 'tensor<2xi1>', expected 'tensor<4xf32>'}}
    graph.yield %b : tensor<2xi1>
  }
  return
}

// -----

func.func @while_c2_symbols(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  graph.while {
    graph.condition %p : tensor<i1>
  } do {
    // expected-error@+1 {{gives 1 symbols but the op binds 0}}
    graph.yield symbols [4]
  }
  return
}

// -----

func.func @yield_c1(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  graph.if %p : tensor<i1> {
    // expected-error@+1 {{expected expressions over symbols only}}
    graph.yield symbols [d0]
  } else {
    graph.yield
  }
  return
}

// -----

func.func @condition_c1(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  graph.while {
    // expected-error@+1 {{expected a tensor of one element but got 'tensor<2xi1>'}}
    graph.condition %b : tensor<2xi1>
  } do {
    graph.yield
  }
  return
}

// -----

func.func @item_c1(%p: tensor<i1>, %x: tensor<4xf32>, %b: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected a tensor of one element but got 'tensor<2xi64>'}}
  graph.item "u0" = %i : tensor<2xi64>
  return
}
