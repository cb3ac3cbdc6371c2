// SPDX-License-Identifier: BSD-3-Clause
#include "library/auto_plan.hpp"

#include <algorithm>
#include <iterator>

namespace bench {

namespace {

/// None of these is among those from which a machine card is fitted.
const AutoShape kAutoShapes[] = {
    {4, 4, 8, 1, 1, "float64", halocline::Stencil::star, false},     {10, 12, 40, 1, 3, "float32", halocline::Stencil::box, false},
    {32, 32, 64, 2, 6, "float64", halocline::Stencil::box, false},   {8, 8, 8, 1, 1, "int32", halocline::Stencil::box, true},
    {20, 20, 200, 3, 2, "float64", halocline::Stencil::box, false},  {64, 64, 16, 1, 1, "complex128", halocline::Stencil::star, true},
    {12, 12, 96, 2, 20, "float32", halocline::Stencil::star, false}, {16, 16, 16, 2, 4, "int64", halocline::Stencil::box, true},
    {40, 24, 128, 1, 12, "float64", halocline::Stencil::box, false},
};
const AutoLaunch kLaunches[] = {{2, 1}, {4, 1}, {4, 2}, {3, 1}, {8, 1}, {6, 1}};

}  // namespace

std::vector<Configuration> configurations(int started, int most) {
  std::vector<AutoLaunch> launches;
  std::copy_if(std::begin(kLaunches), std::end(kLaunches), std::back_inserter(launches),
               [started](const AutoLaunch &launch) { return launch.ranks <= started; });
  // In each round every shape is there once, on the launch after that of the round before.
  std::vector<Configuration> all;
  for (std::size_t round = 0; round < launches.size(); ++round)
    for (std::size_t shape = 0; shape < std::size(kAutoShapes); ++shape)
      all.push_back({kAutoShapes[shape], launches[(shape + round) % launches.size()]});
  all.resize(std::min(all.size(), static_cast<std::size_t>(most)));
  return all;
}

}  // namespace bench
