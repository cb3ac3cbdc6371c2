// The profiling interface: each function is defined as pgaspi_NAME, and gaspi_NAME is a weak alias. A tool may replace the alias by a
// function of its own that counts and calls pgaspi_NAME.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <PGASPI.h>

/// To be used in the file that defines pgaspi_NAME, inside extern "C".
#define HLC_WEAK_ALIAS(name) decltype(pgaspi_##name) gaspi_##name __attribute__((weak, alias("pgaspi_" #name)))
