// The profiling interface: each function is defined as PARMCI_NAME, and ARMCI_NAME is a weak alias. A tool may replace the alias by a
// function of its own that counts and calls PARMCI_NAME.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <parmci.h>

/// To be used in the file that defines PARMCI_NAME, inside extern "C".
#define HLC_ARMCI_ALIAS(name) decltype(PARMCI_##name) ARMCI_##name __attribute__((weak, alias("PARMCI_" #name)))
