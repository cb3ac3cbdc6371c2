// Statuses of the engine as GASPI's return values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <GASPI.h>

#include "base/status.hpp"

namespace halocline::core::gaspi {

/// `again`: not yet complete. The message of a failure stays with the thread, for gaspi_print_error.
inline gaspi_return_t answer(Status status) {
  switch (status) {
    case Status::ok: return GASPI_SUCCESS;
    case Status::again: return GASPI_TIMEOUT;
    case Status::memory: return GASPI_ERR_MEMALLOC;
    default: return GASPI_ERROR;
  }
}

}  // namespace halocline::core::gaspi
