/*
 * Extensions of OpenSHMEM would stand here. There are none: what shmem.h declares is OpenSHMEM 1.5 and what 1.5 deprecates.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SHMEMX_H
#define SHMEMX_H

#include <shmem.h>

#endif /* SHMEMX_H */
