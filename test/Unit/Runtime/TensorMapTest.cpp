//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps. The driver for tests makes none, as one of before CUDA 12.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

#include <cstring>

namespace {

class TensorMapTest : public CUDATest {
protected:
  /// 4 rows of 8 floats in tiles of 2 x 4.
  coil_tensor_map matrix() {
    coil_tensor_map d = {};
    d.struct_size = sizeof(d);
    d.dtype = COIL_F32;
    d.rank = 2;
    int64_t numbers[4][2] = {{4, 8}, {8, 1}, {2, 4}, {1, 1}};
    memcpy(d.sizes, numbers[0], 16);
    memcpy(d.strides, numbers[1], 16);
    memcpy(d.box, numbers[2], 16);
    memcpy(d.element_strides, numbers[3], 16);
    d.where = "model.py:7";
    return d;
  }
  const void *encode(const coil_tensor_map &d, void *address) {
    const void *map = nullptr;
    EXPECT_EQ(coil_rt_tensor_map_cuda(run, &d, address, &map), COIL_OK)
        << coil_last_error();
    return map;
  }
  void expectError(const coil_tensor_map &d, void *address, const char *text) {
    const void *map = nullptr;
    EXPECT_EQ(coil_rt_tensor_map_cuda(run, &d, address, &map),
              COIL_INVALID_ARGUMENT);
    EXPECT_STREQ(coil_last_error(), (std::string(text) +
                                     ", in wrapper.tma_descriptor (model.py:7)")
                                        .c_str());
  }
};

TEST_F(TensorMapTest, saysWhenTheDriverMakesNone) {
  if (simulated)
    GTEST_SKIP() << "the simulator does";
  coil_tensor_map d = matrix();
  const void *map = nullptr;
  EXPECT_EQ(coil_rt_tensor_map_cuda(run, &d, alloc(128), &map),
            COIL_UNAVAILABLE);
  EXPECT_STREQ(coil_last_error(),
               "the CUDA driver makes no tensor maps: it has no function "
               "'cuTensorMapEncodeTiled', in wrapper.tma_descriptor "
               "(model.py:7)");
}

TEST_F(TensorMapTest, makesOneForEachAddress) {
  if (!simulated)
    GTEST_SKIP() << "the driver for tests makes none";
  coil_tensor_map d = matrix();
  void *a = alloc(128), *b = alloc(128);
  const void *map = encode(d, a);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(map) % 64, 0u);
  // What is behind the rank, and the place, make no difference.
  d.sizes[3] = 17;
  d.where = nullptr;
  EXPECT_EQ(encode(d, a), map);
  const void *other = encode(d, b);
  EXPECT_NE(other, map);
  EXPECT_NE(memcmp(other, map, 128), 0);
  d.swizzle = 1;
  d.box[1] = 8;
  EXPECT_NE(encode(d, a), map);
  // The first one is still there.
  coil_tensor_map again = matrix();
  EXPECT_EQ(encode(again, a), map);
}

TEST_F(TensorMapTest, looksAtNoStrideAlongOneElement) {
  if (!simulated)
    GTEST_SKIP() << "the driver for tests makes none";
  coil_tensor_map d = matrix();
  d.sizes[0] = 1;
  d.strides[0] = 3;
  encode(d, alloc(128));
  d = matrix();
  d.sizes[1] = 1;
  d.strides[1] = 5;
  encode(d, alloc(128));
}

TEST_F(TensorMapTest, saysWhatIsWrong) {
  if (!simulated)
    GTEST_SKIP() << "the driver for tests makes none";
  void *a = alloc(256);
  coil_tensor_map d = matrix();
  d.dtype = 99;
  expectError(d, a, "a tensor map of rank 2 and dtype 99 is impossible");
  d = matrix();
  d.rank = 6;
  expectError(d, a, "a tensor map of rank 6 and dtype 11 is impossible");
  d = matrix();
  d.sizes[0] = 0;
  expectError(d, a,
              "dimension 0 has the size 0, but a tensor map takes 1 to 2^32");
  d = matrix();
  d.strides[1] = 2;
  expectError(d, a, "the innermost stride is 2, but a tensor map needs 1");
  d = matrix();
  d.strides[0] = 10;
  expectError(d, a,
              "dimension 0 has a stride of 10 elements of 4 bytes, but a "
              "tensor map needs a positive multiple of 16 bytes, less than "
              "2^40");
  d = matrix();
  const void *map = nullptr;
  EXPECT_EQ(coil_rt_tensor_map_cuda(run, &d, static_cast<char *>(a) + 8, &map),
            COIL_INVALID_ARGUMENT);
  EXPECT_NE(
      strstr(coil_last_error(), "but a tensor map needs a multiple of 16"),
      nullptr)
      << coil_last_error();
  // What only the driver refuses.
  d.box[1] = 3;
  EXPECT_NE(coil_rt_tensor_map_cuda(run, &d, a, &map), COIL_OK);
  EXPECT_NE(strstr(coil_last_error(), "cannot make a tensor map: "), nullptr)
      << coil_last_error();
}

} // namespace
