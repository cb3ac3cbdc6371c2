// SPDX-License-Identifier: BSD-3-Clause
#include "far.hpp"

#include <stdexcept>
#include <string>

namespace ghost {
namespace {

constexpr gaspi_queue_id_t kQueue = 0;
constexpr int kSlots = 2;  // in which a link receives in turn

/// Buffers begin on pages, as all data of the paper's program.
std::size_t page_bytes(const Link &link) { return (static_cast<std::size_t>(link.count()) * sizeof(double) + 4095) / 4096 * 4096; }

/// Two slots per link suffice, without a word that one is free again: a neighbour writes exchange k + 2 when it has finished k + 1, for
/// which it needed what I sent in my exchange k + 1; and I send that after I have finished exchange k, and read what lay in that slot. For
/// this every link carries data both ways. The notifications are those of all ranks of the node: each rank has a range of its own, in it
/// one range per slot, and in that an id per direction. A notification is taken before its slot is written again, so none is lost.
class NotifiedWrites : public Far {
 public:
  NotifiedWrites(const Grid &grid, const std::vector<Link> &links, SegmentMemory &memory, std::size_t offset)
      : links_(links), segment_(memory.id()), first_id_(grid.info.node_rank * kSlots * kDirections), base_(memory.mine()) {
    gaspi_number_t ids = 0;
    must(gaspi_notification_num(&ids), "gaspi_notification_num");
    const int wanted = grid.info.node_size * kSlots * kDirections;
    if (static_cast<gaspi_number_t>(wanted) > ids)
      throw std::runtime_error("the ranks of this node need " + std::to_string(wanted) + " notifications, a segment has " +
                               std::to_string(ids));
    by_direction_.fill(0);
    for (std::size_t i = 0; i < links.size(); ++i) {
      by_direction_[static_cast<std::size_t>(links[i].direction)] = i;
      out_.push_back(offset);
      in_.push_back(offset + page_bytes(links[i]));
      offset += (1 + kSlots) * page_bytes(links[i]);
    }
    notify_neighbours();
  }

  void open(std::int64_t exchange) override { slot_ = static_cast<int>(exchange % kSlots); }
  double *out(std::size_t link) override { return reinterpret_cast<double *>(base_ + out_[link]); }
  void send(std::size_t i) override {
    const std::size_t bytes = static_cast<std::size_t>(links_[i].count()) * sizeof(double);
    must(gaspi_write_notify(segment_, out_[i], static_cast<gaspi_rank_t>(links_[i].rank), segment_,
                            there_[i].in + static_cast<std::size_t>(slot_) * page_bytes(links_[i]), bytes,
                            id(there_[i].first_id, opposite(links_[i].direction)), 1, kQueue, GASPI_BLOCK),
         "gaspi_write_notify");
  }
  std::size_t take() override {
    gaspi_notification_id_t first = 0;
    gaspi_notification_t value = 0;
    must(gaspi_notify_waitsome(segment_, id(first_id_, 0), kDirections, &first, GASPI_BLOCK), "gaspi_notify_waitsome");
    must(gaspi_notify_reset(segment_, first, &value), "gaspi_notify_reset");
    return by_direction_[static_cast<std::size_t>(first - id(first_id_, 0))];
  }
  const double *in(std::size_t link) const override {
    return reinterpret_cast<const double *>(base_ + in_[link] + static_cast<std::size_t>(slot_) * page_bytes(links_[link]));
  }
  void close() override {
    if (!links_.empty()) must(gaspi_wait(kQueue, GASPI_BLOCK), "gaspi_wait");
  }
  /// A look at the notifications moves the network.
  void nudge() override {
    gaspi_notification_id_t first = 0;
    if (!links_.empty()) gaspi_notify_waitsome(segment_, id(first_id_, 0), 1, &first, GASPI_TEST);
  }
  void meet() override { must(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier"); }

 private:
  /// Where a neighbour receives what I send over a link.
  struct There {
    std::size_t in;
    int first_id;
  };

  gaspi_notification_id_t id(int first_id, int direction) const {
    return static_cast<gaspi_notification_id_t>(first_id + slot_ * kDirections + direction);
  }

  void notify_neighbours() {
    there_.resize(links_.size());
    std::vector<There> mine;
    std::vector<MPI_Request> requests(2 * links_.size());
    for (const std::size_t in : in_) mine.push_back({in, first_id_});
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const int tag = links_[i].direction;
      MPI_Irecv(&there_[i], sizeof(There), MPI_BYTE, links_[i].rank, tag, MPI_COMM_WORLD, &requests[2 * i]);
      MPI_Isend(&mine[i], sizeof(There), MPI_BYTE, links_[i].rank, opposite(tag), MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  std::vector<Link> links_;
  gaspi_segment_id_t segment_;
  int first_id_, slot_ = 0;
  std::byte *base_;
  std::vector<std::size_t> out_, in_;  ///< offsets in the segment
  std::vector<There> there_;
  std::array<std::size_t, kDirections> by_direction_;
};

}  // namespace

std::unique_ptr<Far> notified_writes(const Grid &grid, const std::vector<Link> &links, SegmentMemory &memory, std::size_t offset) {
  return std::make_unique<NotifiedWrites>(grid, links, memory, offset);
}

std::size_t notified_bytes(const std::vector<Link> &links) {
  std::size_t bytes = 0;
  for (const Link &link : links) bytes += (1 + kSlots) * page_bytes(link);
  return bytes;
}

}  // namespace ghost
