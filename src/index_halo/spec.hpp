// What one rank can check of an index halo's spec alone. A message names the argument, the rank and the value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/status.hpp"
#include "index_halo/entries.hpp"

namespace halocline::core {

/// Checks everything in a spec that one rank can check alone.
Status check_spec(const hlc_index_halo_spec *spec, int rank, int size);

/// The name of a field in messages.
std::string field_name(const hlc_index_halo_spec &spec, int f);
/// The size and type of a field's entries.
EntryKind kind_of(const hlc_index_field &field);
/// The places of its entries, the default strides filled in.
EntryLayout layout_of(const hlc_index_field &field);
/// Bytes from a field's first byte to behind its last.
std::int64_t field_extent(const hlc_index_halo_spec &spec, const hlc_index_field &field);

}  // namespace halocline::core
