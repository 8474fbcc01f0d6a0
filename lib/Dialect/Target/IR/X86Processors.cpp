//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of x86-64 processors.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/IR/TargetKind.h"

#include "coil/Support/CPUTarget.h"
#include "llvm/ADT/StringExtras.h"

using namespace coil;
using namespace coil::target;
using llvm::Expected;
using llvm::StringRef;

/// Caches of one core: the least of the processors that code is generated for,
/// those of Haswell (Intel 64 and IA-32 Architectures Optimization Reference
/// Manual, "Cache Parameters of the Haswell Microarchitecture"). Schedules that
/// fit them fit the larger ones.
static constexpr int64_t kFirstLevelBytes = 32 << 10,
                         kSecondLevelBytes = 256 << 10, kLineBytes = 64;
/// Operations for each byte that a core computes while memory moves it: a unit
/// of 16 lanes of f32 at 3.7 GHz and 18 GB/s of a Zen 4, as measured, or two of
/// 8 lanes at 2.5 GHz and 10 GB/s of a Haswell, are 3.3 and 4.
static constexpr int64_t kOpsPerByte = 4;

Expected<ChipFacts> target::describeX86Processors(StringRef processors) {
  Expected<CPUTarget> processor = resolveCPU(processors);
  if (!processor)
    return processor.takeError();
  ChipFacts result;
  result.facts = {{"vector_bits", processor->vectorBits},
                  {"l1_bytes", kFirstLevelBytes},
                  {"l2_bytes", kSecondLevelBytes},
                  {"line_bytes", kLineBytes},
                  {"ops_per_byte", kOpsPerByte}};
  for (StringRef feature : llvm::split(processor->features, ','))
    if (feature.consume_front("+"))
      result.features.push_back(feature.str());
  return result;
}
