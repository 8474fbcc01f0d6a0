// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integers of emitted programs are header only (F41): this links with nothing.
#include "coil/Runtime/HostProgram.h"

static_assert(coil::floordiv(7, 2) == 3 && coil::floormod(7, 2) == 1, "");
static_assert(coil::floordiv(-7, 2) == -4 && coil::floormod(-7, 2) == 1, "");
static_assert(coil::floordiv(7, -2) == -4 && coil::floormod(7, -2) == -1, "");
static_assert(coil::floordiv(-7, -2) == 3 && coil::floormod(-7, -2) == -1, "");
static_assert(coil::floordiv(-8, 2) == -4 && coil::floormod(-8, 2) == 0, "");
static_assert(coil::floordiv(5, 0) == 5 && coil::floormod(5, 0) == 0, "");
static_assert(coil::floordiv(INT64_MIN, -1) == INT64_MIN, "");
static_assert(coil::min(-1, 2) == -1 && coil::max(-1, 2) == 2, "");

int main() {
  for (int64_t a = -20; a <= 20; ++a)
    for (int64_t b = -5; b <= 5; ++b) {
      if (b == 0)
        continue;
      int64_t q = coil::floordiv(a, b), r = coil::floormod(a, b);
      if (q * b + r != a || (r != 0 && (r < 0) != (b < 0)) ||
          (b < 0 ? r <= b : r >= b))
        return 1;
    }
  coil::Checked most = INT64_MAX;
  if ((most + 1).overflowed != true || (most * 1).overflowed ||
      !(most * 2 - 1).overflowed || (most - 1).overflowed ||
      !coil::min(most + 1, 2).overflowed ||
      coil::floordiv(coil::Checked(-7), 2).value != -4)
    return 2;
}
