//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of AMD's chips, for which code is compiled but not run.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/IR/TargetKind.h"

#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"

using namespace coil;
using namespace coil::target;
using llvm::Expected;
using llvm::StringRef;

/// The chip that there is a table of, in LLVM's notation: MI300X.
static constexpr StringRef kChip = "gfx942";

Expected<ChipFacts> target::describeAMDChips(StringRef chips) {
  if (!chips.empty() && chips != kChip)
    return makeError("unknown chip '" + chips + "', expected " + kChip +
                     suggestName(chips, kChip));
  ChipFacts result;
  result.facts = {
      // AMD CDNA 3 Architecture whitepaper, and the data sheet of MI300X:
      // compute units, f32 operations of one in a cycle, clock and bandwidth.
      {"multiprocessors", 304},
      {"lanes", 128},
      {"clock_mhz", 2100},
      {"bandwidth", 5300000000000},
      // AMD GPU specifications of the ROCm documentation: L2 (8 of 4 MiB),
      // threads of a wavefront, registers (512 KiB), LDS.
      {"l2_bytes", 32 << 20},
      {"warp_size", 64},
      {"registers", 128 * 1024},
      {"shared_bytes", 64 * 1024},
      {"static_shared_bytes", 64 * 1024},
      {"multiprocessor_shared_bytes", 64 * 1024},
      // LLVM's AMDGPUBaseInfo.cpp (IsaInfo): work items of a group, waves of a
      // compute unit (8 on each of 4 SIMDs), groups with barriers, registers.
      {"block_threads", 1024},
      {"multiprocessor_threads", 2048},
      {"multiprocessor_blocks", 16},
      {"thread_registers", 512}};
  // ds_bpermute_b32: AMD Instinct MI300 Instruction Set Architecture, "LDS
  // Instructions".
  result.features = {"lane_permutes"};
  return result;
}
