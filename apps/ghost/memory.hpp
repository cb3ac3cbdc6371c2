// A part of memory per rank, of which some kinds can be read by all ranks of the node: what MPI allocates shared, and a segment of GASPI
// whose notifications are shared as well (Simmendinger et al., section 3.2). Every part begins on a page and holds zeros; a rank writes to
// its own part alone.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.hpp"

#include <GASPI_Ext.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace ghost {

class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::byte *mine() = 0;
  /// Where this process sees the part of a rank of its node.
  virtual std::byte *of(int node_rank) = 0;
};

/// Memory of the process, which nobody else sees.
std::unique_ptr<Memory> private_memory(std::size_t bytes);

/// MPI_Win_allocate_shared among ranks that share memory. Collective over them.
std::unique_ptr<Memory> window_memory(MPI_Comm node, std::size_t bytes);

/// A segment of GASPI, which ranks of other nodes can write to. Collective over all ranks.
class SegmentMemory : public Memory {
 public:
  SegmentMemory(const Grid &grid, gaspi_segment_id_t id, std::size_t bytes);
  ~SegmentMemory() override;
  std::byte *mine() override { return parts_[static_cast<std::size_t>(me_)]; }
  std::byte *of(int node_rank) override { return parts_[static_cast<std::size_t>(node_rank)]; }
  gaspi_segment_id_t id() const { return id_; }

 private:
  gaspi_segment_id_t id_;
  int me_;
  std::vector<std::byte *> parts_;
};

/// Throws with GASPI's own sentence unless code is GASPI_SUCCESS.
void must(gaspi_return_t code, const char *call);

}  // namespace ghost
