//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JITLink, object by object: all objects get their addresses before the first
// of them looks for its symbols.
//
//===----------------------------------------------------------------------===//

#include "HostLinker.h"

#include "coil/Runtime/HostABI.h"
#include "coil/Support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#if defined(__x86_64__)
#include "llvm/ExecutionEngine/JITLink/ELF_x86_64.h"
#elif defined(__aarch64__)
#include "llvm/ExecutionEngine/JITLink/ELF_aarch64.h"
#else
#error "JITLink's linker for objects of this processor is to be named here"
#endif
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"

#include <cassert>
#include <dlfcn.h>
#include <vector>

using namespace coil;
using namespace llvm;
using jitlink::JITLinkAsyncLookupContinuation;
using jitlink::JITLinkContext;
using jitlink::JITLinkMemoryManager;
using jitlink::LinkGraph;

/// What the contexts of all objects share.
struct HostLinker::Session {
  std::shared_ptr<orc::SymbolStringPool> names =
      std::make_shared<orc::SymbolStringPool>();
  std::unique_ptr<JITLinkMemoryManager> memory;
  std::vector<JITLinkMemoryManager::FinalizedAlloc> code;
  /// Objects with addresses, which wait for those of their symbols.
  struct Waiting {
    JITLinkContext::LookupMap symbols;
    std::unique_ptr<JITLinkAsyncLookupContinuation> go;
  };
  std::vector<Waiting> waiting;
  std::string errors;

  void fail(Error error) {
    errors += (errors.empty() ? "" : "; ") + toString(std::move(error));
  }
};

/// One object on its way.
class HostLinker::Context : public JITLinkContext {
public:
  explicit Context(HostLinker &linker)
      : JITLinkContext(/*JD=*/nullptr), linker(linker) {}

  JITLinkMemoryManager &getMemoryManager() override {
    return *linker.session->memory;
  }
  void notifyFailed(Error error) override {
    linker.session->fail(std::move(error));
  }
  Error notifyResolved(LinkGraph &graph) override {
    for (jitlink::Symbol *symbol : graph.defined_symbols()) {
      if (!symbol->hasName() || symbol->getScope() == jitlink::Scope::Local)
        continue;
      bool isNew = linker.defined
                       .try_emplace(*symbol->getName(),
                                    symbol->getAddress().toPtr<void *>())
                       .second;
      if (!isNew && symbol->getLinkage() == jitlink::Linkage::Strong)
        return makeError("two objects define '" + *symbol->getName() + "'");
    }
    return Error::success();
  }
  void lookup(const LookupMap &symbols,
              std::unique_ptr<JITLinkAsyncLookupContinuation> go) override {
    linker.session->waiting.push_back({symbols, std::move(go)});
  }
  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc code) override {
    linker.session->code.push_back(std::move(code));
  }

private:
  HostLinker &linker;
};

HostLinker::HostLinker() : session(std::make_unique<Session>()) {}

HostLinker::~HostLinker() {
  if (session->code.empty())
    return;
  session->memory->deallocate(std::move(session->code), [](Error error) {
    consumeError(std::move(error));
  });
}

void HostLinker::define(StringRef name, void *address) {
  given[name] = address;
}

/// The functions of the runtime, by name.
static const StringMap<void *> &getRuntimeSymbols() {
  static const StringMap<void *> symbols = [] {
    StringMap<void *> all;
    size_t count = 0;
    const coil_symbol *list = coil_runtime_symbols(&count);
    for (size_t i = 0; i < count; ++i)
      all[list[i].name] = const_cast<void *>(list[i].address);
    return all;
  }();
  return symbols;
}

/// The process, then what compiled mathematics calls. A program that needs a
/// library that is missing fails to link, by the symbol's name.
static void *findInLibraries(const std::string &name) {
  static void *const libraries[] = {dlopen(nullptr, RTLD_LAZY),
                                    dlopen("libm.so.6", RTLD_LAZY),
                                    dlopen("libmvec.so.1", RTLD_LAZY)};
  for (void *library : libraries)
    if (void *address = library ? dlsym(library, name.c_str()) : nullptr)
      return address;
  return nullptr;
}

void *HostLinker::find(StringRef name) const {
  for (const StringMap<void *> *symbols :
       {&defined, &given, &getRuntimeSymbols()})
    if (void *address = symbols->lookup(name))
      return address;
  return findInLibraries(name.str());
}

static Expected<std::unique_ptr<LinkGraph>>
readObject(MemoryBufferRef object,
           std::shared_ptr<orc::SymbolStringPool> names) {
#if defined(__x86_64__)
  return jitlink::createLinkGraphFromELFObject_x86_64(object, std::move(names));
#else
  return jitlink::createLinkGraphFromELFObject_aarch64(object,
                                                       std::move(names));
#endif
}

static void linkObject(std::unique_ptr<LinkGraph> graph,
                       std::unique_ptr<JITLinkContext> context) {
#if defined(__x86_64__)
  jitlink::link_ELF_x86_64(std::move(graph), std::move(context));
#else
  jitlink::link_ELF_aarch64(std::move(graph), std::move(context));
#endif
}

Error HostLinker::link(ArrayRef<MemoryBufferRef> objects) {
  assert(!session->memory && "links once");
  auto memory = jitlink::InProcessMemoryManager::Create();
  if (!memory)
    return memory.takeError();
  session->memory = std::move(*memory);
  for (MemoryBufferRef object : objects) {
    auto graph = readObject(object, session->names);
    if (!graph) {
      session->fail(graph.takeError());
      continue;
    }
    linkObject(std::move(*graph), std::make_unique<Context>(*this));
  }
  std::vector<Session::Waiting> waiting = std::move(session->waiting);
  StringSet<> missing;
  for (Session::Waiting &each : waiting)
    for (auto &[name, flags] : each.symbols)
      if (flags != jitlink::SymbolLookupFlags::WeaklyReferencedSymbol &&
          !find(*name))
        missing.insert(*name);
  if (!missing.empty()) {
    std::vector<StringRef> names(missing.keys().begin(), missing.keys().end());
    llvm::sort(names);
    session->fail(
        makeError("Symbols not found: [ " + llvm::join(names, ", ") + " ]"));
  }
  for (Session::Waiting &each : waiting) {
    if (!session->errors.empty()) {
      // What is linked half-way is freed; the reason is known.
      std::string reason = session->errors;
      each.go->run(makeError(reason));
      session->errors = std::move(reason);
      continue;
    }
    jitlink::AsyncLookupResult found;
    for (auto &[name, flags] : each.symbols)
      if (void *address = find(*name))
        found[name] = {orc::ExecutorAddr::fromPtr(address),
                       JITSymbolFlags::Exported};
    each.go->run(std::move(found));
  }
  if (!session->errors.empty())
    return makeError("cannot link the program: " + session->errors);
  return Error::success();
}
