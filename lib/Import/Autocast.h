//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `torch.autocast`: which operands of operators are converted.
//
// Export writes the nodes of a region as they were called, with the element
// types of results that autocast gave them:
//
//   y: bf16 = aten.linear(x: f32, w: f32, b: f32)
//
// What eager mode does when it runs the region is to intercept some operators
// and to convert their floats first: to the lower precision that the region
// names (contractions), to single precision (what loses too much otherwise), or
// to the widest type among them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_IMPORT_AUTOCAST_H
#define COIL_LIB_IMPORT_AUTOCAST_H

#include "coil/Import/ExportedProgram.h"

namespace coil::import {

/// An operand that is to be converted.
struct AutocastConversion {
  unsigned input;
  /// Of a list of tensors.
  unsigned element;
  DType dtype;
};

/// What regions around a node say.
class AutocastState {
public:
  /// Enters the region of a `wrap_with_autocast`. False for one that is not of
  /// the known form, or of a device that is not known.
  bool enter(const Node &node);

  /// Whether results in \p graph are declared with the element types that
  /// autocast gives them: export in strict mode declares those without it.
  bool agreesWith(const Graph &graph) const;

  /// What becomes of operands of \p node, whose tensors \p graph describes.
  llvm::SmallVector<AutocastConversion>
  findConversions(const Node &node, const Graph &graph) const;

private:
  struct Mode {
    bool isEnabled = false;
    DType lower = DType::BFloat16;
  };
  /// PyTorch's defaults.
  Mode cpu{false, DType::BFloat16}, cuda{false, DType::Float16};
};

/// The element type that PyTorch computes in for operands of two.
DType promote(DType a, DType b);

} // namespace coil::import

#endif // COIL_LIB_IMPORT_AUTOCAST_H
