//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of tiles for contractions.
//
//===----------------------------------------------------------------------===//

#include "SelectMma.h"

#include "ContractionForm.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {
/// Tiles of a block, its warps, and which part of `kProducts` they reach.
struct Tiles {
  int64_t m, n, k;
  int64_t warpsM, warpsN, warpsK;
  double speed;
};
} // namespace

/// For halves on tensor cores. Warps of 64 x 64 read the least shared memory
/// for each product, and leave 128 registers for sums.
static constexpr Tiles kHalfTiles[] = {
    {128, 256, 64, 2, 4, 1, 1.0}, {256, 128, 64, 4, 2, 1, 1.0},
    {128, 128, 64, 2, 2, 1, 0.9}, {128, 64, 64, 2, 2, 1, 0.7},
    {64, 128, 64, 2, 2, 1, 0.7},  {64, 64, 64, 2, 2, 1, 0.5},
    {32, 64, 64, 1, 2, 2, 0.35},  {64, 32, 64, 2, 1, 2, 0.35},
    {32, 32, 64, 1, 1, 4, 0.25},  {16, 64, 64, 1, 1, 4, 0.25},
    {64, 16, 64, 1, 1, 4, 0.25},  {16, 32, 128, 1, 1, 4, 0.18},
    {32, 16, 128, 1, 1, 4, 0.18}, {16, 16, 128, 1, 1, 4, 0.12}};
/// The same by `wgmma`, which takes nothing from shared memory to registers.
/// Two blocks of the first run on a processor: one stores while the other
/// multiplies.
static constexpr Tiles kGroupTiles[] = {{128, 128, 64, 8, 1, 1, 1.4},
                                        {64, 128, 64, 4, 1, 1, 1.05},
                                        {64, 64, 64, 4, 1, 1, 0.7}};
/// The same where tiles pass through registers, of which a thread then has 16
/// elements of each factor at most.
static constexpr Tiles kLoadedHalfTiles[] = {
    {128, 128, 32, 2, 4, 1, 0.5}, {128, 64, 32, 4, 2, 1, 0.4},
    {64, 128, 32, 2, 4, 1, 0.4},  {64, 64, 32, 2, 2, 1, 0.3},
    {32, 64, 32, 1, 2, 2, 0.2},   {64, 32, 32, 2, 1, 2, 0.2},
    {32, 32, 64, 1, 1, 4, 0.12},  {16, 64, 32, 1, 2, 2, 0.12},
    {64, 16, 32, 2, 1, 2, 0.12},  {16, 16, 64, 1, 1, 4, 0.06}};
/// For floats rounded to TF32: half as many elements in the same bytes, and
/// half as many products.
static constexpr Tiles kTF32Tiles[] = {
    {128, 256, 32, 2, 4, 1, 0.5},  {256, 128, 32, 4, 2, 1, 0.5},
    {128, 128, 32, 2, 2, 1, 0.45}, {128, 64, 32, 2, 2, 1, 0.35},
    {64, 128, 32, 2, 2, 1, 0.35},  {64, 64, 32, 2, 2, 1, 0.25},
    {32, 64, 32, 1, 2, 2, 0.17},   {64, 32, 32, 2, 1, 2, 0.17},
    {32, 32, 32, 1, 1, 4, 0.12},   {16, 64, 32, 1, 1, 4, 0.12},
    {64, 16, 32, 1, 1, 4, 0.12},   {16, 32, 64, 1, 1, 4, 0.09},
    {32, 16, 64, 1, 1, 4, 0.09},   {16, 16, 64, 1, 1, 4, 0.06}};
/// The same through registers, of which a thread then has 8 elements of each
/// factor at most.
static constexpr Tiles kLoadedTF32Tiles[] = {
    {128, 128, 16, 2, 4, 1, 0.25}, {128, 64, 16, 4, 2, 1, 0.2},
    {64, 128, 16, 2, 4, 1, 0.2},   {64, 64, 16, 2, 2, 1, 0.15},
    {32, 64, 16, 1, 2, 2, 0.1},    {64, 32, 16, 2, 1, 2, 0.1},
    {32, 32, 32, 1, 1, 4, 0.06},   {16, 64, 16, 1, 2, 2, 0.06},
    {64, 16, 16, 2, 1, 2, 0.06},   {16, 16, 32, 1, 1, 4, 0.03}};
/// For doubles on tensor cores.
static constexpr Tiles kDoubleTiles[] = {
    {128, 64, 16, 4, 2, 1, 0.12}, {64, 128, 16, 2, 4, 1, 0.12},
    {64, 64, 16, 2, 2, 1, 0.1},   {32, 64, 16, 2, 2, 1, 0.08},
    {64, 32, 16, 2, 2, 1, 0.08},  {32, 32, 16, 2, 2, 1, 0.05},
    {16, 32, 32, 1, 1, 4, 0.03},  {32, 16, 32, 1, 1, 4, 0.03},
    {16, 16, 32, 1, 1, 4, 0.02}};
/// For ordinary instructions: up to 8 x 8 results for each thread.
static constexpr Tiles kFmaTiles[] = {
    {128, 128, 16, 4, 2, 1, 0.1}, {128, 64, 16, 4, 2, 1, 0.08},
    {64, 128, 16, 2, 4, 1, 0.08}, {64, 64, 16, 2, 2, 1, 0.07},
    {32, 64, 16, 2, 2, 1, 0.05},  {64, 32, 16, 2, 2, 1, 0.05},
    {32, 32, 16, 2, 2, 1, 0.035}, {16, 32, 32, 1, 1, 4, 0.02},
    {32, 16, 32, 1, 1, 4, 0.02},  {16, 16, 32, 1, 1, 4, 0.015}};

/// Fewest rows or columns that are worth tiles: of factors that are copied, and
/// of others; fewest of the other side, and of summed points.
static constexpr double kMinCopiedSide = 2, kMinSide = 8, kMinOther = 16,
                        kMinK = 16;
/// Sizes that nobody knows are likely to be larger than an example.
static constexpr double kUnknownSize = 512;
/// Products that a processor takes in a cycle at full speed; bytes that it
/// loads in a cycle, and cycles from one load to its data.
static constexpr double kProducts = 1024, kBytes = 48, kLatency = 1000;
/// Summed points that filling the pipeline and storing the results cost as much
/// as.
static constexpr double kFixedK = 192;
/// Rows of tiles whose blocks run side by side.
static constexpr int64_t kGroup = 8;
/// Most stages of a pipeline: more are no faster.
static constexpr int64_t kMaxStages = 4;

std::optional<MmaChoice> coil::loop::selectMma(KernelOp kernel,
                                               const GPUKernelLayout &layout,
                                               const GPUFacts &chip) {
  // The instructions of tiles, and their threads, are PTX's.
  if (!chip.has("ptx"))
    return std::nullopt;
  // Without, there are neither asynchronous copies nor the instructions that
  // are used for matrices.
  bool isNew = chip.has("async_copies") && chip.has("matrix_units");
  std::optional<ContractionForm> form =
      ContractionForm::match(kernel, layout, isNew, /*widen=*/!isNew);
  if (!form)
    return std::nullopt;
  Hints hints(kernel);
  sym::Context facts = sym::Context::forOp(kernel);
  auto points = [&](ArrayRef<unsigned> dims) {
    sym::ExprAttr total = getNumPoints(kernel, dims);
    double hint = hints(total);
    if (total.isConstant())
      return hint;
    auto most = static_cast<double>(facts.bounds(total).hi);
    return std::max(hint, std::min(kUnknownSize, most));
  };
  double m = points(form->a.dims), n = points(form->b.dims),
         k = points(form->k), batch = points(form->batch);
  bool copies = form->a.async && form->b.async;
  if (std::min(m, n) < (copies ? kMinCopiedSide : kMinSide) ||
      std::max(m, n) < kMinOther || k < kMinK)
    return std::nullopt;

  Type sum = form->reduce.getType();
  MmaInstruction instruction = MmaInstruction::Fma;
  ArrayRef<Tiles> tiles = kFmaTiles;
  if (isNew && form->isHalf) {
    instruction = MmaInstruction::M16N8K16;
    tiles = copies ? ArrayRef(kHalfTiles) : ArrayRef(kLoadedHalfTiles);
  } else if (isNew && sum.isF32() && form->reduce.getTf32()) {
    instruction = MmaInstruction::M16N8K8;
    tiles = copies ? ArrayRef(kTF32Tiles) : ArrayRef(kLoadedTF32Tiles);
  } else if (isNew && sum.isF64()) {
    instruction = MmaInstruction::M8N8K4;
    tiles = kDoubleTiles;
  } else if (form->isHalf) {
    form = ContractionForm::match(kernel, layout, isNew, /*widen=*/true);
  }

  bool anyAsync = form->a.async || form->b.async;
  int64_t sumBytes = sum.getIntOrFloatBitWidth() / 8;
  int64_t room = chip.blockSharedBytes;
  const Tiles *best = nullptr;
  double bestTime = std::numeric_limits<double>::max();
  int64_t bestStages = 2;
  auto consider = [&](const Tiles &t, MmaInstruction by) {
    int64_t stageBytes =
        (t.m * form->a.getBytes() + t.n * form->b.getBytes()) * t.k;
    // Rows of sums have two chunks of padding.
    int64_t resultBytes = t.warpsK * t.m * (t.n * sumBytes + 2 * kChunkBytes);
    if (2 * stageBytes > room || resultBytes > room)
      return;
    double blocks = batch * std::ceil(m / static_cast<double>(t.m)) *
                    std::ceil(n / static_cast<double>(t.n));
    int64_t stages =
        anyAsync ? std::min({kMaxStages, room / stageBytes}) : int64_t(2);
    // A processor's blocks share its speed.
    double rounds = std::max(
        1.0, std::ceil(blocks / static_cast<double>(chip.multiprocessors)));
    double length = k + kFixedK;
    double products = static_cast<double>(t.m * t.n) / (t.speed * kProducts);
    int64_t blockBytes = std::max(stages * stageBytes, resultBytes);
    int64_t threads = t.warpsM * t.warpsN * t.warpsK * chip.warpSize;
    double resident =
        std::min(rounds, static_cast<double>(std::min(room / blockBytes,
                                                      chip.threads / threads)));
    double rate = std::min(
        kBytes,
        resident * static_cast<double>((stages - 1) * stageBytes) / kLatency);
    double loads = static_cast<double>(stageBytes / t.k) / rate;
    double time = rounds * length * std::max(products, loads);
    if (time >= bestTime)
      return;
    best = &t;
    bestTime = time;
    bestStages = stages;
    instruction = by;
  };
  MmaInstruction usual = instruction;
  for (const Tiles &t : tiles)
    consider(t, usual);
  if (chip.has("wgmma") && usual == MmaInstruction::M16N8K16 && copies)
    for (const Tiles &t : kGroupTiles)
      consider(t, MmaInstruction::Wgmma);
  if (!best)
    return std::nullopt;
  // Stages that leave room for a second block, where registers do.
  int64_t stageBytes =
      (best->m * form->a.getBytes() + best->n * form->b.getBytes()) * best->k;
  while (bestStages > 3 && best->m * best->n <= 128 * 128 &&
         bestStages * stageBytes > room / 2)
    --bestStages;

  MmaChoice choice;
  choice.mma = MmaAttr::get(kernel.getContext(), instruction, best->m, best->n,
                            best->k, best->warpsM, best->warpsN, best->warpsK,
                            bestStages, anyAsync, kGroup);
  choice.vectorDim = form->vectorDim;
  choice.width = form->width;
  int64_t threads = choice.mma.getNumWarps() * chip.warpSize;
  // The assembler would give up registers for a third block that is no use.
  if (instruction == MmaInstruction::Fma && threads == 256 &&
      best->m * best->n < 128 * 128)
    choice.minBlocks = 2;
  while (choice.items < 4 &&
         choice.items * 2 * threads * choice.width <= best->m * best->n)
    choice.items *= 2;
  return choice;
}
