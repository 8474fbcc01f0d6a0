//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options from the environment.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace coil::cudasim;

static uint64_t parseSize(const char *text, uint64_t otherwise) {
  if (!text || !*text)
    return otherwise;
  char *end;
  uint64_t value = strtoull(text, &end, 0);
  switch (*end) {
  case 'k':
  case 'K':
    return value << 10;
  case 'm':
  case 'M':
    return value << 20;
  case 'g':
  case 'G':
    return value << 30;
  default:
    return value;
  }
}

/// Calls `f` with each part of a list with commas.
template <class F>
static void forEach(const char *list, F f) {
  while (list && *list) {
    const char *comma = strchr(list, ',');
    f(comma ? std::string(list, comma) : std::string(list));
    list = comma ? comma + 1 : nullptr;
  }
}

Options Options::fromEnvironment() {
  Options o;
  auto is = [](const char *name) {
    const char *v = getenv(name);
    return v && *v && strcmp(v, "0") != 0;
  };
  o.threads =
      static_cast<unsigned>(parseSize(getenv("COIL_CUDA_SIM_THREADS"), 0));
  o.deterministic = is("COIL_CUDA_SIM_DETERMINISTIC");
  o.devices = static_cast<int>(std::clamp<uint64_t>(
      parseSize(getenv("COIL_CUDA_SIM_DEVICES"), 1), 1, maxDevices));
  o.memory = parseSize(getenv("COIL_CUDA_SIM_MEMORY"), o.memory);
  o.stepLimit = parseSize(getenv("COIL_CUDA_SIM_STEPS"), o.stepLimit);
  o.launchBlocking = is("COIL_CUDA_SIM_LAUNCH_BLOCKING");
  o.verbose = !is("COIL_CUDA_SIM_QUIET");
  o.trace = is("COIL_CUDA_SIM_TRACE");
  auto set = [&](const std::string &name, bool value) {
    if (name == "uninit-shared" || name == "all")
      o.uninitializedShared = value;
    if (name == "uninit-global" || name == "all")
      o.uninitializedGlobal = value;
    if (name == "race-shared" || name == "all")
      o.raceShared = value;
    if (name == "race-global" || name == "all")
      o.raceGlobal = value;
    if (name == "uninit-copy" || name == "all")
      o.uninitializedCopy = value;
    if (name != "uninit-shared" && name != "uninit-global" &&
        name != "race-shared" && name != "race-global" &&
        name != "uninit-copy" && name != "all")
      fprintf(stderr, "coil-cuda-sim: unknown check '%s'\n", name.c_str());
  };
  forEach(getenv("COIL_CUDA_SIM_STRICT"),
          [&](const std::string &name) { set(name, true); });
  forEach(getenv("COIL_CUDA_SIM_RELAX"),
          [&](const std::string &name) { set(name, false); });
  if (const char *v = getenv("COIL_CUDA_SIM_APPROX"))
    o.worstApproximation = strcmp(v, "worst") == 0;
  // name:call[+][:result]
  forEach(getenv("COIL_CUDA_SIM_FAIL"), [&](const std::string &text) {
    size_t colon = text.find(':');
    Failure f;
    f.call = 1;
    if (colon != std::string::npos) {
      char *end;
      f.call = strtoull(text.c_str() + colon + 1, &end, 10);
      if (*end == '+') {
        f.andLater = true;
        ++end;
      }
      if (*end == ':')
        f.result = atoi(end + 1);
    }
    o.failures[text.substr(0, colon)] = f;
  });
  return o;
}

const Options &coil::cudasim::options() {
  static const Options o = Options::fromEnvironment();
  return o;
}
