// Which form a halo has.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/halo.hpp"
#include "halo/stage.hpp"
#include "halo/staged.hpp"

namespace halocline::core {

/// A spec that accept will refuse has one stage.
std::unique_ptr<Halo> Halo::make(const EngineParts &engine, const hlc_halo_spec *spec) {
  const bool has_dims = spec && spec->grid && spec->grid->ndims > 0 && spec->grid->ndims <= HLC_MAX_DIMS;
  if (has_dims && Staged::pays(*spec)) return std::make_unique<Staged>(engine);
  return std::make_unique<Stage>(engine);
}

}  // namespace halocline::core
