//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices by warps, and asynchronous copies to shared memory.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace coil::cudasim::test;

namespace {

class MatrixTest : public SimTest {
protected:
  /// A kernel with a buffer in p, one byte of memory for each of `elements`,
  /// the thread in t, its word of the buffer in a and of the tile in s.
  static std::string kernel(const std::string &statements) {
    return R"(
.visible .entry k(.param .u64 buffer, .param .u64 result) {
  .reg .b64 p, q, a, o, rd<4>; .reg .b32 t, s, m, r<24>; .reg .f32 f<8>;
  .reg .f64 g<8>;
  .shared .align 16 .b8 tile[1024];
  ld.param.u64 p, [buffer];
  ld.param.u64 q, [result];
  mov.u32 t, %tid.x;
  mul.wide.u32 o, t, 4;
  add.s64 a, p, o;
  mov.u32 m, tile;
  mad.lo.u32 s, t, 4, m;
)" + statements +
           "\nret;\n}";
  }
  void bad(const std::string &statements, CUresult result,
           const std::string &text) {
    std::vector<uint32_t> words(64, 7);
    expectFault(kernel(statements), Shape(64), {upload(words), upload(words)},
                result, text);
    cu.ctxReset(0);
  }
  std::vector<uint32_t> good(const std::string &statements) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 64; ++i)
      words.push_back(100 + i);
    CUdeviceptr to = allocate(256);
    EXPECT_EQ(launch(kernel(statements), Shape(64), {upload(words), to}), 0)
        << cu.report();
    return download<uint32_t>(to, 64);
  }
};

const std::string copy = "cp.async.ca.shared.global [s], [a], 4;\n";
const std::string commit = "cp.async.commit_group;\n";
const std::string store = "add.s64 rd0, q, o; st.global.u32 [rd0], r0;\n";

TEST_F(MatrixTest, copiesAreDoneAfterTheWait) {
  auto words = good(copy + commit +
                    "cp.async.wait_group 0; ld.shared.u32 r0, [s];" + store);
  EXPECT_EQ(words[5], 105u);
  // The neighbour's word, after a barrier.
  words = good(copy +
               "cp.async.wait_all; bar.sync 0; xor.b32 s, s, 4;"
               "ld.shared.u32 r0, [s];" +
               store);
  EXPECT_EQ(words[5], 104u);
  // What is not read is zero, wherever it would be.
  words = good("mov.u32 r1, 0; cp.async.ca.shared.global [s], [0], 4, r1;"
               "cp.async.wait_all; ld.shared.u32 r0, [s];" +
               store);
  EXPECT_EQ(words[5], 0u);
  // The older of two groups.
  words =
      good(copy + commit + "cp.async.ca.shared.global [s+512], [a], 4;" +
           commit + "cp.async.wait_group 1; ld.shared.u32 r0, [s];" + store);
  EXPECT_EQ(words[5], 105u);
}

TEST_F(MatrixTest, findsCopiesThatNobodyWaitedFor) {
  std::string text = "its thread has not waited for it";
  bad(copy + "ld.shared.u32 r0, [s];", CUDA_ERROR_LAUNCH_FAILED, text);
  bad(copy + commit + "cp.async.wait_group 1; ld.shared.u32 r0, [s];",
      CUDA_ERROR_LAUNCH_FAILED, text);
  bad(copy + commit + "bar.sync 0; ld.shared.u32 r0, [s];",
      CUDA_ERROR_LAUNCH_FAILED, text);
  bad(copy + "st.shared.u32 [s], t;", CUDA_ERROR_LAUNCH_FAILED, text);
  bad(copy + copy, CUDA_ERROR_LAUNCH_FAILED, text);
  // Without a barrier only one's own copies are there.
  bad(copy + "cp.async.wait_all; xor.b32 s, s, 4; ld.shared.u32 r0, [s];",
      CUDA_ERROR_LAUNCH_FAILED, "race: a load");
  // A copy over what others may still read.
  bad("st.shared.u32 [s], t; bar.sync 0; xor.b32 r1, s, 4;"
      "ld.shared.u32 r0, [r1];" +
          copy,
      CUDA_ERROR_LAUNCH_FAILED, "race: a store");
  bad("cp.async.cg.shared.global [m], [p+4], 16;",
      CUDA_ERROR_MISALIGNED_ADDRESS,
      "misaligned source of an asynchronous copy");
}

TEST_F(MatrixTest, ldmatrix) {
  // Rows of 16 bytes, each element the number of its place.
  std::string fill =
      "shl.b32 r0, t, 1; add.u32 r1, r0, 1; shl.b32 r1, r1, 16;"
      "or.b32 r0, r0, r1; st.shared.u32 [s], r0;"
      "add.u32 r0, r0, 0x800080; st.shared.u32 [s+256], r0; bar.sync 0;"
      "and.b32 r2, t, 31; mad.lo.u32 r2, r2, 16, m;";
  std::string read = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{r4, r5, r6, r7}, [r2];";
  auto words = good(fill + read + "mov.u32 r0, r4;" + store);
  // Lane 13: row 3, elements 2 and 3.
  EXPECT_EQ(words[13], 26u | 27u << 16);
  words = good(fill + read + "mov.u32 r0, r7;" + store);
  EXPECT_EQ(words[13], (192u + 26) | (192u + 27) << 16);
  words = good(fill +
               "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{r4, r5, r6, r7}, [r2]; mov.u32 r0, r5;" +
               store);
  // Rows 2 and 3 of column 3.
  EXPECT_EQ(words[13], (64u + 19) | (64u + 27) << 16);
}

TEST_F(MatrixTest, multipliesHalves) {
  // a is the row's number everywhere, b the column's: sums are 16 * i * j.
  std::vector<uint16_t> small;
  for (int i = 0; i < 16; ++i)
    small.push_back(
        static_cast<uint16_t>(bitCast<uint32_t>(static_cast<float>(i)) >> 16));
  std::vector<uint32_t> words;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t low = small[lane / 4], high = small[lane / 4 + 8];
    words.insert(words.end(), {low | low << 16, high | high << 16});
  }
  std::string body = R"(
  mul.wide.u32 o, t, 8; add.s64 a, p, o;
  ld.global.v2.u32 {r0, r1}, [a];
  mov.f32 f0, 0f3F800000; mov.f32 f1, 0f00000000;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    {f4, f5, f6, f7}, {r0, r1, r0, r1}, {r0, r0}, {f0, f0, f1, f1};
  mul.wide.u32 o, t, 16; add.s64 rd0, q, o;
  st.global.v4.f32 [rd0], {f4, f5, f6, f7};
)";
  CUdeviceptr to = allocate(512);
  ASSERT_EQ(launch(kernel(body), Shape(32), {upload(words), to}), 0)
      << cu.report();
  auto result = download<float>(to, 128);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      EXPECT_EQ(result[static_cast<size_t>(lane * 4 + i)],
                static_cast<float>(16 * row * column + (i < 2)));
    }
}

/// Lane by lane the words of a and b of a product of 16 x 8 x `depth`, whose
/// elements are `left(row, k)` and `right(k, column)`.
template <typename Left, typename Right>
std::vector<uint32_t> getFragments(int depth, Left left, Right right) {
  std::vector<uint32_t> words;
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, in = lane % 4;
    for (int i = 0; i < depth / 2; ++i)
      words.push_back(
          bitCast<uint32_t>(left(group + i % 2 * 8, in + i / 2 * 4)));
    for (int i = 0; i < depth / 4; ++i)
      words.push_back(bitCast<uint32_t>(right(in + i * 4, group)));
  }
  return words;
}

TEST_F(MatrixTest, multipliesTF32) {
  auto left = [](int row, int k) { return static_cast<float>(row * 3 - k); };
  auto right = [](int k, int column) {
    return static_cast<float>(k * k + column) * 0.25f;
  };
  for (int depth : {4, 8}) {
    std::vector<uint32_t> words = getFragments(depth, left, right);
    // Bits that TF32 does not have do not count.
    for (uint32_t &word : words)
      word |= 0x1FFF;
    std::string body = depth == 8 ? R"(
  mul.wide.u32 o, t, 24; add.s64 a, p, o;
  ld.global.v2.u32 {r0, r1}, [a]; ld.global.v2.u32 {r2, r3}, [a+8];
  ld.global.v2.u32 {r4, r5}, [a+16];
  mov.f32 f0, 0f3F800000; mov.f32 f1, 0f00000000;
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
    {f4, f5, f6, f7}, {r0, r1, r2, r3}, {r4, r5}, {f0, f0, f1, f1};
)"
                                  : R"(
  mul.wide.u32 o, t, 12; add.s64 a, p, o;
  ld.global.u32 r0, [a]; ld.global.u32 r1, [a+4]; ld.global.u32 r4, [a+8];
  mov.f32 f0, 0f3F800000; mov.f32 f1, 0f00000000;
  mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32
    {f4, f5, f6, f7}, {r0, r1}, {r4}, {f0, f0, f1, f1};
)";
    body += R"(
  mul.wide.u32 o, t, 16; add.s64 rd0, q, o;
  st.global.v4.f32 [rd0], {f4, f5, f6, f7};
)";
    CUdeviceptr to = allocate(512);
    ASSERT_EQ(launch(kernel(body), Shape(32), {upload(words), to}), 0)
        << cu.report();
    auto result = download<float>(to, 128);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        float expected = i < 2;
        for (int k = 0; k < depth; ++k)
          expected += left(row, k) * right(k, column);
        EXPECT_EQ(result[static_cast<size_t>(lane * 4 + i)], expected)
            << depth << ", row " << row << ", column " << column;
      }
  }
}

TEST_F(MatrixTest, multipliesDoubles) {
  std::string body = R"(
  shr.u32 r0, t, 2; cvt.rn.f64.u32 g0, r0;
  mov.f64 g1, 0d3FF0000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
    {g2, g3}, {g0}, {g0}, {g1, g1};
  mul.wide.u32 o, t, 16; add.s64 rd0, q, o;
  st.global.v2.f64 [rd0], {g2, g3};
)";
  CUdeviceptr to = allocate(512);
  ASSERT_EQ(launch(kernel(body), Shape(32), {to, to}), 0) << cu.report();
  auto result = download<double>(to, 64);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(result[static_cast<size_t>(lane * 2 + i)],
                4 * (lane / 4) * (lane % 4 * 2 + i) + 1);
}

} // namespace
