//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps and copies of tiles, compared with what plain loops compute.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <cmath>
#include <functional>

using namespace coil::cudasim::test;

namespace {

struct alignas(64) Map {
  uint8_t bytes[128];
};

/// What a map is made of, the innermost dimension first; strides in bytes.
struct Layout {
  int type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  unsigned width = 2;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box, elementStrides;
  int swizzle = 0, fill = 0, interleave = 0;

  unsigned rank() const { return static_cast<unsigned>(sizes.size()); }
  unsigned step(unsigned d) const {
    return d && d < elementStrides.size() ? elementStrides[d] : 1;
  }
  unsigned count(unsigned d) const { return (box[d] + step(d) - 1) / step(d); }
  unsigned bytes() const {
    unsigned n = width;
    for (unsigned d = 0; d < rank(); ++d)
      n *= count(d);
    return n;
  }
};

class TensorMapTest : public SimTest {
protected:
  CUresult encode(const Layout &l, CUdeviceptr at, Map &map) {
    std::vector<uint32_t> steps = l.elementStrides;
    steps.resize(5, 1);
    return cu.tensorMapEncodeTiled(map.bytes, l.type, l.rank(),
                                   reinterpret_cast<void *>(at), l.sizes.data(),
                                   l.strides.data(), l.box.data(), steps.data(),
                                   l.interleave, l.swizzle, 2, l.fill);
  }

  /// Copies a tile to shared memory and all of that to `linear`, or the other
  /// way round.
  static std::string kernel(const Layout &l, bool isLoad,
                            const std::string &map = "") {
    std::string dims = std::to_string(l.rank()),
                bytes = std::to_string(l.bytes());
    std::string at = "[m, {c0";
    for (unsigned d = 1; d < l.rank(); ++d)
      at += ", c" + std::to_string(d);
    at += "}]";
    std::string wait = "wait:\nmbarrier.try_wait.parity.shared::cta.b64 p, "
                       "[bar], 0;\n@!p bra wait;\n";
    std::string expect =
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " + bytes + ";\n";
    std::string done = "cp.async.bulk.commit_group;\n"
                       "cp.async.bulk.wait_group 0;\n";
    std::string body =
        isLoad
            ? expect + "cp.async.bulk.tensor." + dims +
                  "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                  "[tile], " +
                  at + ", [bar];\n" + wait +
                  "cp.async.bulk.global.shared::cta.bulk_group [linear], "
                  "[tile], " +
                  bytes + ";\n" + done
            : expect +
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                  "bytes [tile], [linear], " +
                  bytes + ", [bar];\n" + wait + "cp.async.bulk.tensor." + dims +
                  "d.global.shared::cta.tile.bulk_group " + at + ", [tile];\n" +
                  done;
    return R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 plinear,
  .param .s32 p0, .param .s32 p1, .param .s32 p2, .param .s32 p3, .param .s32 p4) {
  .reg .b64 m, linear; .reg .b32 c<5>; .reg .pred p;
  .shared .align 1024 .b8 tile[16384];
  .shared .align 8 .b8 bar[8];
  ld.param.u64 linear, [plinear];
  ld.param.s32 c0, [p0];
  ld.param.s32 c1, [p1];
  ld.param.s32 c2, [p2];
  ld.param.s32 c3, [p3];
  ld.param.s32 c4, [p4];
  mov.b64 m, map;
  cvta.param.u64 m, m;
)" + map + R"(
  mbarrier.init.shared::cta.b64 [bar], 1;
  fence.proxy.async;
)" + body + "ret;\n}";
  }

  CUresult launchWith(const std::string &body, const Map &map,
                      CUdeviceptr linear, std::vector<int> at) {
    CUmodule module = load(body);
    EXPECT_TRUE(module) << log;
    CUfunction function = nullptr;
    if (!module || cu.moduleGetFunction(&function, module, "k"))
      return CUDA_ERROR_INVALID_PTX;
    at.resize(5);
    void *params[] = {const_cast<uint8_t *>(map.bytes),
                      &linear,
                      &at[0],
                      &at[1],
                      &at[2],
                      &at[3],
                      &at[4]};
    if (CUresult r = cu.launchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr,
                                     params, nullptr))
      return r;
    return cu.streamSynchronize(nullptr);
  }

  /// Memory of a tensor, with the number of each element in it.
  static std::vector<uint8_t> fillTensor(const Layout &l) {
    uint64_t end = l.sizes[0] * l.width;
    for (unsigned d = 1; d < l.rank(); ++d)
      end += (l.sizes[d] - 1) * l.strides[d - 1];
    std::vector<uint8_t> memory(end);
    for (uint64_t i = 0; i < end; ++i)
      memory[i] = static_cast<uint8_t>(i * 37 + i / 251 + 1);
    return memory;
  }

  /// Calls `f` with the place in the tensor (or -1) and in shared memory of
  /// each element of a tile.
  template <class F>
  static void forEach(const Layout &l, const std::vector<int> &at, F f) {
    unsigned total = l.bytes() / l.width;
    for (unsigned i = 0; i < total; ++i) {
      int64_t place = 0;
      bool isInside = true;
      unsigned rest = i;
      for (unsigned d = 0; d < l.rank(); ++d) {
        int64_t x = at[d] + int64_t(rest % l.count(d)) * l.step(d);
        rest /= l.count(d);
        isInside &= x >= 0 && x < int64_t(l.sizes[d]);
        place += x * int64_t(d ? l.strides[d - 1] : l.width);
      }
      unsigned offset = i * l.width;
      if (l.swizzle)
        offset ^= (offset >> 7 & ((1u << l.swizzle) - 1)) << 4;
      f(isInside ? place : -1, offset);
    }
  }

  void checkLoad(const Layout &l, const std::vector<int> &at) {
    std::vector<uint8_t> memory = fillTensor(l);
    CUdeviceptr from = upload(memory), to = allocate(l.bytes());
    Map map;
    ASSERT_EQ(encode(l, from, map), 0) << cu.report();
    ASSERT_EQ(launchWith(kernel(l, true), map, to, at), 0) << cu.report();
    auto result = download<uint8_t>(to, l.bytes());
    forEach(l, at, [&](int64_t place, unsigned offset) {
      for (unsigned b = 0; b < l.width; ++b)
        ASSERT_EQ(result[offset + b], place < 0 ? 0 : memory[place + b])
            << "at " << offset;
    });
  }

  void checkStore(const Layout &l, const std::vector<int> &at) {
    std::vector<uint8_t> memory = fillTensor(l), linear(l.bytes());
    for (size_t i = 0; i < linear.size(); ++i)
      linear[i] = static_cast<uint8_t>(i * 11 + 3);
    CUdeviceptr to = upload(memory);
    Map map;
    ASSERT_EQ(encode(l, to, map), 0) << cu.report();
    ASSERT_EQ(launchWith(kernel(l, false), map, upload(linear), at), 0)
        << cu.report();
    std::vector<uint8_t> expected = memory;
    forEach(l, at, [&](int64_t place, unsigned offset) {
      if (place >= 0)
        memcpy(&expected[place], &linear[offset], l.width);
    });
    ASSERT_EQ(download<uint8_t>(to, memory.size()), expected);
  }

  void check(const Layout &l, const std::vector<int> &at) {
    checkLoad(l, at);
    checkStore(l, at);
  }

  /// 20 rows of 40 elements of 16 bits, in tiles of 8 x 16.
  static Layout matrix() {
    Layout l;
    l.sizes = {40, 20};
    l.strides = {96};
    l.box = {16, 8};
    return l;
  }
};

TEST_F(TensorMapTest, copiesTiles) {
  check(matrix(), {0, 0});
  check(matrix(), {16, 8});
}

TEST_F(TensorMapTest, clipsTiles) {
  check(matrix(), {32, 16});
  check(matrix(), {-5, -3});
  check(matrix(), {39, 19});
  check(matrix(), {40, 0});
  check(matrix(), {0, -8});
}

TEST_F(TensorMapTest, swizzles) {
  for (int swizzle = 1; swizzle <= 3; ++swizzle) {
    Layout l = matrix();
    l.sizes = {100, 50};
    l.strides = {208};
    l.swizzle = swizzle;
    l.box = {(16u << swizzle) / 2, 32};
    check(l, {0, 0});
    check(l, {70, 30});
  }
}

TEST_F(TensorMapTest, hasOneToFiveDimensions) {
  Layout l;
  l.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  l.width = 4;
  l.sizes = {50};
  l.box = {32};
  check(l, {20});
  for (uint64_t size : {7, 5, 4, 3}) {
    l.strides.push_back(l.strides.empty() ? 208
                                          : l.strides.back() * l.sizes.back());
    l.sizes.push_back(size);
    l.box.push_back(2);
    l.box[0] = 8;
    std::vector<int> at(l.rank(), 1);
    check(l, at);
    at[l.rank() - 1] = int(size) - 1;
    at[0] = 45;
    check(l, at);
  }
}

TEST_F(TensorMapTest, hasElementsOfEverySize) {
  for (auto [type, width] : {std::pair(0, 1u), {1, 2u}, {3, 4u}, {5, 8u}}) {
    Layout l;
    l.type = type;
    l.width = width;
    l.sizes = {37, 9};
    l.strides = {320};
    l.box = {16, 4};
    check(l, {30, 7});
  }
}

TEST_F(TensorMapTest, takesEverySoManyRows) {
  Layout l = matrix();
  l.elementStrides = {1, 3};
  check(l, {0, 1});
  check(l, {32, 14});
}

TEST_F(TensorMapTest, fillsWithNaNs) {
  Layout l;
  l.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  l.width = 4;
  l.sizes = {6};
  l.box = {8};
  l.fill = 1;
  CUdeviceptr from = upload(std::vector<float>(6, 2.0f)), to = allocate(32);
  Map map;
  ASSERT_EQ(encode(l, from, map), 0);
  ASSERT_EQ(launchWith(kernel(l, true), map, to, {0}), 0) << cu.report();
  auto result = download<float>(to, 8);
  EXPECT_EQ(result[5], 2.0f);
  EXPECT_TRUE(std::isnan(result[6]) && std::isnan(result[7]));
}

TEST_F(TensorMapTest, knowsTheRulesOfTheDriver) {
  CUdeviceptr p = allocate(4096);
  Map map;
  auto bad = [&](const std::function<void(Layout &)> &change,
                 CUresult result = CUDA_ERROR_INVALID_VALUE,
                 CUdeviceptr at = 0) {
    Layout l = matrix();
    change(l);
    EXPECT_EQ(encode(l, at ? at : p, map), result);
  };
  bad([](Layout &) {}, CUDA_SUCCESS);
  bad([](Layout &) {}, CUDA_ERROR_INVALID_VALUE, p + 8);
  bad([](Layout &l) { l.type = 13; });
  bad([](Layout &l) { l.sizes[1] = 0; });
  bad([](Layout &l) { l.strides[0] = 88; });
  bad([](Layout &l) { l.box[1] = 257; });
  bad([](Layout &l) { l.box[0] = 12; });
  bad([](Layout &l) { l.elementStrides = {1, 9}; });
  bad([](Layout &l) { l.swizzle = 1, l.box[0] = 32; });
  bad([](Layout &l) { l.fill = 1; });
  bad([](Layout &l) { l.interleave = 1; });
  // What the simulator does not execute.
  bad([](Layout &l) { l.swizzle = 2; }, 801);
  Map *shifted = reinterpret_cast<Map *>(map.bytes + 16);
  EXPECT_EQ(encode(matrix(), p, *shifted), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMapTest, findsMistakes) {
  Layout l = matrix();
  auto bad = [&](const std::string &body, const std::string &text,
                 CUresult result,
                 const std::function<void(Map &)> &change = {}) {
    CUdeviceptr from = upload(fillTensor(l)), to = allocate(l.bytes());
    Map map;
    EXPECT_EQ(encode(l, from, map), 0);
    if (change)
      change(map);
    EXPECT_EQ(launchWith(body, map, to, {0, 0}), result);
    EXPECT_THAT(cu.report(), ::testing::HasSubstr(text));
    EXPECT_THAT(cu.report(), ::testing::HasSubstr("PTX line"));
    cu.ctxReset(0);
  };
  std::string good = kernel(l, true);
  auto replaced = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  bad(good, "what the copy is given is no tensor map", CUDA_ERROR_LAUNCH_FAILED,
      [](Map &map) { map.bytes[50] ^= 1; });
  bad(replaced("[tile], [m", "[tile+64], [m"),
      "misaligned address of a tile in shared memory",
      CUDA_ERROR_MISALIGNED_ADDRESS);
  bad(replaced("tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
               "bytes [tile], [m, {c0, c1}]",
               "tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::"
               "bytes [tile], [m, {c0}]"),
      "a tensor map of 2 dimensions for a copy of 1", CUDA_ERROR_LAUNCH_FAILED);
  bad(replaced(", 256;", ", 128;"), "has 128 bytes more than it expects",
      CUDA_ERROR_LAUNCH_TIMEOUT);
  bad(kernel(l, true, "add.s64 m, m, 16;"), "is no multiple of 64",
      CUDA_ERROR_MISALIGNED_ADDRESS);
  bad(kernel(l, true,
             ".local .align 64 .b8 copy[128]; mov.b64 m, copy; "
             "cvta.local.u64 m, m;"),
      "has to be a parameter or in global memory", CUDA_ERROR_ILLEGAL_ADDRESS);
  // A map of more than there is.
  l.sizes[1] = 40;
  Layout large = l;
  l.sizes[1] = 4;
  CUdeviceptr from = upload(fillTensor(l)), to = allocate(l.bytes());
  Map map;
  ASSERT_EQ(encode(large, from, map), 0);
  EXPECT_EQ(launchWith(good, map, to, {0, 0}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(cu.report(), ::testing::HasSubstr("outside every allocation"));
}

} // namespace
