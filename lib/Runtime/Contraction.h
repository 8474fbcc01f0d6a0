//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions that go through oneDNN's primitives.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CONTRACTION_H
#define COIL_LIB_RUNTIME_CONTRACTION_H

#include "OneDNN.h"

#include "coil/Runtime/Library.h"

namespace coil::rt {

/// One matrix operand in f32 as BLAS sees it.
struct Matrix {
  const float *data;
  bool transposed;
  int64_t leading;
  int64_t rowStride; ///< Elements between rows, to address row blocks.
};

/// Reads a matrix in place when one of its strides is 1 and the other does not
/// fold rows onto each other; else returns false.
bool viewMatrix(Matrix &matrix, const void *data, int64_t rows, int64_t columns,
                const int64_t *strides);

/// Offsets of the operands for the batch-th matrix, in elements.
void batchOffsets(const coil_contraction &d, int64_t batch, int64_t &a,
                  int64_t &b, int64_t &c);

/// Copies an operand, all batches of it, into row-major order. Broadcast batch
/// dimensions stay broadcast. Null, with the error recorded, when there is no
/// memory.
const void *packOperand(Scratch &scratch, const coil_contraction &d,
                        const void *data, int64_t elementBytes, int64_t rows,
                        int64_t columns, int64_t *strides,
                        int64_t *batchStrides);

/// Drops batch dimensions of size 1 and folds inner ones into m while a row of
/// the next batch follows the last row of this one and B is shared: a linear
/// layer on [batch, sequence, width] is one multiplication.
void foldBatches(coil_contraction &d);

/// Exchanges the roles of A and B: C' = B' A'.
void transposeProblem(coil_contraction &d, const void *&a, const void *&b);

/// Runs a non-empty contraction of f16, for which the library has nothing, or
/// of bf16 where it has nothing for that on this processor.
int32_t contractWidened(coil_run *run, const OneDNN &dnnl, coil_contraction d,
                        const void *a, const void *b, const void *bias,
                        void *c);

/// Runs a non-empty contraction of types that sgemm does not take.
int32_t contractByPrimitive(coil_run *run, const OneDNN &dnnl,
                            const coil_contraction &desc, const void *a,
                            const void *b, const void *bias, void *c);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_CONTRACTION_H
