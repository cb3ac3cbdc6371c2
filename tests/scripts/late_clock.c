/* Preloaded by pauses.py. A thread that asks for the time, or wakes up, now and then stands still for 1 to 60 ms before it knows: at first
 * often, then ever more rarely. What a short program takes for granted about time it takes for granted there, and a process that is stopped
 * at any moment is hardly ever stopped just there. HALOCLINE_TEST_LATE_CLOCK is the seed; ranks and threads differ.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kMostPauses = 40 };

static int threads; /* of this process so far */
static __thread uint64_t state;
static __thread int pauses = -1; /* this thread's so far; -1: it has not begun */
static __thread double looks_left; /* until the next */

/* The next number of 0 to 1, by splitmix64. */
static double draw(void) {
  uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static uint64_t number(const char *variable) {
  const char *const text = getenv(variable);
  return text ? strtoull(text, NULL, 10) : 0;
}

static void begin(void) {
  const uint64_t thread = (uint64_t)__atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
  const uint64_t rank = number("PMI_RANK") + number("OMPI_COMM_WORLD_RANK");
  state = (number("HALOCLINE_TEST_LATE_CLOCK") * 1000 + rank) * 1000 + thread;
  pauses = 0;
  looks_left = 6 * draw();
}

static int sleep_for(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  return syscall(SYS_clock_nanosleep, clock, flags, time, rest) == 0 ? 0 : errno;
}

static void stand_still_at_times(void) {
  const int before = errno;
  if (pauses < 0) begin();
  looks_left -= 1;
  if (looks_left > 0 || pauses == kMostPauses) return;
  const double ms = 1 + 59 * draw() * draw();
  const struct timespec time = {0, (long)(ms * 1e6)};
  double mean = 3;
  for (int i = pauses++; i >= 0; --i) mean *= 1.6;
  looks_left = 2 * mean * draw();
  sleep_for(CLOCK_MONOTONIC, 0, &time, NULL);
  errno = before;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  stand_still_at_times();
  return (int)syscall(SYS_clock_gettime, clock, time);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  const int code = sleep_for(clock, flags, time, rest);
  stand_still_at_times();
  return code;
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
  const int code = clock_nanosleep(CLOCK_REALTIME, 0, time, rest);
  if (code != 0) errno = code;
  return code == 0 ? 0 : -1;
}

int usleep(useconds_t us) {
  const struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
  return nanosleep(&time, NULL);
}
