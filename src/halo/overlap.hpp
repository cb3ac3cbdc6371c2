// Whether the arrays of two fields overlap.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/geometry.hpp"

namespace halocline::core {

/// From the data of the first to those of the second.
std::int64_t bytes_between(const hlc_field &first, const hlc_field &second);

/// Fields may be interleaved, as the members of a struct are, but no byte may belong to two. Overlap is found for fields with the same
/// strides, as interleaved fields have, for fields without gaps, and for fields that start at the same address.
bool fields_overlap(const hlc_halo_spec &spec, const hlc_field &first, const Extents &first_extents, const hlc_field &second,
                    const Extents &second_extents);

}  // namespace halocline::core
