//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rates of machines, and the table of steps beside them.
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"

#include "coil/Runtime/CUDA.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace coil;

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

MachineRates coil::measureHost() {
  // More than caches hold.
  constexpr int64_t bytes = int64_t(128) << 20, piece = int64_t(1) << 20;
  constexpr int repetitions = 5;
  MachineRates rates;
  coil_run *run = nullptr;
  void *from = nullptr, *to = nullptr;
  if (coil_run_create(&run) == COIL_OK &&
      coil_rt_alloc(run, bytes, &from) == COIL_OK &&
      coil_rt_alloc(run, bytes, &to) == COIL_OK) {
    std::memset(from, 1, size_t(bytes));
    std::pair<char *, const char *> places = {static_cast<char *>(to),
                                              static_cast<const char *>(from)};
    auto copy = [](void *context, int64_t begin, int64_t end) -> int32_t {
      auto [to, from] =
          *static_cast<std::pair<char *, const char *> *>(context);
      std::memcpy(to + begin, from + begin, size_t(end - begin));
      return COIL_OK;
    };
    double best = 0;
    for (int i = 0; i <= repetitions; ++i) {
      auto start = std::chrono::steady_clock::now();
      coil_parallel_for(bytes, piece, copy, &places);
      double seconds = std::chrono::duration<double>(
                           std::chrono::steady_clock::now() - start)
                           .count();
      // The first one meets fresh memory.
      if (i > 0)
        best = std::max(best, 2 * double(bytes) / seconds);
    }
    rates.bytes = {best, "copying 128 MiB, measured now"};
  }
  coil_run_destroy(run);
  return rates;
}

MachineRates coil::getDeviceRates(int32_t device) {
  coil_cuda_device_rates known;
  MachineRates rates;
  if (coil_cuda_get_device_rates(device, &known) != COIL_OK)
    return rates;
  rates.bytes = {known.bytes_per_second, "memory clock by bus width"};
  rates.flops = {known.flops_per_second, "clock by multiprocessors, f32"};
  rates.matrixFlops = {known.matrix_flops_per_second,
                       "the same for 16-bit matrix multiplication"};
  return rates;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

void StepTable::add(llvm::StringRef name, double microseconds,
                    const coil_cost &cost) {
  if (next == steps.size())
    steps.push_back({name.str(), microseconds, cost, {}});
  Step &step = steps[next++];
  step.all.push_back(microseconds);
  step.microseconds = std::min(step.microseconds, microseconds);
}

static std::string formatRate(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f", value * 1e-9);
  return text;
}

/// A number for a column, or n/a.
static std::string formatColumn(bool known, const char *format, double value) {
  if (!known)
    return "n/a";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

/// The part of the roofline that a step reaches, and which part of the machine
/// bounds it.
/// The part of the roofline that a step reaches, and whether operations bound
/// it; nothing where it is unknown.
static std::optional<std::pair<double, bool>>
getFraction(double seconds, const coil_cost &cost, const MachineRates &rates) {
  if (cost.bytes < 0 || seconds <= 0)
    return std::nullopt;
  double matrix = rates.matrixFlops.value > 0 ? double(cost.matrix_flops) : 0;
  auto getTime = [](double amount, double rate) {
    return rate > 0 ? amount / rate : 0;
  };
  double memory = getTime(double(cost.bytes), rates.bytes.value);
  double compute =
      std::max(getTime(double(cost.flops) - matrix, rates.flops.value),
               getTime(matrix, rates.matrixFlops.value));
  if (rates.bytes.value <= 0 && (rates.flops.value <= 0 || cost.flops <= 0))
    return std::nullopt;
  return std::pair(std::max(memory, compute) / seconds, compute > memory);
}

static std::string formatFraction(double seconds, const coil_cost &cost,
                                  const MachineRates &rates) {
  auto fraction = getFraction(seconds, cost, rates);
  return formatColumn(fraction.has_value(), "%.3f",
                      fraction ? fraction->first : 0) +
         (!fraction          ? ""
          : fraction->second ? " compute"
                             : " memory ");
}

std::vector<StepTime> StepTable::getTimes(const MachineRates &rates) const {
  std::vector<StepTime> times;
  for (const Step &step : steps) {
    StepTime &time = times.emplace_back();
    time.name = step.name;
    std::vector<double> all = step.all;
    llvm::sort(all);
    time.medianSeconds = all[all.size() / 2] * 1e-6;
    time.fastestSeconds = all.front() * 1e-6;
    if (auto fraction = getFraction(time.medianSeconds, step.cost, rates)) {
      time.roofline = fraction->first;
      time.isComputeBound = fraction->second;
    }
  }
  return times;
}

void StepTable::print(llvm::raw_ostream &os, llvm::StringRef where,
                      unsigned runs, const MachineRates &rates) const {
  os << "steps on the " << where << ", fastest of " << runs
     << (runs == 1 ? " run" : " runs") << "; roofline:\n";
  auto printRate = [&](const MachineRates::Rate &rate, const char *unit) {
    os << "  ";
    if (rate.value > 0)
      os << formatRate(rate.value) << " " << unit << " (" << rate.origin
         << ")\n";
    else
      os << unit << " n/a\n";
  };
  printRate(rates.bytes, "GB/s");
  printRate(rates.flops, "GFLOP/s");
  if (rates.matrixFlops.value > 0)
    printRate(rates.matrixFlops, "GFLOP/s");
  os << llvm::format("  %13s %14s %9s %10s %14s  %s\n", "time", "bytes", "GB/s",
                     "GFLOP/s", "roofline", "step");
  double total = 0;
  for (const Step &step : steps) {
    total += step.microseconds;
    double seconds = step.microseconds * 1e-6;
    bool known = step.cost.bytes >= 0, timed = known && seconds > 0;
    std::string bytes = known ? std::to_string(step.cost.bytes) : "n/a";
    std::string bandwidth =
        formatColumn(timed, "%.1f", double(step.cost.bytes) / seconds * 1e-9);
    std::string speed =
        formatColumn(timed, "%.1f", double(step.cost.flops) / seconds * 1e-9);
    std::string fraction = formatFraction(seconds, step.cost, rates);
    os << llvm::format("  %10.2f us %14s %9s %10s %14s  %s\n",
                       step.microseconds, bytes.c_str(), bandwidth.c_str(),
                       speed.c_str(), fraction.c_str(), step.name.c_str());
  }
  os << llvm::format("  %10.2f us together\n", total);
}
