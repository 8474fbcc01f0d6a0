//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What COIL_CUDA_SIM_* environment variables choose.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_OPTIONS_H
#define COIL_TEST_LIB_CUDASIM_OPTIONS_H

#include <cstdint>
#include <map>
#include <string>

namespace coil::cudasim {

/// The most devices that there can be.
constexpr int maxDevices = 8;

struct Options {
  /// Host threads that execute blocks; 0: as many as there are cores.
  unsigned threads = 0;
  /// Run blocks in order on one thread even if their order does not show.
  bool deterministic = false;
  /// How many devices there are.
  int devices = 1;
  /// Size of the memory, which all devices share.
  uint64_t memory = 16ull << 30;
  /// Thread instructions that one block may execute.
  uint64_t stepLimit = 4ull << 30;
  /// Return a fault from the launch, not only from the next synchronisation.
  bool launchBlocking = false;
  /// Print reports to stderr.
  bool verbose = true;
  /// Print every launch to stderr.
  bool trace = false;

  // Checks, each of which COIL_CUDA_SIM_RELAX can turn off by its name.
  bool uninitializedShared = true; ///< uninit-shared
  bool uninitializedGlobal = true; ///< uninit-global
  bool raceShared = true;          ///< race-shared
  bool raceGlobal = true;          ///< race-global
  // Checks that COIL_CUDA_SIM_STRICT can turn on.
  bool uninitializedCopy = false; ///< uninit-copy

  /// Approximate instructions are off by their largest documented error
  /// instead of correctly rounded.
  bool worstApproximation = false;

  /// Driver function -> which call of it fails, 1 for the first (injected), and
  /// with which result.
  struct Failure {
    uint64_t call = 0;
    int result = 0;
    bool andLater = false;
  };
  std::map<std::string, Failure> failures;

  /// Reads the environment.
  static Options fromEnvironment();
};

/// The options of this process.
const Options &options();

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_OPTIONS_H
