// Statuses of the engine as GASPI's return values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <GASPI.h>

#include "faces/common/status_map.hpp"

namespace halocline::core::gaspi {

/// `again`: not yet complete. The message of a failure stays with the thread, for gaspi_print_error.
inline constexpr StatusMap<gaspi_return_t, 3> kAnswers{
    {{Status::ok, GASPI_SUCCESS}, {Status::again, GASPI_TIMEOUT}, {Status::memory, GASPI_ERR_MEMALLOC}}, GASPI_ERROR};

inline gaspi_return_t answer(Status status) { return kAnswers.of(status); }

}  // namespace halocline::core::gaspi
