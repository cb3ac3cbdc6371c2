/* See stand_in.h. One lock protects everything; copies are made without it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include "device/stand_in.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cuda_constants.h"

enum { MOST = 4096, DEVICES = 8, STREAMS = 64, EVENTS = 256, DEPTH = 8, EXIT_STATUS = 70, PAGE = 4096 };
static const size_t MAX_PITCH = 2147483647;

struct stand_in_context {
  int device, retained;
};

static struct piece {
  uintptr_t first, end; /* first 0: none */
  enum stand_in_kind kind;
  int ordinal;
  char *data; /* where it can be accessed; NULL: it was named */
  CUcontext context;
  int file; /* of device memory; else 0 */
  long serial;
  int *users; /* in the last page of the file: how many processes have it open */
  int owner; /* the process that has allocated it, if that is another one; else 0 */
  int owner_device;
} pieces[MOST];
static int pieces_used = 0;

struct operation {
  CUDA_MEMCPY3D copy;
  long after[STREAMS]; /* per stream: of its operations, so many come first */
  struct operation *next;
};

/* The first one is the default stream. It waits for all others, and they wait for it, unless they were made with CU_STREAM_NON_BLOCKING. */
static struct stand_in_stream {
  int exists, dying, blocking;
  CUcontext context;
  long given, done;
  long waits[STREAMS]; /* for events: as `after` of what is given next */
  struct operation *first, *last; /* the first is the one that is being made */
} streams[STREAMS];

static struct stand_in_event {
  int exists, recorded;
  CUcontext context;
  long after[STREAMS];
} events[EVENTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct stand_in_context contexts[DEVICES];
static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int stacked = 0;
static _Thread_local CUcontext device_of_hip = &contexts[0]; /* what push and set make current, and pop leaves */
static int initialised = 0;
static long asked = 0, calls = 0, fails_at = 0, broken = 0;
static long serials = 0, inside_copies = 0, read_copies = 0;
static enum stand_in_ipc ipc = STAND_IN_IPC;
static int fails_with = LAUNCH_FAILED, has_failed = 0;
static unsigned late_us = 300;
static char rule[300] = "";

__attribute__((constructor)) static void begin(void) {
  const char *late = getenv("STAND_IN_CUDA_LATE"), *fail = getenv("STAND_IN_CUDA_FAIL");
  if (late) late_us = (unsigned)atoi(late);
  if (fail) fails_at = atol(fail);
  if (fail && strchr(fail, ':')) fails_with = atoi(strchr(fail, ':') + 1);
  for (int d = 0; d < DEVICES; ++d) contexts[d].device = d;
}

static long count_live(void) {
  long live = 0;
  for (int i = 0; i < pieces_used; ++i) live += pieces[i].first && pieces[i].data;
  for (int s = 1; s < STREAMS; ++s) live += streams[s].exists && !streams[s].dying;
  for (int e = 0; e < EVENTS; ++e) live += events[e].exists;
  for (int d = 0; d < DEVICES; ++d) live += contexts[d].retained;
  return live;
}

__attribute__((destructor)) static void end(void) {
  const long live = count_live();
  if (live > 0) fprintf(stderr, "CUDA stand-in: %ld allocations, streams, events or contexts were not released\n", live);
  if (broken > 0) fprintf(stderr, "CUDA stand-in: %ld rules were broken; the last: %s\n", broken, rule);
  if (live > 0 || broken > 0) _exit(EXIT_STATUS);
}

/* ---------------------------------------------------------------- failures */

__attribute__((format(printf, 2, 3))) static int breaks(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(rule, sizeof rule, format, arguments);
  va_end(arguments);
  fprintf(stderr, "CUDA stand-in: %s\n", rule);
  ++broken;
  return code;
}

/* What a call returns before it does anything. A call that releases something does so nevertheless. */
static int may_fail(void) {
  if (!initialised) return NOT_INITIALIZED;
  if (has_failed && fails_with >= CRASHED && fails_at > 0) return fails_with;
  ++calls;
  if (fails_at == 0 || calls != fails_at) return SUCCESS;
  has_failed = 1;
  return fails_with;
}

static CUcontext current(void) { return IS_HIP ? device_of_hip : stacked > 0 ? stack[stacked - 1] : NULL; }

static int needs_context(const char *function) {
  return current() ? SUCCESS : breaks(INVALID_CONTEXT, "%s: no context is current in this thread", function);
}

long stand_in_cuda_calls(void) { return calls; }
void stand_in_cuda_fail(long n, int code) {
  pthread_mutex_lock(&lock);
  fails_at = n > 0 ? calls + n : 0;
  fails_with = code;
  has_failed = 0;
  pthread_mutex_unlock(&lock);
}
int stand_in_cuda_failed(void) { return has_failed; }
long stand_in_cuda_broken(void) { return broken; }
const char *stand_in_cuda_rule(void) { return rule; }
void stand_in_cuda_forgive(void) { broken = 0; }
long stand_in_cuda_live(void) {
  pthread_mutex_lock(&lock);
  const long live = count_live();
  pthread_mutex_unlock(&lock);
  return live;
}

int cuInit(unsigned flags) {
  if (flags != 0) return INVALID_VALUE;
  initialised = 1;
  return SUCCESS;
}

int cuGetErrorName(int error, const char **name) {
  *name = name_of_error(error);
  return *name ? SUCCESS : INVALID_VALUE;
}

/* ---------------------------------------------------------------- memory */

static struct piece *find(uintptr_t address) {
  for (int i = 0; i < pieces_used; ++i)
    if (address >= pieces[i].first && address < pieces[i].end) return &pieces[i];
  return NULL;
}

static struct piece *add(struct piece piece) {
  for (int i = 0; i < MOST; ++i) {
    if (pieces[i].first) continue;
    pieces[i] = piece;
    if (i >= pieces_used) pieces_used = i + 1;
    return &pieces[i];
  }
  fprintf(stderr, "CUDA stand-in: more than %d pieces of memory\n", MOST);
  abort();
}

void stand_in_cuda_name(const void *data, size_t bytes, enum stand_in_kind kind, int ordinal) {
  pthread_mutex_lock(&lock);
  add((struct piece){.first = (uintptr_t)data, .end = (uintptr_t)data + bytes, .kind = kind, .ordinal = ordinal});
  pthread_mutex_unlock(&lock);
}

void stand_in_cuda_forget(void) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < pieces_used; ++i)
    if (!pieces[i].data) pieces[i].first = pieces[i].end = 0;
  pthread_mutex_unlock(&lock);
}

long stand_in_cuda_asked(void) { return asked; }

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* The name by which the file of an allocation is known again. */
static void file_name(char *name, size_t size, int process, long serial) {
  snprintf(name, size, "device memory %ld of %d", serial, process);
}

/* Maps an allocation: without access where the process sees it, and where copies find it. */
static struct piece *map_file(int file, size_t bytes, int ordinal, CUcontext context) {
  void *theirs = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
  char *ours = mmap(NULL, pages(bytes) + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (theirs == MAP_FAILED || ours == MAP_FAILED) return NULL;
  return add((struct piece){.first = (uintptr_t)theirs,
                            .end = (uintptr_t)theirs + bytes,
                            .kind = STAND_IN_DEVICE,
                            .ordinal = ordinal,
                            .data = ours,
                            .context = context,
                            .file = file,
                            .users = (int *)(void *)(ours + pages(bytes))});
}

static int allocate(CUdeviceptr *address, size_t bytes, CUcontext context, int ordinal) {
  if (bytes == 0) return breaks(INVALID_VALUE, "an allocation of 0 bytes");
  char name[64];
  file_name(name, sizeof name, getpid(), ++serials);
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)(pages(bytes) + PAGE))) return OUT_OF_MEMORY;
  struct piece *piece = map_file(file, bytes, ordinal, context);
  if (!piece) return OUT_OF_MEMORY;
  piece->serial = serials;
  *address = (CUdeviceptr)piece->first;
  return SUCCESS;
}

static void unmap(struct piece *piece) {
  const size_t bytes = piece->end - piece->first;
  munmap(piece->data, piece->kind == STAND_IN_DEVICE ? pages(bytes) + PAGE : bytes);
  if (piece->kind == STAND_IN_DEVICE) munmap((void *)piece->first, bytes);
  if (piece->file) close(piece->file);
  *piece = (struct piece){0};
}

static int inside(const struct piece *piece, uintptr_t address, size_t bytes) {
  return piece && address >= piece->first && bytes <= piece->end - address;
}

static size_t reach(const stand_in_half *half, const CUDA_MEMCPY3D *copy) {
  return ((copy->depth - 1 + half->z) * half->height + copy->height - 1 + half->y) * half->pitch + half->x + copy->width;
}

static uintptr_t base(const stand_in_half *half) { return half->type == HOST ? (uintptr_t)half->host : (uintptr_t)half->device; }

/* Whether a copy that a stream has not made yet needs a piece. */
static int is_used(const struct piece *piece) {
  for (int s = 0; s < STREAMS; ++s)
    for (const struct operation *one = streams[s].first; one; one = one->next)
      if (find(base(&one->copy.from)) == piece || find(base(&one->copy.to)) == piece) return 1;
  return 0;
}

static int release(const char *function, uintptr_t address, enum stand_in_kind kind) {
  struct piece *piece = find(address);
  if (!piece || piece->first != address || piece->kind != kind || !piece->data)
    return breaks(INVALID_VALUE, "%s: not the beginning of an allocation", function);
  if (piece->owner) return breaks(INVALID_VALUE, "%s: memory of another process, which cuIpcCloseMemHandle closes", function);
  if (is_used(piece)) return breaks(INVALID_VALUE, "%s: a stream has yet to copy from or to this memory", function);
  const int users = piece->users ? __atomic_load_n(piece->users, __ATOMIC_ACQUIRE) : 0;
  unmap(piece);
  return users > 0 ? breaks(SUCCESS, "%s: %d processes have this memory open", function, users) : SUCCESS;
}

/* ---------------------------------------------------------------- contexts, for each thread its own stack */

static int in_device(int device) { return device >= 0 && device < DEVICES; }

int cuDeviceGet(int *device, int ordinal) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status && !in_device(ordinal)) status = breaks(INVALID_VALUE, "cuDeviceGet: there is no device %d", ordinal);
  if (!status) *device = ordinal;
  pthread_mutex_unlock(&lock);
  return status;
}

int cuDeviceGetCount(int *count) {
  *count = DEVICES;
  return initialised ? SUCCESS : NOT_INITIALIZED;
}

int cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, (size_t)length, "stand-in %d of the tests", device);
  return initialised ? SUCCESS : NOT_INITIALIZED;
}

int cuDevicePrimaryCtxRetain(CUcontext *context, int device) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status && !in_device(device)) status = breaks(INVALID_VALUE, "cuDevicePrimaryCtxRetain: there is no device %d", device);
  if (!status) {
    *context = &contexts[device];
    ++contexts[device].retained;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  pthread_mutex_lock(&lock);
  const int status = may_fail();
  int found = SUCCESS;
  if (!in_device(device) || contexts[device].retained == 0)
    found = breaks(INVALID_CONTEXT, "cuDevicePrimaryCtxRelease: the primary context of device %d is not retained", device);
  else
    --contexts[device].retained;
  pthread_mutex_unlock(&lock);
  return status ? status : found;
}

/* They fail for a wrong argument alone: a kernel that crashed does not matter to them. HIP's contexts are its devices, and there always. Each
 * thread of HIP has a device, the first at the beginning, beside the stack. */
static int is_context(CUcontext context) { return context && (IS_HIP || context->retained > 0); }

int cuCtxPushCurrent_v2(CUcontext context) {
  pthread_mutex_lock(&lock);
  int status = initialised ? SUCCESS : NOT_INITIALIZED;
  if (!status && !is_context(context)) status = breaks(INVALID_CONTEXT, "cuCtxPushCurrent: no such context");
  if (!status && stacked == DEPTH) status = breaks(INVALID_VALUE, "cuCtxPushCurrent: %d contexts are pushed in this thread", DEPTH);
  if (!status) device_of_hip = stack[stacked++] = context;
  pthread_mutex_unlock(&lock);
  return status;
}

/* The top of the stack is another one; NULL: it has one less. */
int cuCtxSetCurrent(CUcontext context) {
  pthread_mutex_lock(&lock);
  int status = initialised ? SUCCESS : NOT_INITIALIZED;
  if (!status && context && !is_context(context)) status = breaks(INVALID_CONTEXT, "cuCtxSetCurrent: no such context");
  if (!status && stacked > 0) --stacked;
  if (!status && context) device_of_hip = stack[stacked++] = context;
  pthread_mutex_unlock(&lock);
  return status;
}

int cuCtxGetCurrent(CUcontext *context) {
  *context = current();
  return initialised ? SUCCESS : NOT_INITIALIZED;
}

int cuCtxPopCurrent_v2(CUcontext *context) {
  pthread_mutex_lock(&lock);
  int status = initialised ? SUCCESS : NOT_INITIALIZED;
  if (!status && stacked == 0) status = breaks(INVALID_CONTEXT, "cuCtxPopCurrent: this thread's stack is empty");
  if (!status) *context = stack[--stacked];
  pthread_mutex_unlock(&lock);
  return status;
}

/* ---------------------------------------------------------------- allocations */

int cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status) status = needs_context("cuMemAlloc");
  if (!status) status = allocate(address, bytes, current(), current()->device);
  pthread_mutex_unlock(&lock);
  return status;
}

int cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  (void)stream;
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status) status = needs_context("cuMemAllocAsync");
  if (!status) status = allocate(address, bytes, NULL, current()->device);
  pthread_mutex_unlock(&lock);
  return status;
}

int cuMemFree_v2(CUdeviceptr address) {
  pthread_mutex_lock(&lock);
  const int status = may_fail(), found = release("cuMemFree", (uintptr_t)address, STAND_IN_DEVICE);
  pthread_mutex_unlock(&lock);
  return status ? status : found;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  (void)flags;
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status) status = needs_context("cuMemHostAlloc");
  if (!status && bytes == 0) status = breaks(INVALID_VALUE, "cuMemHostAlloc: 0 bytes");
  void *data = status ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!status && data == MAP_FAILED) status = OUT_OF_MEMORY;
  if (!status) {
    memset(data, 0x5a, bytes);
    const CUcontext context = current();
    add((struct piece){.first = (uintptr_t)data,
                       .end = (uintptr_t)data + bytes,
                       .kind = STAND_IN_PINNED,
                       .ordinal = context->device,
                       .data = data,
                       .context = context});
    *memory = data;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int cuMemFreeHost(void *memory) {
  pthread_mutex_lock(&lock);
  const int status = may_fail(), missing = needs_context("cuMemFreeHost"),
            found = release("cuMemFreeHost", (uintptr_t)memory, STAND_IN_PINNED);
  pthread_mutex_unlock(&lock);
  return status ? status : missing ? missing : found;
}

/* Memory of a pool belongs to no context. */
static int has_handle(const struct piece *piece) {
  return piece && piece->kind == STAND_IN_DEVICE && piece->data && piece->context && !piece->owner;
}

/* Of an address that it does not know the driver says: no type, the address itself as the host's, the ordinal -2. HIP: no address; and of a
 * range's size it writes the lower half. */
static int answer(int attribute, void *into, uintptr_t address) {
  const struct piece *piece = find(address);
  switch (attribute) {
    case CONTEXT: *(CUcontext *)into = piece ? piece->context : NULL; return SUCCESS;
    case MEMORY_TYPE: *(unsigned *)into = !piece ? 0 : piece->kind == STAND_IN_PINNED ? HOST : DEVICE; return SUCCESS;
    case HOST_POINTER: *(uintptr_t *)into = (piece ? piece->kind == STAND_IN_DEVICE : IS_HIP) ? 0 : address; return SUCCESS;
    case IPC_CAPABLE: *(unsigned *)into = ipc != STAND_IN_IPC_NOT_GIVEN && has_handle(piece); return SUCCESS;
    case RANGE_START: *(CUdeviceptr *)into = piece ? piece->first : 0; return SUCCESS;
    case RANGE_SIZE:
      if (IS_HIP) return *(unsigned *)into = piece ? (unsigned)(piece->end - piece->first) : 0, SUCCESS;
      *(size_t *)into = piece ? piece->end - piece->first : 0;
      return SUCCESS;
    case DEVICE_ORDINAL: *(int *)into = piece ? piece->ordinal : -2; return SUCCESS;
    default: return INVALID_VALUE;
  }
}

/* Whether an address is a device's can always be asked. */
int cuPointerGetAttributes(unsigned count, int *attributes, void **data, CUdeviceptr address) {
  pthread_mutex_lock(&lock);
  ++asked;
  int status = !initialised && !IS_HIP ? NOT_INITIALIZED : attributes[0] == CONTEXT || attributes[0] == IPC_CAPABLE ? may_fail() : SUCCESS;
  for (unsigned i = 0; !status && i < count; ++i) status = answer(attributes[i], data[i], (uintptr_t)address);
  pthread_mutex_unlock(&lock);
  return status;
}

/* ---------------------------------------------------------------- memory of other processes */

void stand_in_cuda_ipc(enum stand_in_ipc of_now) { ipc = of_now; }
long stand_in_cuda_inside(void) { return inside_copies; }
long stand_in_cuda_read(void) { return read_copies; }

int cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  const struct piece *piece = find((uintptr_t)address);
  if (!status) status = needs_context("cuIpcGetMemHandle");
  if (!status && (ipc == STAND_IN_IPC_NOT_GIVEN || !has_handle(piece)))
    status = breaks(INVALID_VALUE, "cuIpcGetMemHandle: this memory has no handle, as CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE says");
  if (!status) {
    const struct handle made = {getpid(), piece->file, piece->ordinal, piece->serial, piece->end - piece->first};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &made, sizeof made);
  }
  pthread_mutex_unlock(&lock);
  return status;
}

/* What the driver's documentation says of a handle that is opened. */
static int check_handle(const struct handle *one) {
  const CUcontext context = current();
  if (one->process == getpid()) return breaks(INVALID_CONTEXT, "cuIpcOpenMemHandle: a handle of this process");
  for (int i = 0; i < pieces_used; ++i) {
    const struct piece *open = &pieces[i];
    if (!open->first || open->owner != one->process) continue;
    if (open->serial == one->serial) return breaks(ALREADY_MAPPED, "cuIpcOpenMemHandle: this process has this memory open");
    if (open->owner_device == one->device && open->ordinal == context->device && open->context != context)
      return breaks(INVALID_CONTEXT, "cuIpcOpenMemHandle: another context of this device has memory of that device of process %d open",
                    one->process);
  }
  return SUCCESS;
}

static int open_file(const struct handle *one) {
  char path[64], link[100] = "", name[64], expected[100];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", one->process, one->file);
  file_name(name, sizeof name, one->process, one->serial);
  snprintf(expected, sizeof expected, "/memfd:%s (deleted)", name);
  const ssize_t length = readlink(path, link, sizeof link - 1);
  if (length < 0 || strcmp(link, expected) != 0) return -1;
  return open(path, O_RDWR | O_CLOEXEC);
}

int cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  struct handle one;
  memcpy(&one, &handle, sizeof one);
  pthread_mutex_lock(&lock);
  int status = may_fail(), file = -1;
  if (!status) status = needs_context("cuIpcOpenMemHandle");
  if (!status && flags != 1)
    status = breaks(INVALID_VALUE, "cuIpcOpenMemHandle: flags are %u, not CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", flags);
  if (!status) status = check_handle(&one);
  if (!status && ipc == STAND_IN_IPC_NOT_OPENED) status = MAP_FAILED_HERE;
  if (!status && (file = open_file(&one)) < 0)
    status = breaks(INVALID_HANDLE, "cuIpcOpenMemHandle: process %d has freed this memory", one.process);
  if (!status) {
    struct piece *piece = map_file(file, one.bytes, current()->device, current());
    if (!piece) status = OUT_OF_MEMORY;
    if (piece) {
      piece->serial = one.serial;
      piece->owner = one.process;
      piece->owner_device = one.device;
      __atomic_add_fetch(piece->users, 1, __ATOMIC_ACQ_REL);
      *address = (CUdeviceptr)piece->first;
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int cuIpcCloseMemHandle(CUdeviceptr address) {
  pthread_mutex_lock(&lock);
  const int status = may_fail();
  int found = needs_context("cuIpcCloseMemHandle");
  struct piece *piece = find((uintptr_t)address);
  if (!found && (!piece || !piece->owner || piece->first != (uintptr_t)address))
    found = breaks(INVALID_VALUE, "cuIpcCloseMemHandle: not an address of cuIpcOpenMemHandle");
  if (!found && is_used(piece)) found = breaks(INVALID_VALUE, "cuIpcCloseMemHandle: a stream has yet to copy from this memory");
  if (!found) {
    __atomic_sub_fetch(piece->users, 1, __ATOMIC_ACQ_REL);
    unmap(piece);
  }
  pthread_mutex_unlock(&lock);
  return status ? status : found;
}

#include "device/stand_in_streams.h"
