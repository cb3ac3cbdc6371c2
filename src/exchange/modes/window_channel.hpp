// What fence, pscw and passive share: window memory with two places (slots) per edge, used in turn. Because a slot is written again only
// two rounds later, one synchronisation per round orders both the arrival and the reuse (docs/design/001-two-slots.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/buffers.hpp"
#include "exchange/channel.hpp"
#include "exchange/handshake.hpp"

namespace halocline::core {

class WindowChannel : public Channel {
 public:
  using Channel::Channel;
  ~WindowChannel() override;

  /// Makes the memory and sends each peer the displacements of its slots. Collective. With one window an edge's slots alternate each time
  /// the edge is used. With two, all edges alternate together: even rounds use the first window, odd ones the second.
  Status create_windows(int windows);

  Status open() override;
  Status place(int edge, void **buffer) override;
  Status send(int edge) override;
  const void *arrived(int edge) const override;
  Status release(int edge) override;
  std::int64_t memory_bytes() const override { return outgoing_.bytes() + 2 * slots_.bytes; }

 protected:
  /// Names the edges of the round one by one, once all have arrived together.
  Status next_arrival(int *edge);
  /// The rank to name when it is not known which one is late.
  int some_peer() const { return edges_.empty() ? plan_.topology->rank() : edge(edges_.front()).rank; }

  /// The only window, or the one of the running round.
  MPI_Win window() const { return windows_[round_ % windows_.size()]; }
  /// The window of the round after the running one.
  MPI_Win next_window() const { return windows_[(round_ + 1) % windows_.size()]; }

 private:
  std::size_t slot_of(int edge) const { return uses_[static_cast<std::size_t>(edge)] % 2; }

  std::vector<MPI_Win> windows_;  // one or two
  char *base_[2] = {nullptr, nullptr};  // of each slot's chunks
  ChunkLayout slots_;
  ChunkBuffer outgoing_;
  std::unique_ptr<Descriptors> targets_;  // theirs, per edge: displacement of its slots at the peer
  std::vector<std::uint64_t> uses_;  // per edge: rounds that it took part in, the running one included
  std::vector<int> arrived_;
  std::uint64_t round_ = 0;
};

/// A window of `bytes` bytes, from base on, which is aligned to 64. Some MPIs put to wrong addresses in a window whose base is not aligned.
/// skip is the displacement of base. Collective.
Status allocate_window(MPI_Comm comm, std::int64_t bytes, MPI_Win *window, char **base, std::int64_t *skip);

/// MPI_Put of any number of bytes to a displacement of a window whose unit is one byte.
Status put_bytes(MPI_Win window, const void *origin, std::int64_t bytes, int rank, std::int64_t displacement);

}  // namespace halocline::core
