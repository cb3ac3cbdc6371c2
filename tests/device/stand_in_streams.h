/* Streams, events and copies of the stand-in: the second half of stand_in.c, which includes it.
   SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* ---------------------------------------------------------------- streams and copies */

static int are_done(const long *counts) {
  for (int s = 0; s < STREAMS; ++s)
    if (counts[s] > streams[s].done) return 0;
  return 1;
}

static void raise_to(long *counts, int stream, long count) {
  if (counts[stream] < count) counts[stream] = count;
}

/* Where the host finds the first byte of a side. */
static char *place(const stand_in_half *half) {
  const struct piece *piece = find(base(half));
  return piece->data + (base(half) - piece->first) + (half->z * half->height + half->y) * half->pitch + half->x;
}

static void make(const CUDA_MEMCPY3D *copy, char *to, const char *from) {
  for (size_t z = 0; z < copy->depth; ++z)
    for (size_t y = 0; y < copy->height; ++y)
      memcpy(to + (z * copy->to.height + y) * copy->to.pitch, from + (z * copy->from.height + y) * copy->from.pitch, copy->width);
}

static void *run(void *argument) {
  struct stand_in_stream *stream = argument;
  unsigned random = (unsigned)(uintptr_t)&random ^ (unsigned)getpid();
  pthread_mutex_lock(&lock);
  while (stream->first || !stream->dying) {
    struct operation *one = stream->first;
    if (!one || !are_done(one->after)) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    char *to = place(&one->copy.to);
    const char *from = place(&one->copy.from);
    pthread_mutex_unlock(&lock);
    if (late_us > 0 && rand_r(&random) % 4 == 0) usleep((unsigned)rand_r(&random) % late_us);
    make(&one->copy, to, from);
    pthread_mutex_lock(&lock);
    stream->first = one->next;
    if (!stream->first) stream->last = NULL;
    ++stream->done;
    free(one);
    pthread_cond_broadcast(&changed);
  }
  stream->exists = 0;
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* given and done go on from what a stream before has left: operations of others may wait for that one. */
static int start_stream(struct stand_in_stream *stream, CUcontext context, int blocking) {
  pthread_t thread;
  pthread_attr_t detached;
  stream->exists = 1;
  stream->dying = 0;
  stream->blocking = blocking;
  memset(stream->waits, 0, sizeof stream->waits);
  stream->context = context;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  const int status = pthread_create(&thread, &detached, run, stream);
  pthread_attr_destroy(&detached);
  if (status) stream->exists = 0;
  return status ? OUT_OF_MEMORY : SUCCESS;
}

int cuStreamCreate(CUstream *stream, unsigned flags) {
  pthread_mutex_lock(&lock);
  int status = may_fail(), s = 1;
  if (!status) status = needs_context("cuStreamCreate");
  while (s < STREAMS && streams[s].exists) ++s;
  if (!status && s == STREAMS) status = OUT_OF_MEMORY;
  if (!status) status = start_stream(&streams[s], current(), !(flags & 1));
  if (!status) *stream = &streams[s];
  pthread_mutex_unlock(&lock);
  return status;
}

static struct stand_in_stream *known(CUstream stream) {
  if (!stream) {
    if (!streams[0].exists) start_stream(&streams[0], NULL, 0);
    return &streams[0];
  }
  for (int s = 1; s < STREAMS; ++s)
    if (stream == &streams[s] && streams[s].exists && !streams[s].dying) return stream;
  return NULL;
}

/* A stream that has work left ends after it. */
int cuStreamDestroy_v2(CUstream stream) {
  pthread_mutex_lock(&lock);
  const int status = may_fail();
  struct stand_in_stream *one = stream ? known(stream) : NULL;
  const int found = one ? SUCCESS : breaks(INVALID_HANDLE, "cuStreamDestroy: no such stream");
  if (one) one->dying = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return status ? status : found;
}

static void wait_for(const struct stand_in_stream *stream) {
  long counts[STREAMS];
  memcpy(counts, stream->waits, sizeof counts);
  raise_to(counts, (int)(stream - streams), stream->given);
  while (!are_done(counts)) pthread_cond_wait(&changed, &lock);
}

/* Even a call that fails has waited. */
int cuStreamSynchronize(CUstream stream) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  struct stand_in_stream *one = known(stream);
  if (!one) status = breaks(INVALID_HANDLE, "cuStreamSynchronize: no such stream");
  if (one) wait_for(one);
  pthread_mutex_unlock(&lock);
  return status;
}

/* ---------------------------------------------------------------- events */

static int is_event(CUevent event) { return event >= events && event < events + EVENTS && event->exists; }

int cuEventCreate(CUevent *event, unsigned flags) {
  (void)flags;
  pthread_mutex_lock(&lock);
  int status = may_fail(), e = 0;
  if (!status) status = needs_context("cuEventCreate");
  while (e < EVENTS && events[e].exists) ++e;
  if (!status && e == EVENTS) status = OUT_OF_MEMORY;
  if (!status) {
    events[e] = (struct stand_in_event){.exists = 1, .context = current()};
    *event = &events[e];
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int cuEventDestroy_v2(CUevent event) {
  pthread_mutex_lock(&lock);
  const int status = may_fail(), found = is_event(event) ? SUCCESS : breaks(INVALID_HANDLE, "cuEventDestroy: no such event");
  if (!found) event->exists = 0;
  pthread_mutex_unlock(&lock);
  return status ? status : found;
}

int cuEventRecord(CUevent event, CUstream stream) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  const struct stand_in_stream *one = known(stream);
  if (!status && (!one || !is_event(event))) status = breaks(INVALID_HANDLE, "cuEventRecord: no such %s", one ? "event" : "stream");
  if (!status && one->context && one->context != event->context)
    status = breaks(INVALID_HANDLE, "cuEventRecord: the event and the stream belong to two contexts");
  if (!status) {
    memcpy(event->after, one->waits, sizeof event->after);
    raise_to(event->after, (int)(one - streams), one->given);
    for (int s = 0; one == &streams[0] && s < STREAMS; ++s)
      if (streams[s].blocking) raise_to(event->after, s, streams[s].given);
    event->recorded = 1;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  struct stand_in_stream *one = known(stream);
  if (!status && (!one || !is_event(event))) status = breaks(INVALID_HANDLE, "cuStreamWaitEvent: no such %s", one ? "event" : "stream");
  if (!status && flags != 0) status = breaks(INVALID_VALUE, "cuStreamWaitEvent: flags are %u", flags);
  if (!status && !event->recorded) status = breaks(INVALID_VALUE, "cuStreamWaitEvent: nothing was recorded");
  for (int s = 0; !status && s < STREAMS; ++s) raise_to(one->waits, s, event->after[s]);
  pthread_mutex_unlock(&lock);
  return status;
}

/* Copies of one dimension, after all others, as those of the default stream. */
static int copy_now(char *to, const char *from, size_t bytes, CUdeviceptr device, const char *function) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status) status = needs_context(function);
  for (int s = 0; s < STREAMS; ++s)
    if (s == 0 || streams[s].blocking) wait_for(&streams[s]);
  const struct piece *piece = find((uintptr_t)device);
  if (!status && (!inside(piece, (uintptr_t)device, bytes) || piece->kind != STAND_IN_DEVICE))
    status = breaks(INVALID_VALUE, "%s: the copy leaves the allocation", function);
  if (!status) {
    char *there = piece->data + ((uintptr_t)device - piece->first);
    memcpy(to ? to : there, from ? from : there, bytes);
  }
  pthread_mutex_unlock(&lock);
  return status;
}
int cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) { return copy_now(NULL, from, bytes, to, "cuMemcpyHtoD"); }
int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) { return copy_now(to, NULL, bytes, from, "cuMemcpyDtoH"); }

/* As a copy, but that the host does not wait for it is left out. */
int cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status) status = needs_context("cuMemsetD8");
  const struct piece *piece = find((uintptr_t)to);
  if (!status && (!inside(piece, (uintptr_t)to, bytes) || piece->kind != STAND_IN_DEVICE))
    status = breaks(INVALID_VALUE, "cuMemsetD8: it leaves the allocation");
  if (!status) memset(piece->data + ((uintptr_t)to - piece->first), value, bytes);
  pthread_mutex_unlock(&lock);
  return status;
}

/* The rules for one side of a copy. The host's memory may be pageable, but then the call waits for the copy: the library does not want that. */
static int check_half(const char *side, const stand_in_half *half, const CUDA_MEMCPY3D *copy) {
  if (half->type != HOST && half->type != DEVICE) return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %sMemoryType is %u", side, half->type);
#ifndef HALOCLINE_STAND_IN_HIP
  if (half->reserved) return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %sreserved must be 0", side);
#endif
  if (half->level) return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %sLOD must be 0", side);
  if (half->pitch < copy->width + half->x || half->pitch > MAX_PITCH)
    return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %sPitch is %zu, but must be at least WidthInBytes, %zu, and at most %zu", side,
                  half->pitch, copy->width, MAX_PITCH);
  if (half->height < copy->height + half->y)
    return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %sHeight is %zu, less than Height, %zu", side, half->height, copy->height);
  const struct piece *piece = find(base(half));
  if (!piece || !piece->data || piece->kind != (half->type == HOST ? STAND_IN_PINNED : STAND_IN_DEVICE))
    return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %s is not in %s memory", side, half->type == HOST ? "pinned" : "device");
  if (!inside(piece, base(half), reach(half, copy))) return breaks(INVALID_VALUE, "cuMemcpy3DAsync: %s leaves its allocation", side);
  return SUCCESS;
}

/* Whether the default stream is one of two, and the other waits for it. */
static int meets(const struct stand_in_stream *stream, int other) {
  return (stream == &streams[0] && streams[other].blocking) || (other == 0 && stream->blocking);
}

static int give(const CUDA_MEMCPY3D *copy, struct stand_in_stream *stream) {
  struct operation *one = calloc(1, sizeof *one);
  if (!one) return OUT_OF_MEMORY;
  one->copy = *copy;
  memcpy(one->after, stream->waits, sizeof one->after);
  for (int s = 0; s < STREAMS; ++s)
    if (meets(stream, s)) raise_to(one->after, s, streams[s].given);
  if (stream->last)
    stream->last->next = one;
  else
    stream->first = one;
  stream->last = one;
  ++stream->given;
  pthread_cond_broadcast(&changed);
  return SUCCESS;
}

int cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  pthread_mutex_lock(&lock);
  int status = may_fail();
  if (!status) status = needs_context("cuMemcpy3DAsync");
  struct stand_in_stream *one = known(stream);
  if (!status && !one) status = breaks(INVALID_HANDLE, "cuMemcpy3DAsync: no such stream");
  if (!status && one->context && one->context != current())
    status = breaks(INVALID_HANDLE, "cuMemcpy3DAsync: the stream belongs to another context than the current one");
  if (!status && (copy->width == 0 || copy->height == 0 || copy->depth == 0))
    status = breaks(INVALID_VALUE, "cuMemcpy3DAsync: nothing to copy");
  if (!status) status = check_half("src", &copy->from, copy);
  if (!status) status = check_half("dst", &copy->to, copy);
  if (!status) status = give(copy, one);
  if (!status && copy->from.type == DEVICE && copy->to.type == DEVICE) {
    ++inside_copies;
    read_copies += find(base(&copy->from))->owner != 0;
  }
  pthread_mutex_unlock(&lock);
  return status;
}
