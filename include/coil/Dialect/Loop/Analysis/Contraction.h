//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises kernels that a dense library computes: matrix multiplications with
// any strides and batch dimensions, and convolutions, each with a bias and an
// elementwise function of the result.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_CONTRACTION_H
#define COIL_DIALECT_LOOP_ANALYSIS_CONTRACTION_H

#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace coil::loop {

/// Elementwise function that a library applies to each result.
enum class PostOp { None, Relu, GeluErf };

llvm::StringRef stringifyPostOp(PostOp op);

/// Most batch dimensions that a library call takes.
inline constexpr unsigned kMaxContractionBatch = 4;

/// One operand of a contraction.
struct ContractionOperand {
  /// Number of the kernel's operand; unused for the result.
  unsigned input = 0;
  /// Elements between neighbours along each of the contraction's dimensions.
  llvm::SmallVector<sym::ExprAttr> strides;
  /// Element that the first point reads or writes.
  sym::ExprAttr offset;
};

/// `c[batch..., m, n] = post(sum over k of a[batch..., m, k] *
/// b[batch..., k, n] + bias)`, where the bias runs along `m` or `n`.
struct Contraction {
  /// The batch sizes, then m, n and k.
  llvm::SmallVector<sym::ExprAttr> dims;
  ContractionOperand a, b, c;
  std::optional<ContractionOperand> bias;
  PostOp postOp = PostOp::None;
  /// Whether factors may be rounded to TF32.
  bool tf32 = false;

  unsigned getBatchRank() const {
    return static_cast<unsigned>(dims.size()) - 3;
  }
  unsigned getM() const { return getBatchRank(); }
  unsigned getN() const { return getBatchRank() + 1; }
  unsigned getK() const { return getBatchRank() + 2; }
};

/// Matches a kernel whose body is the sum of multiplications of two loads, in
/// `f32` or from `bf16` extended to `f32`; nothing else may happen but a bias
/// and a post-op. `why`, if given, receives the reason of a refusal.
std::optional<Contraction> matchContraction(KernelOp kernel,
                                            std::string *why = nullptr);

/// A convolution described by the kernel's `conv` attribute: `x`, `w`, `bias`
/// are numbers of kernel operands. The result is `[n, co, spatial...]`.
struct Convolution {
  unsigned x = 0, w = 0;
  std::optional<unsigned> bias;
  PostOp postOp = PostOp::None;
  /// Whether factors may be rounded to TF32.
  bool tf32 = false;
};

/// Matches a kernel with a `conv` attribute whose operands have the shapes of
/// that convolution, and which does nothing after it but a bias and a post-op.
std::optional<Convolution> matchConvolution(KernelOp kernel,
                                            std::string *why = nullptr);

/// The function of a library that computes a kernel.
enum class LibraryCall { None, Contraction, Convolution };

/// What a library does of a kernel: "onednn" contractions and convolutions, but
/// none of f16; "cublaslt" contractions whose result is dense along one of its
/// dimensions, with at most a bias of the result's type along that, and relu;
/// "cudnn" convolutions of one element type with at most a bias and relu, which
/// needs a bias or channels_last. The latter two do nothing that is so small
/// that a kernel of our own is faster.
LibraryCall getLibraryCall(KernelOp kernel, llvm::StringRef library);

/// Which of `libraries`, names separated by commas, computes a kernel; "" if
/// none does.
llvm::StringRef findLibrary(KernelOp kernel, llvm::StringRef libraries);

/// Whether one of the libraries computes a kernel.
inline bool isLibraryKernel(KernelOp kernel, llvm::StringRef libraries) {
  return !findLibrary(kernel, libraries).empty();
}

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_CONTRACTION_H
