// What the links of a communicator share: its ranks, a communicator of the host, and shared memory of which they take theirs. All that takes the
// ranks many meetings is made once, also for other communicators of the same ranks (docs/design/056-links.md).
//
//   shared memory of a rank:  | where each links begin here | links 0 | links 1 | ...
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>

#include "engine/memory/node_memory.hpp"
#include "faces/mpi/window/comm_context.hpp"

namespace halocline::core::mpi {

/// What ranks say in the meeting in which links begin, and the sums over all of them.
struct LinksMeeting {
  std::uint64_t refused = 0;  // ranks that have refused their arguments
  std::uint64_t no_world = 0, off = 0, failed = 0;  // ranks for which the host has to carry the call, by reason
  std::uint64_t idle = 0;  // ranks on which no links use the room
  std::uint64_t fits = 0, fits_if_idle = 0;  // on which these fit into it, or would if it were idle
  std::uint64_t many_keys = 0;  // ranks with more edges to another one than there are tags for
  std::uint64_t edges = 0;  // 0 if each edge has two ends
  std::uint64_t context = 0, random = 0;  // the name of the context that this rank knows, 0 for none; of the next one

  static constexpr int kNumbers = 11;
};
static_assert(sizeof(LinksMeeting) == LinksMeeting::kNumbers * sizeof(std::uint64_t));

/// A communicator for messages of the host that no others mix with.
struct HostComm {
  MPI_Comm comm = MPI_COMM_NULL;
  bool is_left = false;  // it may have messages that no rank receives, which the next communicator would get if this one were freed

  HostComm() = default;
  HostComm(const HostComm &) = delete;
  HostComm &operator=(const HostComm &) = delete;
  ~HostComm();
  /// Collective, the same status on all ranks.
  static Status make(Context &context, std::shared_ptr<HostComm> *made);

 private:
  Status open(MPI_Comm of);
};

struct Room {
  static constexpr std::size_t kLinks = 64;
  using Begins = std::array<std::int64_t, kLinks>;  // at the begin of each part

  SharedMemory memory;
  std::int64_t used = sizeof(Begins);  // bytes of this rank's part
  std::size_t links = 0;  // that have been taken, the same on all ranks

  Begins &begins_of(Member member) const { return *reinterpret_cast<Begins *>(memory.part(member)); }
};

/// What links have taken: a piece of each rank's part.
struct RoomPiece {
  std::shared_ptr<Room> room;
  std::size_t index = 0;

  /// Of another rank once it has met with this one.
  char *part(Member member) const { return room->memory.part(member) + room->begins_of(member)[index]; }
};

/// One thread at a time, but for `comm`.
class LinkContext {
 public:
  LinkContext(std::shared_ptr<CommContext> ranks, std::uint64_t known_as) : comm(std::move(ranks)), name(known_as) {}

  const std::shared_ptr<CommContext> comm;
  const std::uint64_t name;  // the same on all ranks

  /// Adds to what this rank says whether links that need these bytes of its part fit.
  void offer(std::int64_t bytes, LinksMeeting &say) const;
  /// Takes `bytes` of this rank's part. Collective if they do not fit on all ranks; the same status on all.
  Status take(std::int64_t bytes, const LinksMeeting &met, RoomPiece *piece);
  /// The number of the next links, the same on all ranks.
  std::int64_t next_number() { return made_++; }
  /// For messages of links that have tags of their own. Collective the first time; the same status on all ranks.
  Status share_host_comm(std::shared_ptr<HostComm> *shared);

 private:
  std::shared_ptr<Room> room_;
  std::shared_ptr<HostComm> host_comm_;
  std::int64_t made_ = 0;
};

/// Runs what a rank does alone before the ranks meet; a failed allocation becomes a status, which it says there.
template <class Part>
Status before_meeting(Part part) {
  try {
    return part();
  } catch (const std::bad_alloc &) {
    return fail(Status::memory, "out of memory for the tables of a collective");
  }
}

/// The meeting of a communicator's ranks in which links begin.
class MeetingForLinks {
 public:
  /// `what`: the calls, for messages.
  MeetingForLinks(MPI_Comm comm, const char *what);

  int rank() const { return rank_; }
  /// The context that this rank knows; null if it knows none.
  const LinkContext *known() const { return known_.get(); }
  /// The context for the links. Waits for all ranks without a time limit. Collective; null, the same on all ranks, if the host carries the call, as it
  /// does if a rank is not ready, or if one has refused its arguments. `say`: of the links that this rank is about to make; then what all ranks
  /// have said.
  std::shared_ptr<LinkContext> meet(Status ready, LinksMeeting *say);

 private:
  std::shared_ptr<LinkContext> agree_on_context(const LinksMeeting &met);
  std::shared_ptr<LinkContext> leave_to_host(const char *why) const;

  MPI_Comm comm_;
  const char *what_;
  int rank_ = 0;
  std::shared_ptr<LinkContext> known_;
  bool is_of_comm_ = false;  // not of other communicators of the same ranks
};

/// Before MPI_Finalize.
void release_link_contexts();

}  // namespace halocline::core::mpi
