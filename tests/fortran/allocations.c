/*
 * Counts what the Fortran binding allocates while counting is on: each request is charged to the first library on the call stack that is
 * not the C library. Requests of MPI are MPI's own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stddef.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static int counting, inside, found, seen;

static int names(const char *path, const char *library) {
  const char *slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, library, strlen(library)) == 0;
}

/* 1 if the frame belongs to the binding or to Fortran's run time, 0 if to the C library or this program, -1 if to somebody else. */
static int owner_of(void *frame) {
  Dl_info info;
  if (!dladdr(frame, &info) || !info.dli_fname) return 0;
  if (names(info.dli_fname, "libhalocline_fortran.so") || names(info.dli_fname, "libgfortran.so")) return 1;
  if (names(info.dli_fname, "libc.so") || names(info.dli_fname, "ld-linux")) return 0;
  return strstr(info.dli_fname, ".so") ? -1 : 0;
}

static void look(void) {
  if (!counting || inside) return;
  inside = 1;
  void *frames[32];
  int depth = backtrace(frames, 32), owner = 0;
  for (int f = 0; f < depth && owner == 0; ++f) owner = owner_of(frames[f]);
  found += owner == 1;
  ++seen;
  inside = 0;
}

void count_allocations_from_here(void) {
  void *frame;
  backtrace(&frame, 1); /* loads what backtrace needs */
  found = seen = 0;
  counting = 1;
}

/* Ends the count and returns the allocations of the binding; *total has all that were seen, MPI's included. */
int allocations_until_here(int *total) {
  counting = 0;
  *total = seen;
  return found;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int allocations_can_be_counted(void) { return 0; }
#else
int allocations_can_be_counted(void) { return 1; }

void *malloc(size_t bytes) {
  look();
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  look();
  return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
  look();
  return __libc_realloc(memory, bytes);
}
#endif
