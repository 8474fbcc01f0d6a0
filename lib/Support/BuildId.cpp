//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Build ids from the notes of loaded libraries.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/BuildId.h"

#include "coil/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <link.h>

using namespace coil;
using namespace llvm;

/// The build id in a segment of notes, or nothing. In a segment that is aligned
/// to 8 bytes, so are the notes.
static ArrayRef<uint8_t> findInNotes(ArrayRef<uint8_t> notes,
                                     uint64_t alignment) {
  alignment = std::max<uint64_t>(alignment, 4);
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof(head));
    uint64_t name = sizeof(head),
             bytes = name + alignTo(head.n_namesz, alignment),
             end = bytes + alignTo(head.n_descsz, alignment);
    if (end > notes.size())
      return {};
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return notes.slice(bytes, head.n_descsz);
    notes = notes.drop_front(end);
  }
  return {};
}

namespace {
/// A library that is looked for, and what was found of it.
struct Wanted {
  explicit Wanted(const void *address)
      : address(reinterpret_cast<uintptr_t>(address)) {}
  uintptr_t address;
  ArrayRef<uint8_t> id;
  std::string file;
};
} // namespace

/// Called for each loaded library.
static int visit(dl_phdr_info *info, size_t, void *user) {
  ArrayRef<ElfW(Phdr)> segments(info->dlpi_phdr, info->dlpi_phnum);
  for (Wanted &wanted : *static_cast<SmallVectorImpl<Wanted> *>(user)) {
    bool isHere = any_of(segments, [&](const ElfW(Phdr) & segment) {
      uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      return segment.p_type == PT_LOAD && wanted.address >= begin &&
             wanted.address - begin < segment.p_memsz;
    });
    if (!isHere)
      continue;
    wanted.file = info->dlpi_name;
    for (const ElfW(Phdr) &segment : segments)
      if (segment.p_type == PT_NOTE && wanted.id.empty())
        wanted.id = findInNotes({reinterpret_cast<const uint8_t *>(
                                     info->dlpi_addr + segment.p_vaddr),
                                 segment.p_memsz},
                                segment.p_align);
  }
  return 0;
}

Expected<std::string> coil::getBuildId(ArrayRef<const void *> addresses) {
  SmallVector<Wanted> wanted;
  wanted.emplace_back(reinterpret_cast<const void *>(&findInNotes));
  for (const void *address : addresses)
    wanted.emplace_back(address);
  dl_iterate_phdr(visit, &wanted);
  SmallVector<std::string> ids;
  for (const Wanted &each : wanted) {
    if (each.id.empty())
      return makeError("'" + each.file + "' has no build id");
    std::string id = toHex(each.id, /*LowerCase=*/true);
    if (!is_contained(ids, id))
      ids.push_back(std::move(id));
  }
  return join(ids, "+");
}
