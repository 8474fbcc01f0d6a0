//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks into packages, checks and compares them, and gives them other weights.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "coil/Import/Package.h"
#include "coil/Package/Package.h"
#include "coil/Support/HostTensor.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/TensorText.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
namespace cl = llvm::cl;

static cl::SubCommand inspectCommand("inspect", "Say what a package holds");
static cl::SubCommand
    verifyCommand("verify", "Compare every byte of a package with its hashes");
static cl::SubCommand
    diffCommand("diff", "Say in what two packages differ; exit status 1 if so");
static cl::SubCommand updateCommand(
    "update-constants",
    "Write a package with other weights: all of those that it has, by name, "
    "with the same element types and sizes");

static cl::SubCommand
    mergeCommand("merge", "Write a package of the same program for several "
                          "processors, of which loading takes the best");

static cl::list<std::string> parts(cl::Positional, cl::OneOrMore,
                                   cl::desc("<packages.coilpkg>"),
                                   cl::sub(mergeCommand));
static cl::opt<std::string> package(cl::Positional, cl::Required,
                                    cl::desc("<package.coilpkg>"),
                                    cl::sub(inspectCommand),
                                    cl::sub(verifyCommand));
static cl::opt<std::string> first(cl::Positional, cl::Required,
                                  cl::desc("<package.coilpkg>"),
                                  cl::sub(diffCommand), cl::sub(updateCommand));
static cl::opt<std::string> second(cl::Positional, cl::Required,
                                   cl::desc("<other.coilpkg>"),
                                   cl::sub(diffCommand));
static cl::opt<std::string> weightsFile(cl::Positional, cl::Required,
                                        cl::desc("<weights.pt2>"),
                                        cl::sub(updateCommand));
static cl::opt<std::string> output("o", cl::Required, cl::value_desc("file"),
                                   cl::desc("Package to write"),
                                   cl::sub(updateCommand),
                                   cl::sub(mergeCommand));

static constexpr llvm::StringLiteral overview =
    R"(Packages: compiled programs with their weights.

  coil-compile model.pt2 -o model.coilpkg
  coil-package inspect model.coilpkg
  coil-package verify model.coilpkg
  coil-package update-constants model.coilpkg trained.pt2 -o trained.coilpkg
  coil-package diff model.coilpkg trained.coilpkg
  coil-package merge here.coilpkg there.coilpkg -o both.coilpkg

Exit status: 0 success, 1 packages differ, 2 bad command line or an output that
cannot be written, 3 a file cannot be read.
)";

static int report(int status, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coil-package") << message << '\n';
  return status;
}

static uint64_t getBytes(const ProgramPackage &package, llvm::StringRef kind) {
  uint64_t bytes = 0;
  for (const PackageRecord &record : package.records)
    if (llvm::StringRef(record.name).starts_with(kind))
      bytes += record.bytes;
  return bytes;
}

static void printTensors(llvm::raw_ostream &os, llvm::StringRef title,
                         llvm::ArrayRef<TensorSpec> specs) {
  os << title << '\n';
  for (const TensorSpec &spec : specs)
    if (spec.isPassed())
      os << "  " << (spec.name.empty() ? "-" : spec.name) << ": " << spec.str()
         << '\n';
}

static std::string getType(const PackageWeight &weight) {
  std::string text;
  for (int64_t size : weight.sizes)
    text += std::to_string(size) + "x";
  return text + coil_dtype_name(weight.dtype);
}

static void inspect(llvm::raw_ostream &os, const ProgramVariant &variant) {
  const ProgramImage &main = *variant.main;
  uint64_t bytes = 0, kernelBytes = 0;
  for (const ProgramImage *image : {variant.main.get(), variant.prepare.get()})
    if (image) {
      for (const HostObject &object : image->objects)
        bytes += object.code->getBufferSize();
      for (const DeviceObject &kernel : image->kernels)
        kernelBytes += kernel.code.size();
    }
  os << "code\n  " << variant.kernelsBefore << " kernels before fusion, "
     << variant.launches << " launches and " << variant.libraryCalls
     << " library calls after\n  " << main.triple << ", " << main.cpu << ": "
     << main.objects.size() << " objects, " << bytes << " bytes\n";
  if (!main.kernels.empty())
    os << "  GPU: " << main.kernels.size() << " kernels for " << getChip(main)
       << (main.kernels.front().isText ? ", PTX, " : ", machine code, ")
       << kernelBytes << " bytes\n";
  llvm::SmallVector<llvm::StringRef> steps;
  llvm::StringRef(main.provenance).split(steps, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef step : steps) {
    auto [handle, sources] = step.split('\t');
    os << "  step " << handle << ": ";
    if (sources.empty())
      os << "of unknown source";
    for (char c : sources) {
      if (c == '\t')
        os << ", ";
      else
        os << c;
    }
    os << '\n';
  }
  if (variant.prepare)
    os << "  " << variant.prepare->signature.getOutputs().size()
       << " buffers are made once, of weights alone\n";
}

static int inspect(const ProgramPackage &package) {
  llvm::raw_ostream &os = llvm::outs();
  const Signature &signature = package.variants.front().main->signature;
  os << "function '" << package.function << "', made by Coil "
     << package.version << '\n';
  printTensors(os, "inputs", signature.getInputs());
  printTensors(os, "outputs", signature.getOutputs());
  if (!signature.getSymbols().empty())
    os << "symbols\n";
  for (const SymbolSpec &symbol : signature.getSymbols()) {
    os << "  " << symbol.name << ": " << symbol.min << " to ";
    if (symbol.max == INT64_MAX)
      os << "any";
    else
      os << symbol.max;
    os << '\n';
  }
  for (const ProgramVariant &variant : package.variants)
    inspect(os, variant);
  os << "weights: " << package.weights.size() << ", "
     << getBytes(package, "weights/") << " bytes\n";
  for (const PackageWeight &weight : package.weights)
    os << "  " << weight.name << ": " << getType(weight) << '\n';
  return 0;
}

namespace {
/// Counts and prints differences.
class Differences {
public:
  void add(const llvm::Twine &text) {
    llvm::outs() << text << '\n';
    ++count;
  }
  template <typename T>
  void compare(const llvm::Twine &what, const T &a, const T &b) {
    if (a != b)
      add(what + ": " + llvm::Twine(a) + " and " + llvm::Twine(b));
  }
  int getStatus() const { return count ? 1 : 0; }

private:
  unsigned count = 0;
};
} // namespace

static std::string getText(llvm::ArrayRef<TensorSpec> specs) {
  std::string text;
  for (const TensorSpec &spec : specs)
    if (spec.isPassed())
      text += (text.empty() ? "" : ", ") + spec.str();
  return text;
}

static void diffCode(Differences &out, llvm::StringRef what,
                     const ProgramImage *a, const ProgramImage *b) {
  out.compare(what + " is there", unsigned(a != nullptr),
              unsigned(b != nullptr));
  if (!a || !b)
    return;
  out.compare(what + ", inputs", getText(a->signature.getInputs()),
              getText(b->signature.getInputs()));
  out.compare(what + ", outputs", getText(a->signature.getOutputs()),
              getText(b->signature.getOutputs()));
  out.compare(what + ", processor", a->cpu, b->cpu);
  out.compare(what + ", features", a->features, b->features);
  out.compare(what + ", chip", getChip(*a), getChip(*b));
  out.compare(what + ", objects", unsigned(a->objects.size()),
              unsigned(b->objects.size()));
  out.compare(what + ", GPU kernels", unsigned(a->kernels.size()),
              unsigned(b->kernels.size()));
  // Their numbers may differ, which is said above; what both have is compared.
  size_t number = 0;
  for (auto [x, y] : llvm::zip(a->objects, b->objects)) {
    if (x.code->getBuffer() != y.code->getBuffer())
      out.add(what + ": object " + llvm::Twine(number) + " differs");
    ++number;
  }
  for (auto [x, y] : llvm::zip(a->kernels, b->kernels)) {
    if (x.function != y.function)
      out.add(what + ": kernel '" + x.function + "' and '" + y.function + "'");
    else if (x.code != y.code)
      out.add(what + ": kernel '" + x.function + "' differs");
  }
}

static int diff(const ProgramPackage &a, const ProgramPackage &b) {
  Differences out;
  out.compare("function", a.function, b.function);
  out.compare("variants", a.variants.size(), b.variants.size());
  size_t number = 0;
  for (auto [x, y] : llvm::zip(a.variants, b.variants)) {
    std::string suffix = number ? " " + std::to_string(number + 1) : "";
    diffCode(out, "program" + suffix, x.main.get(), y.main.get());
    diffCode(out, "preparation" + suffix, x.prepare.get(), y.prepare.get());
    ++number;
  }
  llvm::StringMap<const PackageWeight *> others;
  for (const PackageWeight &weight : b.weights)
    others[weight.name] = &weight;
  for (const PackageWeight &weight : a.weights) {
    const PackageWeight *other = others.lookup(weight.name);
    if (!other) {
      out.add("weight '" + weight.name + "' is in the first only");
      continue;
    }
    others.erase(weight.name);
    if (getType(weight) != getType(*other))
      out.add("weight '" + weight.name + "': " + getType(weight) + " and " +
              getType(*other));
    else if (weight.data != other->data)
      out.add("weight '" + weight.name + "' has other elements");
  }
  for (const PackageWeight &weight : b.weights)
    if (others.contains(weight.name))
      out.add("weight '" + weight.name + "' is in the second only");
  return out.getStatus();
}

static int write(const ProgramPackage &package) {
  if (llvm::Error error = writePackage(package, output))
    return report(2, toString(std::move(error)));
  return 0;
}

static int update(ProgramPackage package) {
  if (llvm::Error error = checkNotInput(output, {first, weightsFile}))
    return report(2, toString(std::move(error)));
  llvm::Expected<import::Package> file = import::Package::open(weightsFile);
  if (!file)
    return report(3, toString(file.takeError()));
  auto store = file->loadWeights("", import::Limits(), /*checkCRC=*/true);
  if (!store)
    return report(3, toString(store.takeError()));
  for (PackageWeight &weight : package.weights) {
    const import::Weight *found = (*store)->lookup(weight.name);
    if (!found)
      return report(3, "'" + weightsFile + "' has no weight '" + weight.name +
                           "'");
    std::optional<int32_t> dtype = parseDType(import::getName(found->dtype));
    if (!dtype || *dtype != weight.dtype ||
        llvm::ArrayRef<int64_t>(found->sizes) !=
            llvm::ArrayRef<int64_t>(weight.sizes)) {
      std::string type;
      for (int64_t size : found->sizes)
        type += std::to_string(size) + "x";
      return report(3, "weight '" + weight.name + "' is " + getType(weight) +
                           " but '" + weightsFile + "' has " + type +
                           import::getName(found->dtype));
    }
    if (!found->isContiguous())
      return report(3, "weight '" + weight.name + "' of '" + weightsFile +
                           "' does not lie row by row");
    weight.data = {found->data(), weight.data.size()};
  }
  return write(package);
}

static int merge() {
  std::vector<llvm::StringRef> inputs(parts.begin(), parts.end());
  if (llvm::Error error = checkNotInput(output, inputs))
    return report(2, toString(std::move(error)));
  std::vector<ProgramPackage> packages;
  for (const std::string &path : parts) {
    llvm::Expected<ProgramPackage> read = readPackage(path, PackageCheck::Fast);
    if (!read)
      return report(3, toString(read.takeError()));
    packages.push_back(std::move(*read));
  }
  ProgramPackage merged = packages.front();
  for (auto [path, other] : llvm::drop_begin(llvm::zip(parts, packages)))
    if (llvm::Error error = mergePackage(merged, other))
      return report(3, "'" + path + "': " + toString(std::move(error)));
  return write(merged);
}

int main(int argc, char **argv) {
  Tool tool(argc, argv, "coil-package", 3, 2);
  tool.checkFlags(argc, argv);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return 2;
  auto read = [](const std::string &path, PackageCheck check) {
    return readPackage(path, check);
  };
  if (inspectCommand || verifyCommand) {
    llvm::Expected<ProgramPackage> found =
        read(package, verifyCommand ? PackageCheck::Full : PackageCheck::Fast);
    if (!found)
      return report(3, toString(found.takeError()));
    if (inspectCommand)
      return inspect(*found);
    uint64_t bytes = 0;
    for (const PackageRecord &record : found->records)
      bytes += record.bytes;
    llvm::outs() << found->records.size() << " records, " << bytes
                 << " bytes: as they were written\n";
    return 0;
  }
  if (diffCommand || updateCommand) {
    llvm::Expected<ProgramPackage> a = read(first, PackageCheck::Fast);
    if (!a)
      return report(3, toString(a.takeError()));
    if (updateCommand)
      return update(std::move(*a));
    llvm::Expected<ProgramPackage> b = read(second, PackageCheck::Fast);
    if (!b)
      return report(3, toString(b.takeError()));
    return diff(*a, *b);
  }
  if (mergeCommand)
    return merge();
  return report(2, "expected a command: inspect, verify, diff, merge or "
                   "update-constants");
}
