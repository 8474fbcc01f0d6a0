/* A library with the two functions of NVTX that Coil calls, which print. */
#include <stdio.h>

int nvtxRangePushA(const char *name) {
  printf("push %s\n", name);
  return fflush(stdout);
}

int nvtxRangePop(void) {
  puts("pop");
  return fflush(stdout);
}
