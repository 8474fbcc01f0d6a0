//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Imports many .pt2 files, each in a child process of its own, so that a fuzz
// campaign pays for loading the libraries once.
//
// Reads file names from standard input, one a line. Answers each with a line of
// four fields between tabs: what happened ("ok", "error", "crash", "hang" or
// "bad"), milliseconds, peak memory in KiB, and a message. A file that imports
// must also survive being printed and parsed again. --no-memory-limit is for
// builds with AddressSanitizer, which reserves address space.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <iostream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
namespace import = coil::import;

static constexpr unsigned secondsPerFile = 10;
static constexpr uint64_t memoryPerFile = uint64_t(2) << 30;

/// Exit statuses of a child.
enum : int { statusOk = 0, statusError = 3, statusBad = 4 };

/// Imports \p path; the message goes to \p fd.
static int importOne(const std::string &path, mlir::MLIRContext &context,
                     int fd) {
  auto tell = [&](std::string text) {
    // One write of at most PIPE_BUF bytes never blocks on an empty pipe.
    text.resize(std::min<size_t>(text.size(), 2048));
    (void)!write(fd, text.data(), text.size());
  };
  import::ImportOptions options;
  options.checkWeightCRC = true;
  Expected<import::ImportedProgram> program =
      import::importExportedProgram(path, &context, options);
  if (!program) {
    std::string message = toString(program.takeError());
    tell(message);
    bool isOneLine =
        !message.empty() && message.find('\n') == std::string::npos;
    return isOneLine ? statusError : statusBad;
  }
  std::string text;
  raw_string_ostream os(text);
  program->module->print(os);
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          complaint = diagnostic.str();
                                          return mlir::success();
                                        });
  mlir::OwningOpRef<mlir::ModuleOp> again =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!again) {
    tell("the printed module does not parse: " + complaint);
    return statusBad;
  }
  std::string second;
  raw_string_ostream secondOS(second);
  again->print(secondOS);
  if (text != second) {
    tell("the printed module changes when it is parsed");
    return statusBad;
  }
  return statusOk;
}

static void handle(const std::string &path, mlir::MLIRContext &context,
                   bool limitsMemory) {
  struct stat info = {};
  (void)stat(path.c_str(), &info);
  int pipes[2];
  if (pipe(pipes) != 0)
    return;
  auto start = std::chrono::steady_clock::now();
  pid_t child = fork();
  if (child == 0) {
    close(pipes[0]);
    // Address space that the parent has mapped counts, too.
    rlim_t memory = memoryPerFile + 4 * uint64_t(info.st_size);
    rlimit limit{memory, memory};
    if (limitsMemory)
      setrlimit(RLIMIT_AS, &limit);
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(secondsPerFile);
    // Crash reports of LLVM's handlers would only clutter the output.
    for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM})
      signal(number, SIG_DFL);
    freopen("/dev/null", "w", stderr);
    _exit(importOne(path, context, pipes[1]));
  }
  close(pipes[1]);
  std::string message(4096, '\0');
  ssize_t length =
      child > 0 ? read(pipes[0], message.data(), message.size()) : -1;
  message.resize(std::max<ssize_t>(length, 0));
  close(pipes[0]);
  int status = 0;
  rusage usage = {};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    std::cout << "bad\t0\t0\tcannot start a process" << std::endl;
    return;
  }
  auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  const char *what = "bad";
  if (WIFSIGNALED(status)) {
    what = WTERMSIG(status) == SIGALRM ? "hang" : "crash";
    message = "signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) == statusOk) {
    what = "ok";
  } else if (WEXITSTATUS(status) == statusError) {
    what = "error";
  }
  for (char &c : message)
    if (c == '\n' || c == '\t')
      c = ' ';
  std::cout << what << '\t' << elapsed.count() << '\t' << usage.ru_maxrss
            << '\t' << message << std::endl;
}

int main(int argc, char **argv) {
  bool limitsMemory = argc < 2 || StringRef(argv[1]) != "--no-memory-limit";
  mlir::DialectRegistry registry;
  import::registerImportDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string path;
  while (std::getline(std::cin, path))
    handle(path, context, limitsMemory);
  return 0;
}
