//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares what a run owns with what its memory plan says.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "coil/Runtime/HostABI.h"

#include <algorithm>
#include <string_view>

using namespace coil::rt;

/// Addresses may be stale, so they are looked up and not followed.
static bool isOwned(coil_run *run, void *address) {
  for (Block *block = run->blocks; block; block = block->next)
    if (block->data() == address)
      return true;
  for (const coil_run::GroupMemory &memory : run->groupMemory)
    if (memory.address == address)
      return true;
  return ownsCudaMemory(run, address);
}

static int32_t failAt(const char *function, const char *step,
                      std::string_view name, const char *what) {
  return fail(COIL_ASSERTION_FAILED, "after '%s' in '%s': buffer '%.*s' %s",
              step, function, int(name.size()), name.data(), what);
}

extern "C" int32_t coil_rt_check_lifetime(coil_run *run, int32_t mode,
                                          const char *function,
                                          const char *step, int64_t count,
                                          const char *names,
                                          void *const *addresses) {
  return guarded([&]() -> int32_t {
    std::vector<coil_run::Seen> &seen = run->seen;
    auto isOurs = [&](const coil_run::Seen &entry) {
      return entry.function == function;
    };
    if (mode == COIL_LIFETIME_BEGIN)
      seen.erase(std::remove_if(seen.begin(), seen.end(), isOurs), seen.end());
    std::string_view rest = names;
    std::vector<coil_run::Seen> alive;
    for (int64_t i = 0; i < count; ++i) {
      size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view name = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!isOwned(run, addresses[i]))
        return failAt(function, step, name, "is not allocated any more");
      alive.push_back({function, std::string(name), addresses[i]});
    }
    auto isAlive = [&](const coil_run::Seen &entry) {
      return std::any_of(alive.begin(), alive.end(), [&](const auto &other) {
        return other.address == entry.address;
      });
    };
    if (mode == COIL_LIFETIME_EXACT) {
      for (const coil_run::Seen &entry : seen)
        if (isOurs(entry) && !isAlive(entry) && isOwned(run, entry.address))
          return failAt(function, step, entry.name, "is still allocated");
      seen.erase(std::remove_if(seen.begin(), seen.end(), isOurs), seen.end());
    } else {
      seen.erase(std::remove_if(seen.begin(), seen.end(),
                                [&](const coil_run::Seen &entry) {
                                  return isOurs(entry) && isAlive(entry);
                                }),
                 seen.end());
    }
    seen.insert(seen.end(), alive.begin(), alive.end());
    return COIL_OK;
  });
}
