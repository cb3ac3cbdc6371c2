/* The place where programs before OpenSHMEM 1.2 look for shmem.h. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPP_SHMEM_H
#define MPP_SHMEM_H
#include <shmem.h>
#endif
