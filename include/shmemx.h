/*
 * Extensions of OpenSHMEM would stand here. There are none: what shmem.h declares is OpenSHMEM 1.5, what 1.5 deprecates,
 * and shmem_team_ptr of 1.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SHMEMX_H
#define SHMEMX_H

#include <shmem.h>

#endif /* SHMEMX_H */
