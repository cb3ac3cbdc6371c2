/* A stand-in for libxpmem over memfd: what stand_in_alloc gives can be exposed and attached, and no other memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_TESTS_XPMEM_STAND_IN_H
#define HALOCLINE_TESTS_XPMEM_STAND_IN_H
#include <stddef.h>

/* Memory of this process alone, until it is exposed. NULL on failure. */
void *stand_in_alloc(size_t bytes);
void stand_in_free(void *data);
/* Attachments that have not been detached. */
int stand_in_attached(void);

#endif
