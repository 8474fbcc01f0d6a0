//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, loops, calls and special registers.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace coil::cudasim::test;

namespace {

class ControlTest : public SimTest {};

TEST_F(ControlTest, divergesAndJoins) {
  // Each lane loops as often as its number says: sums of the numbers below it.
  std::vector<uint32_t> a(64), want;
  for (uint32_t i = 0; i < 64; ++i) {
    a[i] = (i * 13) % 50;
    want.push_back(a[i] % 2 ? 1000 : a[i] * (a[i] - 1) / 2);
  }
  EXPECT_EQ(map<uint32_t>(R"(
  mov.u32 d, 0;
  mov.u32 r0, 0;
  and.b32 r1, a, 1;
  setp.eq.u32 q, r1, 1;
  @q bra odd;
loop:
  setp.ge.u32 p, r0, a;
  @p bra end;
  add.u32 d, d, r0;
  add.u32 r0, r0, 1;
  bra.uni loop;
odd:
  mov.u32 d, 1000;
end:)",
                          a),
            want);
}

TEST_F(ControlTest, branchesByIndex) {
  std::vector<uint32_t> a = {2, 0, 1, 2, 1, 0};
  EXPECT_EQ(map<uint32_t>(R"(
targets: .branchtargets zero, one, two;
  brx.idx a, targets;
zero:
  mov.u32 d, 100;
  bra end;
one:
  mov.u32 d, 101;
  bra end;
two:
  mov.u32 d, 102;
end:)",
                          a),
            (std::vector<uint32_t>{102, 100, 101, 102, 101, 100}));
}

TEST_F(ControlTest, scopesRegistersAndLabels) {
  EXPECT_EQ(map<uint32_t>(R"(
  mov.u32 r0, 1;
  {
    .reg .b32 r0; .reg .b32 %t<5>;
    mov.u32 r0, 50;
    mov.u32 %t4, r0;
  here:
    add.u32 d, %t4, a;
    bra out;
  out:
  }
  add.u32 d, d, r0;)",
                          std::vector<uint32_t>{1, 2}),
            (std::vector<uint32_t>{52, 53}));
}

TEST_F(ControlTest, callsFunctions) {
  CUdeviceptr to = allocate(128);
  ASSERT_EQ(launch(R"(
.func (.param .b32 result) square(.param .b32 x);
.func (.param .b32 result) twice(.param .b32 x, .param .align 4 .b8 more[8]) {
  .reg .b32 r, s;
  ld.param.b32 r, [x];
  { .param .b32 in; .param .b32 out;
    st.param.b32 [in], r;
    call.uni (out), square, (in);
    ld.param.b32 r, [out]; }
  ld.param.b32 s, [more+4];
  add.u32 r, r, s;
  st.param.b32 [result], r;
  ret;
}
.func (.param .b32 result) square(.param .b32 x) {
  .reg .b32 r; .reg .pred p;
  ld.param.b32 r, [x];
  setp.gt.u32 p, r, 20;
  @p bra large;
  mul.lo.u32 r, r, r;
  st.param.b32 [result], r;
  ret;
large:
  st.param.b32 [result], 0;
  ret;
}
.visible .entry k(.param .u64 to) {
  .reg .b64 p, o; .reg .b32 t, r; .reg .pred q;
  mov.u32 t, %tid.x;
  mov.u32 r, 77;
  setp.ne.u32 q, t, 3;
  @!q bra skip;
  { .param .b32 in; .param .align 4 .b8 more[8]; .param .b32 out;
    st.param.b32 [in], t;
    st.param.b32 [more], 0;
    st.param.b32 [more+4], 5;
    call (out), twice, (in, more);
    ld.param.b32 r, [out]; }
skip:
  ld.param.u64 p, [to];
  mul.wide.u32 o, t, 4;
  add.s64 p, p, o;
  st.global.u32 [p], r;
  ret;
})",
                   32, {to}),
            0)
      << cu.report();
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i)
    want.push_back(i == 3 ? 77 : (i > 20 ? 0 : i * i) + 5);
  EXPECT_EQ(download<uint32_t>(to, 32), want);
}

TEST_F(ControlTest, knowsWhereItIs) {
  CUdeviceptr to = allocate(2 * 3 * 4 * 12 * 4);
  Shape shape;
  unsigned grid[] = {2, 1, 1}, block[] = {3, 4, 1};
  memcpy(shape.grid, grid, sizeof(grid));
  memcpy(shape.block, block, sizeof(block));
  ASSERT_EQ(launch(R"(
.visible .entry k(.param .u64 to) {
  .reg .b64 p, o; .reg .b32 x, y, c, n, t, r<8>;
  mov.u32 x, %tid.x; mov.u32 y, %tid.y; mov.u32 c, %ctaid.x;
  mov.u32 n, %ntid.x;
  mad.lo.u32 t, y, n, x;
  mad.lo.u32 t, c, 12, t;
  ld.param.u64 p, [to];
  mul.wide.u32 o, t, 32;
  add.s64 p, p, o;
  mov.u32 r0, %ntid.y; mov.u32 r1, %nctaid.x; mov.u32 r2, %laneid;
  mov.u32 r3, %lanemask_lt;
  st.global.v4.u32 [p], {x, y, c, r0};
  st.global.v4.u32 [p+16], {r1, r2, r3, t};
  ret;
})",
                   shape, {to}),
            0)
      << cu.report();
  auto r = download<uint32_t>(to, 24 * 8);
  for (uint32_t c = 0; c < 2; ++c)
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 3; ++x) {
        uint32_t lane = y * 3 + x, t = c * 12 + lane;
        std::vector<uint32_t> got(r.begin() + t * 8, r.begin() + t * 8 + 8);
        EXPECT_EQ(got, (std::vector<uint32_t>{x, y, c, 4, 2, lane,
                                              (1u << lane) - 1, t}));
      }
}

TEST_F(ControlTest, refusesWhatItDoesNotKnow) {
  auto refuse = [&](const std::string &statement, const std::string &text) {
    EXPECT_FALSE(load(".visible .entry k() {\n.reg .b32 r<4>; .reg .f32 f;\n"
                      ".reg .b64 l;\n" +
                      statement + "\nret;\n}"));
    EXPECT_THAT(log, ::testing::HasSubstr(text));
  };
  refuse("frob.u32 r0, r1;", "line 7: unknown instruction 'frob.u32'");
  refuse("add.frob.u32 r0, r1, r2;", "frob");
  refuse("add.u32 r0, r1, r9;", "r9");
  refuse("add.u32 r0, r1;", "operands");
  refuse("add.u32 r0, l, r1;", "'l' has 64 bits");
  refuse("bra nowhere;", "unknown label 'nowhere'");
  refuse("mul.u32 r0, r1, r2;", "mul.u32");
  refuse("cvt.s32.f32 r0, f;", "cvt.s32.f32");
  refuse("add.u32 r0, r1 r2;", "line 7");
  refuse("ld.global.u32 r0, [l];\ngriddepcontrol.wait;",
         "line 7: global memory is accessed before griddepcontrol.wait");
  refuse("griddepcontrol.wait;\nld.global.nc.u32 r0, [l];",
         "line 8: a load past coherence can be moved before");
}

} // namespace
