//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places in the source, and handles of steps.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Analysis/Provenance.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

std::string Source::str() const {
  if (node.empty() || line.empty())
    return node + line;
  return node + " (" + line + ")";
}

namespace {
/// Each place once, in order.
class Places {
public:
  /// Adds what `location` says, below the name `node` if there is one.
  void collect(Location location, StringRef node);

  SmallVector<Source> list;

private:
  void insert(Source source) {
    if (known.insert(source.str()).second)
      list.push_back(std::move(source));
  }

  llvm::StringSet<> known;
};
} // namespace

void Places::collect(Location location, StringRef node) {
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    insert({node.str(), file.getFilename().getValue().str() + ":" +
                            std::to_string(file.getLine())});
  } else if (auto named = dyn_cast<NameLoc>(location)) {
    size_t before = list.size();
    collect(named.getChildLoc(), named.getName());
    if (list.size() == before && isa<UnknownLoc>(named.getChildLoc()))
      insert({named.getName().str(), ""});
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location inner : fused.getLocations())
      collect(inner, node);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collect(call.getCallee(), node);
    collect(call.getCaller(), node);
  } else if (auto opaque = dyn_cast<OpaqueLoc>(location)) {
    collect(opaque.getFallbackLocation(), node);
  }
}

SmallVector<Source> wrapper::getSources(Location location) {
  Places places;
  places.collect(location, "");
  return std::move(places.list);
}

std::string wrapper::findPlace(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return "";
  return found.getFilename().getValue().str() + ":" +
         std::to_string(found.getLine());
}

std::string wrapper::findOrigin(Location location) {
  std::string place = findPlace(location);
  if (!place.empty())
    return place;
  SmallVector<Source> sources = getSources(location);
  return sources.empty() || sources.front().node.empty()
             ? ""
             : "node '" + sources.front().node + "'";
}

CallHandles::CallHandles(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](ComputeOpInterface op) {
    numbers.try_emplace(op, static_cast<unsigned>(numbers.size()));
  });
}

std::string CallHandles::get(ComputeOpInterface op) const {
  return op.getComputeName() + ":" + std::to_string(numbers.at(op));
}
