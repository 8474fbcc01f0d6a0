//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's own kernels. They are PTX, so that the runtime needs neither a
// compiler nor images for each chip.
//
//===----------------------------------------------------------------------===//

#include "Pack.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {

enum Kind { Clear, Pack, Copy };

/// What a kernel is for. Divisions of 64 bits take several times as long as
/// those of 32, and as many are needed as there are dimensions but one.
struct Variant {
  Kind kind = Clear;
  int bytes = 1;
  int rank = 1;
  bool isNarrow = false; ///< Numbers of elements have 32 bits.

  auto key() const { return std::make_tuple(kind, bytes, rank, isNarrow); }
  int getNumBuffers() const { return kind == Clear ? 1 : 2; }
  int getNumSymbols() const { return 1 + (kind == Copy ? 3 : 2) * rank; }
};

/// A kernel, which has an image of its own: few are used.
struct CopyKernel {
  std::string name, text;
  coil_cuda_kernel kernel = {};

  explicit CopyKernel(const Variant &v);
};

} // namespace

/// A thread computes the element number `index` of the dense side and the place
/// of it on the strided side, whose parameters are the count, the sizes and
/// the strides; for copies there are the strides of the target behind them.
CopyKernel::CopyKernel(const Variant &v) {
  const char *kinds[] = {"coil_clear_", "coil_pack_", "coil_copy_"};
  name = kinds[v.kind] + std::to_string(v.bytes) + "_" +
         std::to_string(v.rank) + (v.isNarrow ? "n" : "");
  text = ".version 6.4\n.target sm_75\n.address_size 64\n";
  auto line = [&](const std::string &s) { text += "  " + s + ";\n"; };
  std::string bits = ".b" + std::to_string(8 * v.bytes);
  std::string value = v.bytes == 8 ? "%d20" : v.bytes == 4 ? "%r4" : "%h1";
  int buffers = v.getNumBuffers();
  text += ".visible .entry " + name + "(";
  for (int i = 0; i < buffers + v.getNumSymbols(); ++i)
    text += (i ? ", .param .u64 a" : ".param .u64 a") + std::to_string(i);
  text += ")\n{\n";
  line(".reg .pred %p1");
  line(".reg .b16 %h<2>");
  line(".reg .b32 %r<8>");
  line(".reg .b64 %d<23>");
  line("mov.u32 %r1, %ctaid.x");
  line("mov.u32 %r2, %ntid.x");
  line("mov.u32 %r3, %tid.x");
  line("mul.wide.u32 %d1, %r1, %r2");
  line("cvt.u64.u32 %d2, %r3");
  line("add.s64 %d1, %d1, %d2");
  line("ld.param.u64 %d3, [a" + std::to_string(buffers) + "]");
  line("setp.ge.u64 %p1, %d1, %d3");
  line("@%p1 bra DONE");
  line("mov.u64 %d4, %d1");
  line("mov.u64 %d5, 0");
  line("mov.u64 %d21, 0");
  if (v.isNarrow)
    line("cvt.u32.u64 %r5, %d1");
  for (int d = v.rank; d-- > 0;) {
    auto load = [&](const std::string &to, int list) {
      line("ld.param.u64 " + to + ", [a" +
           std::to_string(buffers + 1 + list * v.rank + d) + "]");
    };
    load("%d7", 1);
    // Of the outermost dimension what is left is the position.
    if (d == 0) {
      line(v.isNarrow ? "cvt.u64.u32 %d8, %r5" : "mov.u64 %d8, %d4");
    } else if (v.isNarrow) {
      load("%d6", 0);
      line("cvt.u32.u64 %r6, %d6");
      line("rem.u32 %r7, %r5, %r6");
      line("div.u32 %r5, %r5, %r6");
      line("cvt.u64.u32 %d8, %r7");
    } else {
      load("%d6", 0);
      line("rem.u64 %d8, %d4, %d6");
      line("div.u64 %d4, %d4, %d6");
    }
    if (v.kind == Copy) {
      load("%d22", 2);
      line("mul.lo.s64 %d22, %d8, %d22");
      line("add.s64 %d21, %d21, %d22");
    }
    line("mul.lo.s64 %d8, %d8, %d7");
    line("add.s64 %d5, %d5, %d8");
  }
  std::string size = std::to_string(v.bytes);
  line("ld.param.u64 %d9, [a0]");
  line("mul.lo.s64 %d5, %d5, " + size);
  if (v.kind != Clear) {
    line("ld.param.u64 %d10, [a1]");
    line("add.s64 %d10, %d10, %d5");
    line("ld.global" + bits + " " + value + ", [%d10]");
    std::string index = v.kind == Copy ? "%d21" : "%d1";
    line("mul.lo.s64 " + index + ", " + index + ", " + size);
    line("add.s64 %d9, %d9, " + index);
  } else {
    line("mov" + (v.bytes == 1 ? ".b16" : bits) + " " + value + ", 0");
    line("add.s64 %d9, %d9, %d5");
  }
  line("st.global" + bits + " [%d9], " + value);
  text += "DONE:\n  ret;\n}\n";
  kernel.struct_size = sizeof(kernel);
  kernel.name = name.c_str();
  kernel.image = text.c_str();
  kernel.image_size = text.size() + 1;
  kernel.num_buffers = buffers;
  kernel.num_symbols = v.getNumSymbols();
  kernel.block[0] = 256;
  kernel.block[1] = kernel.block[2] = 1;
}

/// The kernel for a purpose, which stays where it is.
static coil_cuda_kernel &getKernel(const Variant &variant) {
  static std::mutex mutex;
  static auto *kernels =
      new std::map<decltype(variant.key()), std::unique_ptr<CopyKernel>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CopyKernel> &made = (*kernels)[variant.key()];
  if (!made)
    made = std::make_unique<CopyKernel>(variant);
  return made->kernel;
}

static int32_t launch(RunState &state, Kind kind, void *const *buffers,
                      int64_t element, const PackShape &shape,
                      const int64_t *targetStrides = nullptr) {
  if (element != 1 && element != 2 && element != 4 && element != 8)
    return fail(COIL_UNSUPPORTED, "cannot move elements of %d bytes",
                int(element));
  Variant variant;
  variant.kind = kind;
  variant.bytes = int(element);
  variant.rank = std::max(shape.rank, 1);
  int64_t symbols[1 + 3 * PackShape::maxRank];
  int64_t count = 1;
  bool isEmpty = shape.rank == 0;
  for (int d = 0, rank = variant.rank; d < rank; ++d) {
    symbols[1 + d] = isEmpty ? 1 : shape.sizes[d];
    symbols[1 + rank + d] = isEmpty ? 0 : shape.strides[d];
    symbols[1 + 2 * rank + d] =
        isEmpty || !targetStrides ? 0 : targetStrides[d];
    count *= symbols[1 + d];
  }
  symbols[0] = count;
  variant.isNarrow = count <= UINT32_MAX;
  return launchOwn(state, getKernel(variant), buffers, symbols, count);
}

int32_t coil::rt::cuda::launchOwn(RunState &state, coil_cuda_kernel &kernel,
                                  void *const *buffers, const int64_t *symbols,
                                  int64_t threads) {
  if (threads == 0)
    return COIL_OK;
  // The state need not be the one that its run works with.
  RunState *working = std::exchange(state.run->cuda, &state);
  int32_t status = coil_rt_launch_cuda(state.run, &kernel, buffers, symbols,
                                       (threads + 255) / 256, 1, 1);
  state.run->cuda = working;
  return status;
}

int32_t coil::rt::cuda::pack(RunState &state, void *to, const void *from,
                             int64_t element, const PackShape &shape) {
  void *buffers[] = {to, const_cast<void *>(from)};
  return launch(state, Pack, buffers, element, shape);
}

int32_t coil::rt::cuda::copyStrided(RunState &state, void *to,
                                    const int64_t *targetStrides,
                                    const void *from, int64_t element,
                                    const PackShape &shape) {
  void *buffers[] = {to, const_cast<void *>(from)};
  return launch(state, Copy, buffers, element, shape, targetStrides);
}

int32_t coil::rt::cuda::copyElements(RunState &state, void *to,
                                     std::vector<int64_t> targetStrides,
                                     const void *from,
                                     std::vector<int64_t> strides,
                                     std::vector<int64_t> sizes,
                                     int64_t element) {
  if (element == 16) {
    for (std::vector<int64_t> *list : {&targetStrides, &strides}) {
      for (int64_t &stride : *list)
        stride *= 2;
      list->push_back(1);
    }
    sizes.push_back(2);
    element = 8;
  }
  // Joined dimensions, the innermost last.
  size_t rank = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0)
      return COIL_OK;
    if (sizes[d] == 1)
      continue;
    bool joins = rank && strides[rank - 1] == strides[d] * sizes[d] &&
                 targetStrides[rank - 1] == targetStrides[d] * sizes[d];
    size_t at = joins ? rank - 1 : rank++;
    sizes[at] = (joins ? sizes[at] : 1) * sizes[d];
    strides[at] = strides[d];
    targetStrides[at] = targetStrides[d];
  }
  size_t outer = rank > PackShape::maxRank ? rank - PackShape::maxRank : 0;
  PackShape shape;
  for (size_t d = outer; d < rank; ++d)
    shape.add(sizes[d], strides[d]);
  std::vector<int64_t> index(outer, 0);
  auto *source = static_cast<const char *>(from);
  auto *target = static_cast<char *>(to);
  for (;;) {
    int64_t offset = 0, targetOffset = 0;
    for (size_t d = 0; d < outer; ++d) {
      offset += index[d] * strides[d];
      targetOffset += index[d] * targetStrides[d];
    }
    if (int32_t status = copyStrided(state, target + targetOffset * element,
                                     targetStrides.data() + outer,
                                     source + offset * element, element, shape))
      return status;
    size_t d = outer;
    while (d > 0 && ++index[d - 1] == sizes[d - 1])
      index[--d] = 0;
    if (d == 0)
      return COIL_OK;
  }
}

int32_t coil::rt::cuda::clear(RunState &state, void *to, int64_t element,
                              const PackShape &shape) {
  return launch(state, Clear, &to, element, shape);
}
