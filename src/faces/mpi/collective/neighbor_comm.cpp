// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/neighbor_comm.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "base/never_destroyed.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"

namespace halocline::core::mpi {

constinit halocline::mpi::HandleTable neighbor_comms;

namespace {

/// The communicators whose ranks have decided whether links carry their collectives. Never destroyed.
struct DecidedComms {
  std::mutex mutex;
  std::list<MPI_Comm> all;
};
DecidedComms &decided_comms() { return never_destroyed<DecidedComms>(); }

int forget_neighbor_comm(MPI_Comm comm, int, void *kept, void *) {
  neighbor_comms.erase(halocline::mpi::handle_bits(comm), kept);
  {
    DecidedComms &known = decided_comms();
    const std::lock_guard lock(known.mutex);
    known.all.remove(comm);
  }
  delete static_cast<NeighborComm *>(kept);
  return MPI_SUCCESS;
}

int neighbor_comm_key() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_neighbor_comm, &key, nullptr);
    return key;
  }();
  return made;
}

/// What is kept of a communicator. All of its memory is there before the ranks meet: if one of them could not keep the decision, it would wait for
/// the others in the next call.
class OpeningComm {
 public:
  explicit OpeningComm(MPI_Comm comm) : comm_(comm) {}
  OpeningComm(const OpeningComm &) = delete;
  OpeningComm &operator=(const OpeningComm &) = delete;
  ~OpeningComm() {
    if (made_) neighbor_comms.erase(halocline::mpi::handle_bits(comm_), made_.get());
  }

  Status prepare() {
    made_ = std::make_unique<NeighborComm>();
    listed_.push_back(comm_);
    links = std::make_shared<Links>();
    neighbor_comms.insert(halocline::mpi::handle_bits(comm_), made_.get());
    HLC_TRY(check_mpi(read_topology(comm_, &pattern), "MPI_Topo_test"));
    for (EdgeEnd &edge : pattern.out) edge.slot_bytes = usual_slot_bytes(pattern.out.size());
    return Status::ok;
  }
  /// `carried`: by the links.
  NeighborComm *keep(bool carried) {
    if (carried) made_->links = std::move(links);
    {
      const std::lock_guard lock(decided_comms().mutex);
      decided_comms().all.splice(decided_comms().all.end(), listed_);
    }
    PMPI_Comm_set_attr(comm_, neighbor_comm_key(), made_.get());
    return made_.release();
  }

  Pattern pattern;
  std::shared_ptr<Links> links;

 private:
  MPI_Comm comm_;
  std::unique_ptr<NeighborComm> made_;
  std::list<MPI_Comm> listed_;
};

}  // namespace

std::int64_t usual_slot_bytes(std::size_t edges) {
  constexpr std::int64_t kMost = 16384, kLeast = 256, kMostOfPart = std::int64_t{1} << 20;
  const auto share = kMostOfPart / static_cast<std::int64_t>(kSlots) / static_cast<std::int64_t>(std::max<std::size_t>(edges, 1));
  return std::clamp(share, kLeast, kMost);
}

NeighborComm *open_neighbor_comm(MPI_Comm comm) {
  constexpr const char *kWhat = "neighbourhood collectives";
  OpeningComm opening(comm);
  MeetingForLinks meeting(comm, kWhat);
  LinksMeeting met;
  const auto offer = [&] {
    HLC_TRY(opening.prepare());
    met = Links::offer(opening.pattern, meeting);
    return Status::ok;
  };
  const std::shared_ptr<LinkContext> context = meeting.meet(before_meeting(offer), &met);
  if (!context) return met.failed > 0 ? nullptr : opening.keep(false);
  Links &links = *opening.links;
  // Blocking calls need one exchange.
  const Status opened = links.open(context, opening.pattern, met, [&] { return links.give_back(links.take()), Status::ok; });
  if (failed(opened)) inform("the host MPI carries the %s of a communicator: %s", kWhat, error_message());
  return opening.keep(!failed(opened));
}

void release_neighbor_comms() {
  std::list<MPI_Comm> comms;
  {
    const std::lock_guard lock(decided_comms().mutex);
    comms = decided_comms().all;
  }
  for (const MPI_Comm comm : comms) PMPI_Comm_delete_attr(comm, neighbor_comm_key());
  release_link_contexts();
}

}  // namespace halocline::core::mpi
