// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/options.hpp"

#include <algorithm>

namespace bench {

static const std::vector<ElementType> kTypes = {{"float32", HLC_FLOAT32, 4},     {"float64", HLC_FLOAT64, 8},
                                                {"int32", HLC_INT32, 4},         {"int64", HLC_INT64, 8},
                                                {"complex64", HLC_COMPLEX64, 8}, {"complex128", HLC_COMPLEX128, 16}};

std::vector<std::string> names_of_types() {
  std::vector<std::string> names;
  for (const ElementType &type : kTypes) names.push_back(type.name);
  return names;
}

/// A swap in mode view moves nothing: what it costs is the solver's reading, which apps/ghost measures. Here it would be mode direct again.
static bool can_race(int mode) { return mode != HLC_MODE_VIEW; }

std::vector<std::string> names_of_modes() {
  std::vector<std::string> names{"all"};
  for (int mode = HLC_MODE_DEFAULT + 1; mode < HLC_MODE_COUNT_; ++mode)
    if (can_race(mode)) names.push_back(hlc_mode_name(static_cast<hlc_mode>(mode)));
  return names;
}

const ElementType &HaloOptions::element() const {
  return *std::find_if(kTypes.begin(), kTypes.end(), [&](const ElementType &known) { return known.name == type; });
}

std::vector<halocline::Mode> HaloOptions::selected() const {
  const auto asked = [&](const std::string &name) { return std::find(modes.begin(), modes.end(), name) != modes.end(); };
  std::vector<halocline::Mode> chosen;
  for (int mode = HLC_MODE_DEFAULT + 1; mode < HLC_MODE_COUNT_; ++mode)
    if (can_race(mode) &&
        (mode == HLC_MODE_P2P || (asked("all") && mode != HLC_MODE_AUTO) || asked(hlc_mode_name(static_cast<hlc_mode>(mode)))))
      chosen.push_back(static_cast<halocline::Mode>(mode));
  return chosen;
}

}  // namespace bench
