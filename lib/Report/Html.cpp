//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pages share.
//
//===----------------------------------------------------------------------===//

#include "Html.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using llvm::StringRef;

std::string html::escape(StringRef text) {
  std::string fixed;
  if (!llvm::json::isUTF8(text)) {
    fixed = llvm::json::fixUTF8(text);
    text = fixed;
  }
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      // Control characters are not allowed at all.
      result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'
                    ? ' '
                    : c;
    }
  }
  return result;
}

std::string html::anchor(StringRef kind, StringRef name) {
  std::string result = kind.str() + "-";
  for (char c : name)
    if (llvm::isAlnum(c) || c == '_' || c == '.')
      result += c;
    else
      result += "-" + llvm::utohexstr(static_cast<unsigned char>(c));
  return result;
}

static std::string formatScaled(double value, double step,
                                llvm::ArrayRef<const char *> units) {
  size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format(unit == 0 ? "%.0f" : "%.2f", value);
  if (*units[unit])
    os << ' ' << units[unit];
  return text;
}

std::string html::formatBytes(int64_t bytes) {
  return formatScaled(static_cast<double>(bytes), 1024,
                      {"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string html::formatCount(int64_t count) {
  return formatScaled(static_cast<double>(count), 1000,
                      {"", "k", "M", "G", "T", "P"});
}

static constexpr const char *kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: #36c; }
@media (prefers-color-scheme: dark) { :root { --link: #8bf; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto;
       padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; }
a { color: var(--link); }
table { border-collapse: collapse; width: 100%; margin: 0.5em 0; }
th, td { text-align: left; vertical-align: top; padding: 0.2em 0.7em 0.2em 0;
         border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; } .n { text-align: right; white-space: nowrap; }
code, .code { font: 13px/1.4 ui-monospace, monospace; }
dl { display: grid; grid-template-columns: max-content auto; gap: 0 1.5em; }
dt { opacity: 0.7; } dd { margin: 0; }
td:first-child { min-width: 11em; } .scroll { max-height: 32em; overflow: auto; border: 1px solid var(--line);
          padding: 0 0.7em; }
.note { opacity: 0.75; } svg text { font: 11px ui-monospace, monospace;
        fill: currentColor; }
svg rect.b:hover { stroke: currentColor; stroke-width: 2; }
tr:target, li:target { background: var(--soft); }
input { font: inherit; padding: 0.2em 0.5em; width: 20em; max-width: 100%; }
)";

void html::printHead(llvm::raw_ostream &os, StringRef title) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << escape(title) << "</title>\n<style>" << kStyle
     << "</style>\n</head>\n<body>\n<h1>" << escape(title) << "</h1>\n";
}

void html::printFoot(llvm::raw_ostream &os) { os << "</body>\n</html>\n"; }
