// The options of `halocline-bench halo`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"

#include <halocline/halocline.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// How the edge of the interior changes before a swap, as a solver would change it.
enum class Edge { stamp, rewrite };

struct ElementType {
  std::string name;
  hlc_type type;
  std::size_t bytes;
};

struct HaloOptions : CommonOptions {
  HaloOptions() { repetitions = 50; }

  std::vector<std::int64_t> local{16, 16, 256};  ///< cells per rank along x, y, z
  std::int64_t depth = 2;
  int fields = 29;
  std::string type = "float64";
  halocline::Stencil stencil = halocline::Stencil::box;
  bool split_z = false;
  bool reorder = false;  ///< the ranks get the places in which most neighbours share a node
  std::vector<std::string> modes{"all"};
  bool epochs = false, drives = false;
  int warmups = 2;
  double skew_us = 0;
  Edge edge = Edge::stamp;
  std::string doctor;  ///< a report of halocline-doctor; empty: the one it has kept; "none": none

  /// The element type by its name.
  const ElementType &element() const;
  /// The library modes to run, in the order of the table; p2p is always among them.
  std::vector<halocline::Mode> selected() const;
};

/// The words that an option may be: element types, modes that can race.
std::vector<std::string> names_of_types();
std::vector<std::string> names_of_modes();

}  // namespace bench
