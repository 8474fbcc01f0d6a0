//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of NVIDIA's chips. One line for each; a device that is there
// brings its own numbers in place of its product's.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/IR/TargetKind.h"

#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace coil;
using namespace coil::target;
using llvm::Expected;
using llvm::StringRef;

namespace {
/// What a compute capability fixes. Sources: CUDA C++ Programming Guide 13.0,
/// table "Technical Specifications per Compute Capability" (threads, shared
/// memory) and "Throughput of Native Arithmetic Instructions" (lanes), and
/// `cuda_occupancy.h` of CUDA 13.0 (blocks, shared memory).
struct Architecture {
  int64_t capability;     ///< Times ten.
  int64_t lanes;          ///< Additions of f32 in a cycle of a multiprocessor.
  int64_t threads;        ///< Of a multiprocessor.
  int64_t blocks;         ///< Of a multiprocessor.
  int64_t sharedKiB;      ///< Of a multiprocessor.
  int64_t blockSharedKiB; ///< That one block can have, when it asks for it.
};

/// The product that stands for a chip. A zero is a number that NVIDIA does not
/// publish, and which is no fact then.
struct Chip {
  StringRef name;
  int64_t multiprocessors;
  int64_t clockMHz;
  int64_t gigabytesPerSecond;
  int64_t l2KiB;
};
} // namespace

static constexpr Architecture kArchitectures[] = {
    {75, 64, 1024, 16, 64, 64},     {80, 64, 2048, 32, 164, 163},
    {86, 128, 1536, 16, 100, 99},   {87, 128, 1536, 16, 164, 163},
    {89, 128, 1536, 24, 100, 99},   {90, 128, 2048, 32, 228, 227},
    {100, 128, 2048, 32, 228, 227}, {101, 128, 1536, 24, 228, 227},
    {103, 128, 2048, 32, 228, 227}, {110, 128, 1536, 24, 228, 227},
    {120, 128, 1536, 24, 100, 99},  {121, 128, 1536, 24, 100, 99}};

static constexpr Chip kChips[] = {
    // T4: NVIDIA Turing GPU Architecture whitepaper, appendix B.
    {"sm_75", 40, 1590, 320, 4096},
    // A100 SXM with 80 GB: NVIDIA A100 Tensor Core GPU Architecture whitepaper
    // and data sheet.
    {"sm_80", 108, 1410, 2039, 40960},
    // A40: NVIDIA Ampere GA102 GPU Architecture whitepaper, and data sheet.
    {"sm_86", 84, 1740, 696, 6144},
    // Jetson AGX Orin with 64 GB: Jetson AGX Orin Series Technical Brief.
    {"sm_87", 16, 1300, 205, 4096},
    // L40S: NVIDIA Ada GPU Architecture whitepaper, and data sheet.
    {"sm_89", 142, 2520, 864, 98304},
    // H100 SXM: NVIDIA H100 Tensor Core GPU Architecture whitepaper. The clock
    // is the one that it keeps up in kernels that compute; its boost is 1980.
    {"sm_90", 132, 1700, 3350, 51200},
    // B200: NVIDIA Blackwell Tuning Guide 13.0 (L2), DGX B200 data sheet
    // (bandwidth); the multiprocessors are what the driver reports.
    {"sm_100", 148, 0, 8000, 129024},
    // Thor, by the name that it had before CUDA 13, and the name since: Jetson
    // Thor Series Modules data sheet.
    {"sm_101", 20, 1575, 273, 0},
    // B300: DGX B300 data sheet (bandwidth); the multiprocessors are what the
    // driver reports.
    {"sm_103", 148, 0, 8000, 0},
    {"sm_110", 20, 1575, 273, 0},
    // RTX PRO 6000 Blackwell: NVIDIA RTX Blackwell PRO GPU Architecture
    // whitepaper.
    {"sm_120", 188, 2617, 1792, 131072},
    // GB10: DGX Spark data sheet.
    {"sm_121", 48, 0, 273, 0}};

/// Whose numbers rank schedules where no chip is named: figures of Coil's
/// benchmarks were measured there.
static constexpr StringRef kReference = "sm_90";

namespace {
/// What code may use from a capability on. Source: PTX ISA 9.0, "Target ISA
/// Notes" of each instruction.
struct Feature {
  StringRef name;
  int64_t capability;
};
} // namespace

static constexpr Feature kFeatures[] = {
    // PTX, in which kernels may say what LLVM has no operation for, and its
    // shuffles between lanes.
    {"ptx", 0},
    // cp.async, and mma.sync in the shapes that schedules use.
    {"async_copies", 80},
    {"matrix_units", 80},
    // cvt to and from e4m3x2 and e5m2x2.
    {"float8_conversions", 89},
    // cp.async.bulk with mbarriers.
    {"bulk_copies", 90},
    // red.global.add of vectors and of bf16.
    {"vector_atomics", 90},
    // griddepcontrol.
    {"dependent_launch", 90},
    // barrier.cluster and mapa: blocks that reach each other's shared memory.
    {"clusters", 90}};

/// wgmma, which only the code for this chip alone has.
static constexpr StringRef kWarpGroupChip = "sm_90a";
static constexpr StringRef kWarpGroup = "wgmma";

/// \name The same for all capabilities (CUDA C++ Programming Guide 13.0,
/// "Technical Specifications per Compute Capability")
/// @{
static constexpr int64_t kWarp = 32, kBlockThreads = 1024,
                         kRegisters = 64 * 1024, kThreadRegisters = 255,
                         kStaticSharedBytes = 48 * 1024, kArgumentBytes = 4096;
/// @}
/// What the driver takes of shared memory for each block from 8.0 on (Ampere
/// Tuning Guide, "Unified Shared Memory/L1/Texture Cache").
static constexpr int64_t kReservedSharedBytes = 1024;

static Expected<Chip> lookUp(StringRef name) {
  StringRef base = name;
  // Code for one chip alone, and for its family.
  bool isAlone = base.consume_back("a"), isFamily = base.consume_back("f");
  const Chip *found = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == base; });
  int64_t capability = 0;
  if (found != std::end(kChips))
    (void)found->name.drop_front(3).getAsInteger(10, capability);
  if (found == std::end(kChips) || (isAlone && isFamily) ||
      (isAlone && capability < 90) || (isFamily && capability < 100)) {
    llvm::SmallVector<StringRef> names;
    for (const Chip &chip : kChips)
      names.push_back(chip.name);
    return makeError("unknown chip '" + name + "', expected " +
                     llvm::join(names, ", ") +
                     ", with 'a' from sm_90 and 'f' from sm_100 on" +
                     suggestName(name, names));
  }
  return *found;
}

static const Architecture &getArchitecture(const Chip &chip) {
  int64_t capability = 0;
  (void)chip.name.drop_front(3).getAsInteger(10, capability);
  return *llvm::find_if(kArchitectures, [&](const Architecture &each) {
    return each.capability == capability;
  });
}

Expected<ChipFacts> target::describeNVIDIAChips(StringRef chips) {
  llvm::SmallVector<Chip> all;
  bool isAlone = !chips.empty();
  if (chips.empty()) {
    llvm::append_range(all, kChips);
  } else {
    for (StringRef name : llvm::split(chips, '+')) {
      Expected<Chip> chip = lookUp(name);
      if (!chip)
        return chip.takeError();
      all.push_back(*chip);
      isAlone &= name == kWarpGroupChip;
    }
  }
  // What limits a schedule is the least of all chips. What only ranks schedules
  // is the largest chip's: blocks that fill it are more waves on a smaller one,
  // which costs little, but blocks for a smaller one leave it idle.
  Architecture least = getArchitecture(all.front());
  Chip largest = all.front();
  auto getLanes = [](const Chip &chip) {
    return chip.multiprocessors * getArchitecture(chip).lanes;
  };
  for (const Chip &chip : all) {
    const Architecture &each = getArchitecture(chip);
    least.capability = std::min(least.capability, each.capability);
    least.threads = std::min(least.threads, each.threads);
    least.blocks = std::min(least.blocks, each.blocks);
    least.sharedKiB = std::min(least.sharedKiB, each.sharedKiB);
    least.blockSharedKiB = std::min(least.blockSharedKiB, each.blockSharedKiB);
    if (chips.empty() ? chip.name == kReference
                      : getLanes(chip) > getLanes(largest))
      largest = chip;
  }
  ChipFacts result;
  auto add = [&](StringRef name, int64_t value) {
    if (value > 0)
      result.facts.push_back({name.str(), value});
  };
  add("multiprocessors", largest.multiprocessors);
  add("lanes", getArchitecture(largest).lanes);
  add("clock_mhz", largest.clockMHz);
  add("bandwidth", largest.gigabytesPerSecond * 1000000000);
  add("l2_bytes", largest.l2KiB * 1024);
  add("warp_size", kWarp);
  add("block_threads", kBlockThreads);
  add("multiprocessor_threads", least.threads);
  add("multiprocessor_blocks", least.blocks);
  add("registers", kRegisters);
  add("thread_registers", kThreadRegisters);
  add("shared_bytes", least.blockSharedKiB * 1024);
  add("static_shared_bytes", kStaticSharedBytes);
  add("multiprocessor_shared_bytes", least.sharedKiB * 1024);
  add("reserved_shared_bytes",
      least.capability >= 80 ? kReservedSharedBytes : 0);
  add("argument_bytes", kArgumentBytes);
  for (const Feature &feature : kFeatures)
    if (least.capability >= feature.capability)
      result.features.push_back(feature.name.str());
  if (isAlone)
    result.features.push_back(kWarpGroup.str());
  return result;
}
