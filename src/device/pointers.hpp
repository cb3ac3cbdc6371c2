// Where memory is: the host's, or a device's that the host cannot access. CUDA's driver knows; without it no address is a device's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/bounds.hpp"

namespace halocline::core::device {

inline constexpr int kHost = -1;
/// The number of the device that has the memory; kHost if the host can access it, too, or if no driver has been found. Any thread may call.
int find_device(const void *data);

/// HLC_ERR_UNSUPPORTED: "hlc_call on rank 1: fields[0] 'u' is in the memory of CUDA device 0, ...".
Status refuse_device(const Caller &caller, const std::string &who, int device);

/// Fails if an array is in memory that only a device can access. who() is what messages call the array.
template <class Who>
Status check_on_host(const Caller &caller, const void *data, Who who) {
  const int device = find_device(data);
  return device == kHost ? Status::ok : refuse_device(caller, who(), device);
}

}  // namespace halocline::core::device
