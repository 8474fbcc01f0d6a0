//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <dlfcn.h>

using namespace coil::cudasim::test;

static const std::string header = ".version 8.0\n.target sm_90\n"
                                  ".address_size 64\n";

const Library &Library::get() {
  static const Library *library = [] {
    setenv("COIL_CUDA_SIM_QUIET", "1", 1);
    setenv("COIL_CUDA_SIM_STEPS", "4000000", 1);
    void *handle = dlopen(COIL_CUDA_SIM, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      fprintf(stderr, "%s\n", dlerror());
      abort();
    }
    auto *l = new Library;
    auto find = [&](auto &member, const char *name) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(
          dlsym(handle, name));
      if (!member) {
        fprintf(stderr, "no function '%s'\n", name);
        abort();
      }
    };
#define COIL_FIND(member, name, params) find(l->member, #name);
    COIL_CUDA_DRIVER_FUNCTIONS(COIL_FIND)
    COIL_CUDA_OPTIONAL_FUNCTIONS(COIL_FIND)
#undef COIL_FIND
    find(l->ctxReset, "cuDevicePrimaryCtxReset_v2");
    find(l->memHostRegister, "cuMemHostRegister_v2");
    find(l->getGlobal, "cuModuleGetGlobal_v2");
    find(l->graphGetNodes, "cuGraphGetNodes");
    find(l->launchCooperative, "cuLaunchCooperativeKernel");
    find(l->report, "coil_cuda_sim_report");
    l->init(0);
    return l;
  }();
  return *library;
}

void SimTest::SetUp() {
  ASSERT_EQ(cu.primaryCtxRetain(&context, 0), 0);
  ASSERT_EQ(cu.ctxPush(context), 0);
}

void SimTest::TearDown() {
  cu.ctxPop(&context);
  EXPECT_EQ(cu.primaryCtxRelease(0), 0);
}

CUdeviceptr SimTest::allocate(size_t bytes) {
  CUdeviceptr p = 0;
  EXPECT_EQ(cu.memAlloc(&p, bytes), 0);
  return p;
}

CUmodule SimTest::load(const std::string &body) {
  char text[1024] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {text, reinterpret_cast<void *>(sizeof(text))};
  std::string whole = header + body;
  CUmodule module = nullptr;
  CUresult result =
      cu.moduleLoadDataEx(&module, whole.c_str(), 2, options, values);
  log = text;
  return result ? nullptr : module;
}

CUresult SimTest::launch(const std::string &body, const Shape &s,
                         const std::vector<uint64_t> &arguments) {
  CUmodule module = load(body);
  EXPECT_TRUE(module) << log;
  CUfunction function = nullptr;
  if (!module || cu.moduleGetFunction(&function, module, "k"))
    return CUDA_ERROR_INVALID_PTX;
  std::vector<void *> params;
  for (const uint64_t &a : arguments)
    params.push_back(const_cast<uint64_t *>(&a));
  CUresult r =
      s.isCooperative
          ? cu.launchCooperative(function, s.grid[0], s.grid[1], s.grid[2],
                                 s.block[0], s.block[1], s.block[2], s.shared,
                                 nullptr, params.data())
          : cu.launchKernel(function, s.grid[0], s.grid[1], s.grid[2],
                            s.block[0], s.block[1], s.block[2], s.shared,
                            nullptr, params.data(), nullptr);
  if (r)
    return r;
  return cu.streamSynchronize(nullptr);
}

void SimTest::expectFault(const std::string &body, const Shape &shape,
                          const std::vector<uint64_t> &arguments,
                          CUresult result, const std::string &text) {
  EXPECT_EQ(launch(body, shape, arguments), result) << cu.report();
  EXPECT_THAT(cu.report(), ::testing::HasSubstr(text));
  EXPECT_THAT(cu.report(), ::testing::HasSubstr("PTX line"));
}

std::string SimTest::mapKernel(const std::string &statements, unsigned width,
                               const std::vector<unsigned> &widths) {
  auto type = [](unsigned w) { return ".b" + std::to_string(8 * w); };
  // Bytes are kept in registers of 16 bits.
  auto registerType = [&](unsigned w) { return type(w == 1 ? 2 : w); };
  std::string s = ".visible .entry k(.param .u64 to";
  for (size_t i = 0; i < widths.size(); ++i)
    s += ", .param .u64 from" + std::to_string(i);
  s += ") {\n.reg .pred p, q;\n.reg .b64 addr, at, rd<4>;\n"
       ".reg .b32 tid, ntid, cta, r<4>;\n.reg .b16 h<4>;\n";
  s += ".reg " + registerType(width) + " d, e, f, g;\n";
  s += "mov.u32 tid, %tid.x;\nmov.u32 ntid, %ntid.x;\n"
       "mov.u32 cta, %ctaid.x;\nmad.lo.u32 tid, cta, ntid, tid;\n";
  for (size_t i = 0; i < widths.size(); ++i) {
    std::string name(1, static_cast<char>('a' + i)),
        w = std::to_string(widths[i]);
    s += ".reg " + registerType(widths[i]) + " " + name + ";\n";
    s += "ld.param.u64 addr, [from" + std::to_string(i) + "];\n";
    s += "mul.wide.u32 at, tid, " + w + ";\nadd.s64 addr, addr, at;\n";
    s += "ld.global" + type(widths[i]) + " " + name + ", [addr];\n";
  }
  s += statements + "\nld.param.u64 addr, [to];\n";
  s += "mul.wide.u32 at, tid, " + std::to_string(width) +
       ";\nadd.s64 addr, addr, at;\n";
  s += "st.global" + type(width) + " [addr], d;\nret;\n}\n";
  return s;
}

void SimTest::run(const std::string &body, unsigned threads,
                  std::vector<uint64_t> arguments) {
  // As few blocks as hold exactly that many threads.
  unsigned blocks = 1;
  while (threads % blocks || threads / blocks > 1024)
    ++blocks;
  ASSERT_EQ(launch(body, Shape(threads / blocks, blocks), arguments), 0)
      << cu.report();
}
