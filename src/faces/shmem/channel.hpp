// How the PEs of a collective call notify each other: a channel has a cell for each PE of the world in the internal
// memory of each PE. A cell counts the notifications of one PE for another, in their order. Each team has a channel of its own, and all
// active sets share one: two PEs call the collectives of the sets that both are in, in the same order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "faces/shmem/context.hpp"

namespace halocline::core::shmem {

class Job;

/// The notifications of a PE for another. One writer per cell.
struct Cell {
  std::uint64_t count;  // of notifications, written last
  std::uint64_t value;  // of the last notification that has one
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

/// This PE's side of a channel: how many notifications it has sent to each PE, and received from each.
struct Channel {
  int number = 0;
  std::vector<std::uint64_t> sent, received;

  Channel() = default;
  Channel(int which, int pes) : number(which), sent(static_cast<std::size_t>(pes)), received(static_cast<std::size_t>(pes)) {}
};

/// A collective call of this PE: its members in their order, and the number of this PE among them.
struct Collective {
  const char *call;
  PeMap pes;
  int me;
  Channel &channel;

  int size() const { return pes.size; }
};

/// Notifies a member, after all that this PE has put to it in this call.
void notify(const Collective &collective, int member);
/// The same with a number.
void notify_value(const Collective &collective, int member, std::uint64_t value);
/// Waits for the next notification of a member.
void await_notification(const Collective &collective, int member);
/// The same; returns its number.
std::uint64_t await_value(const Collective &collective, int member);

/// Returns when all members have entered it: ceil(log2 size) rounds.
void sync_members(const Collective &collective);

/// The layout of this job; the memory of a channel in this PE.
const ChannelLayout &channel_layout();
char *scratch_of(const Channel &channel);

/// Sets the layout for a job, and forgets it.
void open_channels(const Job &job);
/// Makes the cells of a channel 0 again, once no PE sends this one notifications.
void clear_channel(const Channel &channel);

}  // namespace halocline::core::shmem
