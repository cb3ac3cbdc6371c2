/* A kernel that lets no rank read another's memory, as with Yama's ptrace_scope 3: preloaded before the drop-in. Only the library is told so. The
   MPI reads others' memory, too, and does not expect that to fail later.
   SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

typedef ssize_t (*reader)(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long);

ssize_t process_vm_readv(pid_t process, const struct iovec *local, unsigned long local_count, const struct iovec *remote,
                         unsigned long remote_count, unsigned long flags) {
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "halocline")) {
    errno = EPERM;
    return -1;
  }
  void *const found = dlsym(RTLD_NEXT, "process_vm_readv");
  reader next = NULL;
  memcpy(&next, &found, sizeof next);
  return next(process, local, local_count, remote, remote_count, flags);
}
