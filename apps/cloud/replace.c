/* A file that a run may continue from is replaced as a whole: what Fortran has no words for. As apps/common/replace_file.hpp.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* 1: a file beside it shall be written first; 0: it is a link, a pipe or a device, which is written in place. */
int cloud_is_replaced(const char *path) {
  struct stat there;
  return lstat(path, &there) != 0 || S_ISREG(there.st_mode);
}

/* Whether the disk of a file that could not be written is full. */
int cloud_disk_is_full(const char *path) {
  struct statvfs disk;
  return statvfs(path, &disk) == 0 && (unsigned long long)disk.f_bavail * disk.f_frsize < 65536;
}

void cloud_remove(const char *path) { unlink(path); }

static int sync_path(const char *path) {
  const int file = open(path, O_RDONLY);
  if (file < 0) return -1;
  const int status = fsync(file);
  const int why = errno;
  close(file);
  errno = why;
  return status;
}

/* Stores a complete file, and puts it in the place of another. Returns 0, or copies the reason why not, without a zero at its end,
 * and returns its length. Not every file system can store a folder by itself, so that this is tried alone. */
int cloud_put_in_place(const char *part, const char *path, char *reason, int room) {
  if (sync_path(part) == 0 && rename(part, path) == 0) {
    char folder[4096] = ".";
    const char *end = strrchr(path, '/');
    if (end != NULL && (size_t)(end - path) + 2 < sizeof folder) snprintf(folder, sizeof folder, "%.*s", (int)(end - path) + 1, path);
    (void)sync_path(folder);
    return 0;
  }
  const char *text = strerror(errno);
  const int length = (int)strlen(text) < room ? (int)strlen(text) : room;
  memcpy(reason, text, (size_t)length);
  return length;
}
