//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace coil;

const char *coil::describeOutcome(Outcome outcome) {
  switch (outcome) {
  case Outcome::Right:
    return "gives the right result";
  case Outcome::Wrong:
    return "gives a wrong result";
  case Outcome::Failed:
    return "fails";
  case Outcome::Crashed:
    return "crashes";
  case Outcome::TimedOut:
    return "does not end in time";
  }
  llvm_unreachable("all outcomes are handled");
}

TrialResult
coil::runTrial(unsigned seconds,
               llvm::function_ref<Outcome(llvm::raw_ostream &)> body) {
  llvm::SmallString<128> path;
  int file = -1;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("coil-bisect", "txt", file, path))
    return {Outcome::Failed,
            "cannot make a temporary file: " + error.message()};
  llvm::outs().flush();
  llvm::errs().flush();
  pid_t child = fork();
  if (child < 0) {
    close(file);
    return {Outcome::Failed, "cannot start a process"};
  }
  if (child == 0) {
    dup2(file, STDERR_FILENO);
    // A crash is the parent's to report: no stack is printed.
    for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
      std::signal(number, SIG_DFL);
    std::signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    Outcome outcome = body(llvm::errs());
    llvm::errs().flush();
    _exit(static_cast<int>(outcome));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  close(file);
  TrialResult result;
  if (WIFEXITED(status) &&
      WEXITSTATUS(status) <= static_cast<int>(Outcome::Failed))
    result.outcome = static_cast<Outcome>(WEXITSTATUS(status));
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    result.outcome = Outcome::TimedOut;
  else
    result.outcome = Outcome::Crashed;
  if (auto text = llvm::MemoryBuffer::getFile(path))
    result.message = (*text)->getBuffer().rtrim().str();
  llvm::sys::fs::remove(path);
  if (WIFSIGNALED(status) && result.outcome == Outcome::Crashed)
    result.message +=
        (result.message.empty() ? "" : "\n") + std::string("signal ") +
        std::to_string(WTERMSIG(status)) + ": " + strsignal(WTERMSIG(status));
  return result;
}
