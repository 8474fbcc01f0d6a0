//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differences of modules between passes.
//
//===----------------------------------------------------------------------===//

#include "coil/Report/IRDiff.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;

namespace {

/// A line and what it is compared by.
struct Line {
  StringRef text;
  std::string key;
};

enum class Edit : char { Keep = ' ', Remove = '-', Add = '+' };

struct Step {
  Edit edit;
  StringRef text;
};

} // namespace

/// The line without the numbers of SSA values and blocks.
static std::string maskNumbers(StringRef text) {
  std::string key;
  for (size_t i = 0; i < text.size(); ++i) {
    key += text[i];
    bool isName = text[i] == '%' || (text[i] == '^' && i + 2 < text.size() &&
                                     text.substr(i + 1, 2) == "bb");
    if (!isName)
      continue;
    size_t end = text.find_if_not(
        [](char c) { return llvm::isAlnum(c) || c == '_'; }, i + 1);
    StringRef name = text.slice(i + 1, end);
    key += name.rtrim("0123456789");
    i += name.size();
  }
  return key;
}

static std::vector<Line> splitLines(StringRef text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    lines.push_back({line, maskNumbers(line)});
    text = rest;
  }
  return lines;
}

/// The shortest sequence of edits, by the algorithm of Myers ("An O(ND)
/// difference algorithm and its variations", 1986) on what is left between the
/// common first and last lines.
static std::vector<Step> findEdits(ArrayRef<Line> before,
                                   ArrayRef<Line> after) {
  std::vector<Step> steps;
  while (!before.empty() && !after.empty() &&
         before.front().key == after.front().key) {
    steps.push_back({Edit::Keep, after.front().text});
    before = before.drop_front();
    after = after.drop_front();
  }
  std::vector<Step> last;
  while (!before.empty() && !after.empty() &&
         before.back().key == after.back().key) {
    last.push_back({Edit::Keep, after.back().text});
    before = before.drop_back();
    after = after.drop_back();
  }
  auto n = static_cast<int64_t>(before.size()),
       m = static_cast<int64_t>(after.size());
  // trace[d] has the furthest line of `before` on each diagonal after d edits.
  std::vector<std::vector<int64_t>> trace;
  std::vector<int64_t> furthest(static_cast<size_t>(2 * (n + m) + 3), 0);
  auto at = [&](std::vector<int64_t> &values, int64_t diagonal) -> int64_t & {
    return values[static_cast<size_t>(diagonal + n + m + 1)];
  };
  bool isDone = false;
  for (int64_t d = 0; d <= n + m && !isDone; ++d) {
    trace.push_back(furthest);
    for (int64_t k = -d; k <= d; k += 2) {
      bool isDown =
          k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1));
      int64_t x = isDown ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      int64_t y = x - k;
      while (x < n && y < m &&
             before[static_cast<size_t>(x)].key ==
                 after[static_cast<size_t>(y)].key)
        ++x, ++y;
      at(furthest, k) = x;
      if (x >= n && y >= m) {
        isDone = true;
        break;
      }
    }
  }
  std::vector<Step> middle;
  int64_t x = n, y = m;
  for (size_t d = trace.size(); d-- > 0;) {
    int64_t k = x - y, depth = static_cast<int64_t>(d);
    bool isDown = k == -depth ||
                  (k != depth && at(trace[d], k - 1) < at(trace[d], k + 1));
    int64_t previous = isDown ? k + 1 : k - 1;
    int64_t px = d == 0 ? 0 : at(trace[d], previous);
    int64_t py = d == 0 ? 0 : px - previous;
    while (x > px && y > py) {
      --x, --y;
      middle.push_back({Edit::Keep, after[static_cast<size_t>(y)].text});
    }
    if (d == 0)
      break;
    if (isDown)
      middle.push_back({Edit::Add, after[static_cast<size_t>(--y)].text});
    else
      middle.push_back({Edit::Remove, before[static_cast<size_t>(--x)].text});
  }
  steps.insert(steps.end(), middle.rbegin(), middle.rend());
  steps.insert(steps.end(), last.rbegin(), last.rend());
  return steps;
}

bool coil::printLineDiff(StringRef before, StringRef after, unsigned context,
                         llvm::raw_ostream &os) {
  std::vector<Line> old = splitLines(before), now = splitLines(after);
  std::vector<Step> steps = findEdits(old, now);
  bool hasEdits = false;
  size_t shown = 0, oldLine = 1, newLine = 1;
  std::vector<bool> isShown(steps.size(), false);
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (step.edit == Edit::Keep)
      continue;
    hasEdits = true;
    size_t first = i < context ? 0 : i - context;
    for (size_t j = first; j < std::min(steps.size(), i + context + 1); ++j)
      isShown[j] = true;
  }
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (isShown[i]) {
      if (shown == 0 || !isShown[i - 1])
        os << "@@ -" << oldLine << " +" << newLine << " @@\n";
      os << static_cast<char>(step.edit) << step.text << '\n';
      ++shown;
    }
    oldLine += step.edit != Edit::Add;
    newLine += step.edit != Edit::Remove;
  }
  return hasEdits;
}

namespace {

class IRDiffPrinter : public PassInstrumentation {
public:
  IRDiffPrinter(llvm::raw_ostream &os, unsigned context)
      : os(os), context(context) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!isAdaptor(pass))
      before.push_back(print(op));
  }
  void runAfterPass(Pass *pass, Operation *op) override { show(pass, op, ""); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    show(pass, op, ", which failed");
  }

private:
  /// Adaptors run the passes of a nested pipeline, which are shown themselves.
  static bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream, OpPrintingFlags().useLocalScope());
    return text;
  }

  void show(Pass *pass, Operation *op, StringRef suffix) {
    if (isAdaptor(pass))
      return;
    std::string old = before.pop_back_val(), text;
    llvm::raw_string_ostream stream(text);
    if (!printLineDiff(old, print(op), context, stream))
      return;
    os << "// " << pass->getArgument() << " on '" << op->getName() << "'";
    if (auto name =
            op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      os << " @" << name.getValue();
    os << suffix << "\n" << text;
  }

  llvm::raw_ostream &os;
  unsigned context;
  SmallVector<std::string> before;
};

} // namespace

std::unique_ptr<PassInstrumentation>
coil::createIRDiffPrinter(llvm::raw_ostream &os, unsigned context) {
  return std::make_unique<IRDiffPrinter>(os, context);
}
