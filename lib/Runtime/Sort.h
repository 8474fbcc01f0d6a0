//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What sorting on every device shares.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_SORT_H
#define COIL_LIB_RUNTIME_SORT_H

#include "coil/Runtime/Library.h"

namespace coil::rt {

/// Checks a description; `limit` is what `size` must be less than.
int32_t verifySort(const coil_sort *desc, int64_t limit);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_SORT_H
