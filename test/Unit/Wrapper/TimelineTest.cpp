//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes in use by step, against an array.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Analysis/Timeline.h"

#include <gtest/gtest.h>

#include <random>

using namespace coil::wrapper;

TEST(TimelineTest, AgreesWithAnArray) {
  std::mt19937 random(1);
  for (size_t steps : {1u, 2u, 7u, 64u, 100u}) {
    Timeline timeline(steps);
    std::vector<int64_t> bytes(steps);
    std::uniform_int_distribution<size_t> step(0, steps);
    std::uniform_int_distribution<int64_t> amount(-50, 100);
    for (int i = 0; i < 200; ++i) {
      size_t begin = step(random), end = step(random);
      if (end < begin)
        std::swap(begin, end);
      int64_t value = amount(random);
      timeline.add(begin, end, value);
      for (size_t s = begin; s < end; ++s)
        bytes[s] += value;

      begin = step(random);
      end = step(random);
      if (end < begin)
        std::swap(begin, end);
      int64_t most = 0;
      size_t at = end;
      for (size_t s = begin; s < end; ++s)
        if (bytes[s] > most) {
          most = bytes[s];
          at = s;
        }
      EXPECT_EQ(timeline.max(begin, end), most);
      EXPECT_EQ(timeline.find(begin, end), std::pair(most, at));
    }
  }
}

TEST(TimelineTest, NothingIsInUseInNoSteps) {
  Timeline timeline(4);
  timeline.add(2, 2, 10);
  EXPECT_EQ(timeline.max(0, 4), 0);
  timeline.add(1, 3, 10);
  EXPECT_EQ(timeline.max(3, 4), 0);
  EXPECT_EQ(timeline.max(2, 2), 0);
  EXPECT_EQ(timeline.find(0, 4), (std::pair<int64_t, size_t>(10, 1)));
}
