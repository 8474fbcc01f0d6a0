// RUN: coil-opt %s --split-input-file --verify-diagnostics | coil-opt --split-input-file | FileCheck %s

// CHECK: wrapper.kernel @launched() attributes {geometry = #wrapper.geometry<grid = [s0 floordiv 256, 1, 1], block = [256, 1, 1], shared = 4096, errors = true>
wrapper.kernel @launched() attributes {
    input_strides = [], output_strides = [], symbols = ["s0"],
    geometry = #wrapper.geometry<grid = [s0 floordiv 256, 1, 1], block = [256, 1, 1], shared = 4096, errors = true>} {
}

// CHECK: wrapper.kernel @scratch() attributes {geometry = #wrapper.geometry<grid = [1, 1, 1], block = [32, 1, 1], shared = 0, errors = false, scratch = 48>
wrapper.kernel @scratch() attributes {
    input_strides = [], output_strides = [], symbols = [],
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [32, 1, 1], shared = 0, errors = false, scratch = 48>} {
}

// -----

// expected-error@+1 {{'scratch' must be a multiple of 16 that is not negative and below 2^31 but is 20}}
wrapper.func private @geometry_c4() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [1, 1, 1], shared = 0, errors = false, scratch = 20>}

// -----

// expected-error @below {{'scratch' must be a multiple of 16 that is not negative and below 2^31 but is -16}}
wrapper.func private @geometry_c4_negative() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [1, 1, 1], shared = 0, errors = false, scratch = -16>}

// -----

// expected-error@+1 {{expected three sizes of the grid and of a block but got 2 and 3}}
wrapper.func private @geometry_c1_grid() attributes {a = #wrapper.geometry<grid = [1, 1], block = [1, 1, 1], shared = 0, errors = false>}

// -----

// expected-error@+1 {{expected three sizes of the grid and of a block but got 3 and 1}}
wrapper.func private @geometry_c1_block() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [256], shared = 0, errors = false>}

// -----

// expected-error@+1 {{grid has a size 'd0' that is not an expression over symbols}}
wrapper.func private @geometry_c2() attributes {a = #wrapper.geometry<grid = [d0, 1, 1], block = [1, 1, 1], shared = 0, errors = false>}

// -----

// expected-error@+1 {{a block of [64, 32, 1] threads with 0 bytes of shared memory is impossible}}
wrapper.func private @geometry_c3_threads() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [64, 32, 1], shared = 0, errors = false>}

// -----

// expected-error@+1 {{a block of [1, 1, 1] threads with -4 bytes of shared memory is impossible}}
wrapper.func private @geometry_c3_shared() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [1, 1, 1], shared = -4, errors = false>}

// -----

// expected-error @below {{a block of [0, 1, 1] threads with 0 bytes of shared memory is impossible}}
wrapper.func private @geometry_c3_none() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [0, 1, 1], shared = 0, errors = false>}

// -----

// expected-error@+1 {{expected 'true' or 'false'}}
wrapper.func private @errors() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [1, 1, 1], shared = 0, errors = maybe>}

// -----

// expected-error@+1 {{mentions symbol 's1', which it does not list}}
wrapper.kernel @kernel_c4() attributes {
    input_strides = [], output_strides = [], symbols = ["s0"],
    geometry = #wrapper.geometry<grid = [s1, 1, 1], block = [256, 1, 1], shared = 0, errors = false>} {
}

// -----

// expected-error@+1 {{'scratch' must be a multiple of 16 that is not negative and below 2^31 but is 4294967296}}
wrapper.func private @geometry_c4_range() attributes {a = #wrapper.geometry<grid = [1, 1, 1], block = [1, 1, 1], shared = 0, errors = false, scratch = 4294967296>}
