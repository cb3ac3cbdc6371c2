/* What ranks.f90 needs of C: lines that say whether they were printed, and an end after that of other ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cloud_process(void) { return (int)getpid(); }

/* Returns 0, or copies the reason why not, without a zero at its end, and returns its length. */
int cloud_print(const char *text, int length, char *reason, int room) {
  while (length > 0) {
    const ssize_t written = write(STDOUT_FILENO, text, (size_t)length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const char *why = strerror(errno);
      const int size = (int)strlen(why) < room ? (int)strlen(why) : room;
      memcpy(reason, why, (size_t)size);
      return size;
    }
    text += written;
    length -= (int)written;
  }
  return 0;
}

/* Returns when these processes have ended, or after two seconds. */
void cloud_await_end_of(const int *processes, int count) {
  const struct timespec millisecond = {0, 1000000};
  int rounds = 2000, i = 0;
  for (; i < count; ++i)
    for (; rounds > 0 && kill(processes[i], 0) == 0; --rounds) nanosleep(&millisecond, NULL);
}
