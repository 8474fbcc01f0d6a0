/* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded into a process, this lets it have COIL_TEST_THREADS threads more at
 * a time and not start others, as a limit of the system does: the limit itself
 * (RLIMIT_NPROC) does not hold for root, and counts what others run. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

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
