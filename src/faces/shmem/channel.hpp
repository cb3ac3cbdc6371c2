// How the PEs of a collective call tell each other that they have come so far: a channel has a cell for each PE of the world in the internal
// memory of each PE. A cell counts what one PE has told another, in the order in which it did. Each team has a channel of its own, and all
// active sets share one: two PEs call the collectives of the sets that both are in, in the same order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "faces/shmem/context.hpp"

namespace halocline::core::shmem {

class Job;

/// What a PE tells another. One writer per cell.
struct Cell {
  std::uint64_t count;  // how often the writer has told this PE, written last
  std::uint64_t value;  // what came with the last telling, if anything
};

/// Where the channels are in the internal memory, the same on all PEs:
///
///   | scratch of channel 0, 64 bytes | cell of PE 0 | cell of PE 1 | ... | scratch of channel 1 | ...
class ChannelLayout {
 public:
  static constexpr int kMost = 256;
  static constexpr std::int64_t kScratchBytes = 64;

  ChannelLayout() = default;
  ChannelLayout(std::int64_t bytes, int pes);

  int channels() const { return channels_; }
  std::int64_t scratch(int channel) const { return channel * channel_bytes_; }
  std::int64_t cell(int channel, int pe) const { return scratch(channel) + kScratchBytes + pe * cell_bytes_; }
  std::int64_t cells_bytes() const { return channel_bytes_ - kScratchBytes; }

 private:
  std::int64_t cell_bytes_ = 0, channel_bytes_ = 0;
  int channels_ = 0;
};

/// This PE's side of a channel: how often it has told each PE, and heard from each.
struct Channel {
  int number = 0;
  std::vector<std::uint64_t> told, heard;

  Channel() = default;
  Channel(int which, int pes) : number(which), told(static_cast<std::size_t>(pes)), heard(static_cast<std::size_t>(pes)) {}
};

/// A collective call of this PE: who takes part, in which order, and where in it this PE is.
struct Collective {
  const char *call;
  PeMap pes;
  int me;
  Channel &channel;

  int size() const { return pes.size; }
};

/// Tells a member, after all that this PE has put to it in this call.
void tell(const Collective &collective, int member);
/// The same with a number.
void tell_value(const Collective &collective, int member, std::uint64_t value);
/// Waits until a member has told this PE once more.
void hear(const Collective &collective, int member);
/// The same; returns the number that came with it.
std::uint64_t hear_value(const Collective &collective, int member);

/// Returns when all members have entered it: ceil(log2 size) rounds.
void sync_members(const Collective &collective);

/// The layout of this job; the memory of a channel in this PE.
const ChannelLayout &channel_layout();
char *scratch_of(const Channel &channel);

/// Sets the layout for a job, and forgets it.
void open_channels(const Job &job);
/// Makes the cells of a channel 0 again, when no PE tells this one anything any more.
void clear_channel(const Channel &channel);

}  // namespace halocline::core::shmem
