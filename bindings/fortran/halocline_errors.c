/*
 * What the Fortran binding itself found wrong with a thread's last failed call. Fortran has no variables of a thread. Called by
 * halocline_errors.F90 only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

static _Thread_local char kept[201];

void hlc_fortran_keep_message(const char *message) { snprintf(kept, sizeof kept, "%s", message); }

const char *hlc_fortran_kept_message(void) { return kept; }
