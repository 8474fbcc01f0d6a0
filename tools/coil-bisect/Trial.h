//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One attempt of a search, in a process of its own: what crashes or does not
// end is an outcome like any other.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_BISECT_TRIAL_H
#define COIL_TOOLS_COIL_BISECT_TRIAL_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace coil {

enum class Outcome : uint8_t {
  Right,   ///< the results are those of the reference
  Wrong,   ///< they differ
  Failed,  ///< a pass, the verifier or the interpreter failed
  Crashed, ///< the process was ended by a signal
  TimedOut ///< it took longer than it may
};

/// "gives a wrong result", ...
const char *describeOutcome(Outcome outcome);

struct TrialResult {
  Outcome outcome = Outcome::Right;
  /// What the attempt says of itself.
  std::string message;
};

/// Runs `body` in a child of this process. Its stream becomes the message, and
/// what it prints on standard error is part of that unless it succeeds.
TrialResult runTrial(unsigned seconds,
                     llvm::function_ref<Outcome(llvm::raw_ostream &)> body);

} // namespace coil

#endif // COIL_TOOLS_COIL_BISECT_TRIAL_H
