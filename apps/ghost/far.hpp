// What travels to and from ranks whose memory is not read directly: one message per neighbour and exchange, by MPI or by notified writes.
// An exchange is open; out and send for each link; take until all have come; close.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.hpp"
#include "memory.hpp"

#include <memory>
#include <vector>

namespace ghost {

/// A neighbour in one direction, and the cells that go both ways.
struct Link {
  int direction;
  int rank;
  Index face;
  std::int64_t count() const { return volume(face); }
};

class Far {
 public:
  virtual ~Far() = default;
  /// From here on the messages of this exchange may come; what take gave of the last one is not read any more.
  virtual void open(std::int64_t exchange) = 0;
  /// Where the cells for a link are packed.
  virtual double *out(std::size_t link) = 0;
  virtual void send(std::size_t link) = 0;
  /// Waits for a message that has not been taken, and returns its link. In order of arrival.
  virtual std::size_t take() = 0;
  /// The cells that came: there until the next open.
  virtual const double *in(std::size_t link) const = 0;
  /// Returns when `out` may be written again.
  virtual void close() = 0;
  /// Moves along what others wait for. Cheap.
  virtual void nudge() = 0;
  /// Returns when all ranks have called it; until then it moves along what they wait for. Collective over all ranks.
  virtual void meet() = 0;
};

/// MPI: all receives are posted in open; sends are MPI_Isend, or MPI_Send right after packing.
enum class Send { nonblocking, blocking };
std::unique_ptr<Far> messages(const std::vector<Link> &links, Send send);

/// GASPI: gaspi_write_notify into the neighbour's segment, gaspi_notify_waitsome. The buffers lie in the caller's part, from `offset` on,
/// and take notified_bytes. Collective over all ranks.
std::unique_ptr<Far> notified_writes(const Grid &grid, const std::vector<Link> &links, SegmentMemory &memory, std::size_t offset);
std::size_t notified_bytes(const std::vector<Link> &links);

}  // namespace ghost
