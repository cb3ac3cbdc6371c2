// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/neighbor_comm.hpp"

#include <algorithm>
#include <mutex>

#include "faces/mpi/interpose/fallback_report.hpp"

namespace halocline::core::mpi {

constinit halocline::mpi::HandleTable neighbor_comms;

namespace {

/// The communicators that have links. Never destroyed.
struct LinkedComms {
  std::mutex mutex;
  std::vector<MPI_Comm> all;
};
LinkedComms &linked_comms() {
  static auto *const made = new LinkedComms;
  return *made;
}

int forget_neighbor_comm(MPI_Comm comm, int, void *kept, void *) {
  neighbor_comms.erase(halocline::mpi::handle_bits(comm), kept);
  {
    LinkedComms &known = linked_comms();
    const std::lock_guard lock(known.mutex);
    known.all.erase(std::remove(known.all.begin(), known.all.end(), comm), known.all.end());
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

/// Null if a rank cannot.
std::shared_ptr<Links> make_links(MPI_Comm comm) {
  constexpr const char *kWhat = "neighbourhood collectives";
  Pattern pattern;
  if (read_topology(comm, &pattern) != MPI_SUCCESS) pattern = {};
  for (EdgeEnd &edge : pattern.out) edge.slot_bytes = usual_slot_bytes(pattern.out.size());
  LinksMeeting met;
  const auto offer = [&](int rank, const LinkContext *known) { return Links::offer(pattern, rank, known); };
  const std::shared_ptr<LinkContext> context = meet_for_links(comm, kWhat, offer, &met);
  if (!context) return nullptr;
  auto links = std::make_shared<Links>(context);
  if (!failed(links->open(pattern, met))) return links;
  inform("the host MPI carries the %s of a communicator: %s", kWhat, error_message());
  return nullptr;
}

}  // namespace

std::int64_t usual_slot_bytes(std::size_t edges) {
  constexpr std::int64_t kMost = 16384, kLeast = 256, kMostOfPart = std::int64_t{1} << 20;
  const auto share = kMostOfPart / static_cast<std::int64_t>(kSlots) / static_cast<std::int64_t>(std::max<std::size_t>(edges, 1));
  return std::clamp(share, kLeast, kMost);
}

NeighborComm *open_neighbor_comm(MPI_Comm comm) {
  auto *const made = new NeighborComm{make_links(comm)};
  {
    const std::lock_guard lock(linked_comms().mutex);
    linked_comms().all.push_back(comm);
  }
  neighbor_comms.insert(halocline::mpi::handle_bits(comm), made);
  PMPI_Comm_set_attr(comm, neighbor_comm_key(), made);
  return made;
}

void release_neighbor_comms() {
  std::vector<MPI_Comm> comms;
  {
    const std::lock_guard lock(linked_comms().mutex);
    comms = linked_comms().all;
  }
  for (const MPI_Comm comm : comms) PMPI_Comm_delete_attr(comm, neighbor_comm_key());
  release_link_contexts();
}

}  // namespace halocline::core::mpi
