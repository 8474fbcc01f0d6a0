//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether what passes leave can be written and read again.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REPORT_ROUNDTRIP_H
#define COIL_REPORT_ROUNDTRIP_H

#include <atomic>
#include <memory>

namespace mlir {
class PassInstrumentation;
} // namespace mlir

namespace coil {

/// An instrumentation that writes, after each pass, its operation as text and
/// as bytecode, reads both in a context of their own, and compares what was
/// read with the operation: operations, attributes, types and locations. The
/// first pass after which they differ, or after which one cannot be read, is an
/// error at the operation and sets `hasFailed`; an instrumentation cannot end
/// the pipeline.
std::unique_ptr<mlir::PassInstrumentation>
createRoundTripVerifier(std::atomic<bool> &hasFailed);

} // namespace coil

#endif // COIL_REPORT_ROUNDTRIP_H
