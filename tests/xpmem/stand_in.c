/* See stand_in.h. A segment's name is the process, the file and the first page: another process opens the file through /proc.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include "xpmem/stand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST = 1024, PAGE = 4096 };

static struct piece {
  char *data;
  size_t bytes;
  int file;
} pieces[MOST], mapped[MOST];
static int attached = 0;

/* As libxpmem's xpmem_addr. */
struct place {
  int64_t handle;
  off_t offset;
};

void *stand_in_alloc(size_t bytes) {
  bytes = (bytes + PAGE - 1) / PAGE * PAGE;
  for (int i = 0; i < MOST; ++i) {
    if (pieces[i].data) continue;
    const int file = memfd_create("array", 0);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) return NULL;
    char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) return NULL;
    pieces[i] = (struct piece){data, bytes, file};
    return data;
  }
  return NULL;
}

void stand_in_free(void *data) {
  for (int i = 0; i < MOST; ++i) {
    if (pieces[i].data != data || !data) continue;
    munmap(data, pieces[i].bytes);
    close(pieces[i].file);
    pieces[i] = (struct piece){0};
  }
}

int stand_in_attached(void) { return attached; }

int64_t xpmem_make(void *data, size_t bytes, int permit_type, void *permit_value);
int xpmem_remove(int64_t segment);
int64_t xpmem_get(int64_t segment, int flags, int permit_type, void *permit_value);
int xpmem_release(int64_t handle);
void *xpmem_attach(struct place place, size_t bytes, void *data);
int xpmem_detach(void *data);

int64_t xpmem_make(void *data, size_t bytes, int permit_type, void *permit_value) {
  const char *first = data;
  if (permit_type != 1 || (uintptr_t)permit_value != 0600) return errno = EINVAL, -1;
  for (int i = 0; i < MOST; ++i)
    if (pieces[i].data && first >= pieces[i].data && first + bytes <= pieces[i].data + pieces[i].bytes)
      return (int64_t)getpid() << 36 | (int64_t)pieces[i].file << 24 | (first - pieces[i].data) / PAGE;
  return errno = EINVAL, -1;
}

int xpmem_remove(int64_t segment) { return segment < 0 ? -1 : 0; }

int64_t xpmem_get(int64_t segment, int flags, int permit_type, void *permit_value) {
  return flags == 2 && permit_type == 1 && !permit_value ? segment : -1;
}

int xpmem_release(int64_t handle) { return handle < 0 ? -1 : 0; }

void *xpmem_attach(struct place place, size_t bytes, void *data) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)(place.handle >> 36), (int)(place.handle >> 24 & 0xfff));
  const int file = open(name, O_RDWR);
  if (file < 0) return MAP_FAILED;
  char *made = mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (place.handle & 0xffffff) * PAGE + place.offset);
  close(file);
  for (int i = 0; made != MAP_FAILED && i < MOST; ++i)
    if (!mapped[i].data) {
      mapped[i] = (struct piece){made, bytes, -1};
      ++attached;
      break;
    }
  return made;
}

int xpmem_detach(void *data) {
  for (int i = 0; i < MOST; ++i)
    if (mapped[i].data == data) {
      munmap(data, mapped[i].bytes);
      mapped[i] = (struct piece){0};
      --attached;
      return 0;
    }
  return -1;
}
