// The exchange of a pattern as one rank sees it, in one way: as the program has it, or in a mode of the library. Packing and unpacking are part
// of each that needs them, to and from the same arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <memory>
#include <string>
#include <vector>

#include "sides.hpp"

namespace replay {

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void exchange() = 0;
  /// The mode of the last exchange; empty if the name says it.
  virtual std::string mode() const { return ""; }
};

/// MPI_Irecv, MPI_Isend and MPI_Waitall, stage by stage, with datatypes where the program has them.
std::unique_ptr<Contender> as_recorded(Sides &sides);

/// hlc_exchange in a mode; null if it can't be made here, with the reason.
std::unique_ptr<Contender> in_mode(hlc_context *context, Sides &sides, const std::vector<Entry> &entries, hlc_mode mode,
                                   std::string &reason);

/// hlc_index_halo in a mode that reads arrays of other ranks, or auto; null if it can't be made here, or its lists would be too long, with
/// the reason. Collective.
std::unique_ptr<Contender> in_place(hlc_context *context, Sides &sides, const std::vector<Entry> &entries, hlc_mode mode,
                                    std::string &reason);

}  // namespace replay
