// Notifications: on the node a store and loads, to other nodes a message of the engine that sets the cell.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/channel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "faces/shmem/pause.hpp"
#include "faces/shmem/place.hpp"

namespace halocline::core::shmem {
namespace {

/// Cells of different writers are on different lines where that takes little memory.
constexpr int kSpaciousPes = 256;
constexpr std::int64_t kLine = 64;

ChannelLayout layout;

/// The internal memory of this PE.
char *internal_of(std::int64_t offset) { return reinterpret_cast<char *>(near.begin) + offset; }

/// Sets a cell of a PE of another node, after what was put there before.
[[gnu::cold]] void notify_far(const Collective &collective, int pe, const Cell &cell, bool with_value) {
  const char *own = internal_of(layout.cell(collective.channel.number, collective.pes.to_world(collective.me)));
  with_target(collective.call, {own, sizeof cell, "cell"}, pe, [&](Target at) {
    constexpr hlc_action replace{HLC_OP_REPLACE, HLC_NUMBER_UINT64};
    if (with_value)
      HLC_TRY(put(collective.call, Target{at.memory, at.offset + static_cast<std::int64_t>(offsetof(Cell, value))},
                  Source{&cell.value, sizeof cell.value}, After::message));
    if (!at.memory.network().keeps_order()) HLC_TRY(flush(collective.call, at.memory));
    // SYNC data-before-cell (pairs with await_notification)
    return accumulate(collective.call, at, replace, {&cell.count, 1});
  });
}

void set_cell(const Collective &collective, int member, std::uint64_t value, bool with_value) {
  const int pe = collective.pes.to_world(member);
  const Cell cell{++collective.channel.sent[static_cast<std::size_t>(pe)], value};
  const Symmetric own{internal_of(layout.cell(collective.channel.number, collective.pes.to_world(collective.me))), sizeof cell, "cell"};
  char *place = find_place(collective.call, own, pe);
  if (!place) return notify_far(collective, pe, cell, with_value);
  auto &target = *reinterpret_cast<Cell *>(place);
  if (with_value) std::atomic_ref(target.value).store(value, std::memory_order_relaxed);
  // SYNC data-before-cell (pairs with await_notification)
  std::atomic_ref(target.count).store(cell.count, std::memory_order_release);
}

/// Waits until a count is at least `expected`. Notifications ring no doorbell.
[[gnu::noinline]] void wait_for_count(const char *call, const std::atomic_ref<std::uint64_t> &count, std::uint64_t expected) {
  // SYNC data-before-cell (pairs with notify)
  wait_for(call, "another PE in this call", [&] { return count.load(std::memory_order_acquire) >= expected; });
}

}  // namespace

ChannelLayout::ChannelLayout(std::int64_t bytes, int pes)
    : cell_bytes_(pes <= kSpaciousPes ? kLine : static_cast<std::int64_t>(sizeof(Cell))),
      channel_bytes_(kScratchBytes + (pes * cell_bytes_ + kLine - 1) / kLine * kLine),
      channels_(static_cast<int>(std::min<std::int64_t>(kMost, bytes / channel_bytes_))) {}

const ChannelLayout &channel_layout() { return layout; }

char *scratch_of(const Channel &channel) { return internal_of(layout.scratch(channel.number)); }

void open_channels(const Job &job) { layout = ChannelLayout(kInternalBytes, job.size()); }

void clear_channel(const Channel &channel) {
  std::memset(internal_of(layout.cell(channel.number, 0)), 0, static_cast<std::size_t>(layout.cells_bytes()));
}

void notify(const Collective &collective, int member) { set_cell(collective, member, 0, false); }

void notify_value(const Collective &collective, int member, std::uint64_t value) { set_cell(collective, member, value, true); }

void await_notification(const Collective &collective, int member) {
  const int pe = collective.pes.to_world(member);
  const std::uint64_t expected = ++collective.channel.received[static_cast<std::size_t>(pe)];
  auto &cell = *reinterpret_cast<Cell *>(internal_of(layout.cell(collective.channel.number, pe)));
  const std::atomic_ref count(cell.count);
  // SYNC data-before-cell (pairs with notify)
  if (count.load(std::memory_order_acquire) < expected) wait_for_count(collective.call, count, expected);
}

std::uint64_t await_value(const Collective &collective, int member) {
  await_notification(collective, member);
  auto &cell = *reinterpret_cast<Cell *>(internal_of(layout.cell(collective.channel.number, collective.pes.to_world(member))));
  return std::atomic_ref(cell.value).load(std::memory_order_relaxed);
}

void sync_members(const Collective &collective) {
  const int size = collective.size();
  for (int distance = 1; distance < size; distance *= 2) {
    notify(collective, (collective.me + distance) % size);
    await_notification(collective, (collective.me + size - distance) % size);
  }
}

}  // namespace halocline::core::shmem
