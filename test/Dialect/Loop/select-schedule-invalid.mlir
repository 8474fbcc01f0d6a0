// RUN: coil-opt %s --loop-select-schedule=library=mkl --verify-diagnostics

// expected-error@+1 {{unknown library 'mkl', expected 'onednn', 'cublaslt', 'cudnn', 'cub' or 'none'}}
module {
  func.func @select_schedule_library() {
    return
  }
}
