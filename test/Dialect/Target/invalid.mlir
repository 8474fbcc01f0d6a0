// RUN: coil-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{unknown target 'tpu', expected 'cpu', 'cpu:<processor>', 'cuda', 'cuda:<chip>', 'rocm' or 'rocm:<chip>'}}
module attributes {device_c1 = #target.device<"tpu">} {}

// -----

// expected-error @below {{unknown target 'cuda:', expected 'cpu'}}
module attributes {device_c1_no_chip = #target.device<"cuda:">} {}

// -----

// expected-error @below {{unknown chip 'sm_93', expected sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_101, sm_103, sm_110, sm_120, sm_121, with 'a' from sm_90 and 'f' from sm_100 on; did you mean 'sm_90'?}}
module attributes {device_c2 = #target.device<"cuda:sm_80+sm_93">} {}

// -----

// expected-error @below {{unknown chip 'sm_80a', expected sm_75}}
module attributes {device_c2_alone = #target.device<"cuda:sm_80a">} {}

// -----

// expected-error @below {{unknown processor 'haswel', did you mean 'haswell'?}}
module attributes {device_c2_processor = #target.device<"cpu:haswel">} {}

// -----

// expected-error @below {{the target 'cuda:sm_80' does not state a fact 'cores', but 'multiprocessors', 'lanes', 'clock_mhz', 'bandwidth', 'l2_bytes', 'warp_size', 'block_threads', 'multiprocessor_threads', 'multiprocessor_blocks', 'registers', 'thread_registers', 'shared_bytes', 'static_shared_bytes', 'multiprocessor_shared_bytes', 'reserved_shared_bytes', 'argument_bytes'}}
module attributes {device_c3 = #target.device<"cuda:sm_80", cores = 3>} {}

// -----

// expected-error @below {{the fact 'multiprocessors' is -3 : i64, expected a positive number of 64 bits}}
module attributes {device_c3_negative = #target.device<"cuda:sm_80", multiprocessors = -3>} {}

// -----

// expected-error @below {{facts of 'cuda:sm_80@multiprocessors=3' belong after the name, as in '"cuda:sm_80", multiprocessors = 3'}}
module attributes {device_fact_in_name = #target.device<"cuda:sm_80@multiprocessors=3">} {}
