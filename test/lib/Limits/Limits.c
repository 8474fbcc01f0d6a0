/* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded into a process, this lets it have COIL_TEST_THREADS threads more at
 * a time and not start others, as a limit of the system does: the limit itself
 * (RLIMIT_NPROC) does not hold for root, and counts what others run.
 *
 * COIL_TEST_SIGNAL=create|rename|renamed sends SIGTERM at the moments at which
 * a file that is being written could be left behind: when a file called *.tmp
 * has just been created, before one gets its final name, and after it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct {
  void *(*body)(void *);
  void *argument;
} Start;

static atomic_int alive;

static void leave(void *unused) {
  (void)unused;
  atomic_fetch_sub(&alive, 1);
}

static void *run(void *data) {
  Start start = *(Start *)data;
  free(data);
  void *result;
  pthread_cleanup_push(leave, NULL);
  result = start.body(start.argument);
  pthread_cleanup_pop(1);
  return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*body)(void *), void *argument) {
  typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                     void *);
  static Create *create;
  if (!create)
    create = (Create *)dlsym(RTLD_NEXT, "pthread_create");
  const char *limit = getenv("COIL_TEST_THREADS");
  if (!limit)
    return create(thread, attributes, body, argument);
  Start *start = malloc(sizeof(Start));
  if (!start)
    return EAGAIN;
  *start = (Start){body, argument};
  if (atomic_fetch_add(&alive, 1) < atoi(limit)) {
    int status = create(thread, attributes, run, start);
    if (status == 0)
      return 0;
    leave(NULL);
    free(start);
    return status;
  }
  leave(NULL);
  free(start);
  return EAGAIN;
}

static void signalAt(const char *moment, const char *path) {
  const char *wanted = getenv("COIL_TEST_SIGNAL");
  size_t length = strlen(path);
  if (wanted && strcmp(wanted, moment) == 0 && length > 4 &&
      strcmp(path + length - 4, ".tmp") == 0)
    raise(SIGTERM);
}

typedef int Open(const char *, int, ...);

static int openAndSignal(const char *function, const char *path, int flags,
                         mode_t mode) {
  Open *next = (Open *)dlsym(RTLD_NEXT, function);
  int descriptor = next(path, flags, mode);
  if (descriptor >= 0 && (flags & O_CREAT))
    signalAt("create", path);
  return descriptor;
}

static mode_t modeOf(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = modeOf(flags, arguments);
  va_end(arguments);
  return openAndSignal("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = modeOf(flags, arguments);
  va_end(arguments);
  return openAndSignal("open64", path, flags, mode);
}

int rename(const char *from, const char *to) {
  typedef int Rename(const char *, const char *);
  Rename *next = (Rename *)dlsym(RTLD_NEXT, "rename");
  signalAt("rename", from);
  int status = next(from, to);
  if (status == 0)
    signalAt("renamed", from);
  return status;
}
