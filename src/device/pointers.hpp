// Where memory is: the host's, or a device's that the host cannot access. The driver knows; without it no address is a device's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bounds.hpp"

namespace halocline::core::device {

inline constexpr int kHost = -1;
/// The number of the device that has the memory; kHost if the host can access it, too, or if no driver has been found. Any thread may call.
int find_device(const void *data);

/// Fails with HLC_ERR_UNSUPPORTED if an argument of a call is in memory that only a device can access: "hlc_put on rank 1: data is in the memory
/// of CUDA device 0, ...". CUDA's driver is not asked again for a page that was the host's at the last call of this thread: the addresses of
/// its memory are its own. HIP is asked each time: ROCm may map memory of a device where the host had some.
Status check_argument(const Caller &caller, const char *argument, const void *data);

}  // namespace halocline::core::device
