// UCX's statuses as numbers of errors, beside those of the system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucs/type/status.h>

namespace halocline::core::transport::ucx {

inline constexpr int kFirstOfUcx = 1000;  // above all of errno

inline int error_of(ucs_status_t status) { return status == UCS_OK ? 0 : kFirstOfUcx - static_cast<int>(status); }
inline bool is_of_ucx(int error) { return error > kFirstOfUcx; }
inline ucs_status_t status_of(int error) { return static_cast<ucs_status_t>(kFirstOfUcx - error); }

}  // namespace halocline::core::transport::ucx
