/* The place where programs before OpenSHMEM 1.2 look for shmemx.h. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPP_SHMEMX_H
#define MPP_SHMEMX_H
#include <shmemx.h>
#endif
