/* See stand_in.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "device/stand_in.h"

#include <stdint.h>

enum { MOST = 64 };
/* CUresult. */
enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3 };
/* CUpointer_attribute and CUmemorytype. */
enum { MEMORY_TYPE = 2, HOST_POINTER = 4, DEVICE_ORDINAL = 9 };
enum { HOST = 1, DEVICE = 2 };

static struct piece {
  uintptr_t first, end;
  enum stand_in_kind kind;
  int ordinal;
} pieces[MOST];
static int named = 0, initialised = 0;
static long asked = 0;

void stand_in_cuda_name(const void *data, size_t bytes, enum stand_in_kind kind, int ordinal) {
  if (named < MOST) pieces[named++] = (struct piece){(uintptr_t)data, (uintptr_t)data + bytes, kind, ordinal};
}

void stand_in_cuda_forget(void) { named = 0; }

long stand_in_cuda_asked(void) { return asked; }

int cuInit(unsigned flags) {
  if (flags != 0) return INVALID_VALUE;
  initialised = 1;
  return SUCCESS;
}

static const struct piece *find(uintptr_t address) {
  for (int i = 0; i < named; ++i)
    if (address >= pieces[i].first && address < pieces[i].end) return &pieces[i];
  return NULL;
}

/* Of an address that it does not know the driver says: no type, the address itself as the host's, the ordinal -2. */
static int answer(int attribute, void *into, uintptr_t address) {
  const struct piece *piece = find(address);
  switch (attribute) {
    case MEMORY_TYPE: *(unsigned *)into = !piece ? 0 : piece->kind == STAND_IN_PINNED ? HOST : DEVICE; return SUCCESS;
    case HOST_POINTER: *(uintptr_t *)into = piece && piece->kind == STAND_IN_DEVICE ? 0 : address; return SUCCESS;
    case DEVICE_ORDINAL: *(int *)into = piece ? piece->ordinal : -2; return SUCCESS;
    default: return INVALID_VALUE;
  }
}

int cuPointerGetAttributes(unsigned count, int *attributes, void **data, unsigned long long address);

int cuPointerGetAttributes(unsigned count, int *attributes, void **data, unsigned long long address) {
  ++asked;
  if (!initialised) return NOT_INITIALIZED;
  for (unsigned i = 0; i < count; ++i) {
    const int status = answer(attributes[i], data[i], (uintptr_t)address);
    if (status != SUCCESS) return status;
  }
  return SUCCESS;
}
