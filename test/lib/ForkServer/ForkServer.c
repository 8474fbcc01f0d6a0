/* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loading LLVM's libraries is most of what a tool does with a small program.
 * Preloaded into a tool, this stops it before main, when everything is loaded,
 * and runs main in a fork for each request: a process of its own each time,
 * with its own arguments and environment. test/Inputs/tools.py is the other
 * side.
 *
 * A request is its size (uint32) and strings that end with a zero each: the
 * working directory, files for standard output and error, the number of
 * arguments, the arguments, the environment. The answer is the status of
 * waitpid. Requests come from the file descriptor that COIL_FORK_REQUESTS
 * names, answers go to that of COIL_FORK_ANSWERS. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int Main(int, char **, char **);
static Main *toolMain;

static _Noreturn void fail(const char *what) {
  perror(what);
  _exit(125);
}

/* Returns whether anything came before the end. */
static int readAll(int from, char *into, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(from, into + done, size - done);
    if (count < 0)
      fail("fork server: read");
    if (count == 0)
      return 0;
    done += (size_t)count;
  }
  return 1;
}

static void redirect(const char *path, int to) {
  int file = open(path, to ? O_WRONLY : O_RDONLY);
  if (file < 0 || dup2(file, to) < 0 || close(file) < 0)
    fail(path);
}

/* Becomes the process that the request describes. */
static int become(char *text, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; ++i)
    count += text[i] == 0;
  char **strings = malloc((count + 2) * sizeof(char *)), *next = text;
  if (!strings)
    fail("fork server: malloc");
  for (size_t i = 0; i < count; ++i, next += strlen(next) + 1)
    strings[i] = next;
  if (chdir(strings[0]))
    fail(strings[0]);
  redirect("/dev/null", 0);
  redirect(strings[1], 1);
  redirect(strings[2], 2);
  int argc = atoi(strings[3]);
  char **argv = strings + 4;
  /* The environment moves up by one for the end of the arguments. */
  memmove(argv + argc + 1, argv + argc,
          (count - 4 - (size_t)argc) * sizeof(char *));
  argv[argc] = NULL;
  environ = argv + argc + 1;
  strings[count + 1] = NULL;
  return toolMain(argc, argv, environ);
}

static int serve(int argc, char **argv, char **env) {
  (void)argc, (void)argv, (void)env;
  int requests = atoi(getenv("COIL_FORK_REQUESTS"));
  int answers = atoi(getenv("COIL_FORK_ANSWERS"));
  for (uint32_t size; readAll(requests, (char *)&size, sizeof(size));) {
    char *text = malloc(size);
    if (!text || !readAll(requests, text, size))
      fail("fork server: a request is cut off");
    pid_t child = fork();
    if (child < 0)
      fail("fork server: fork");
    if (child == 0) {
      close(requests);
      close(answers);
      return become(text, size);
    }
    free(text);
    int32_t status;
    if (waitpid(child, &status, 0) != child ||
        write(answers, &status, sizeof(status)) != sizeof(status))
      fail("fork server: answer");
  }
  return 0;
}

int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtldFini)(void),
                      void *stackEnd) {
  typedef int Start(Main *, int, char **, void (*)(void), void (*)(void),
                    void (*)(void), void *);
  Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  if (!start)
    fail("fork server: no __libc_start_main");
  if (getenv("COIL_FORK_REQUESTS")) {
    toolMain = main;
    main = serve;
  }
  return start(main, argc, argv, init, fini, rtldFini, stackEnd);
}
