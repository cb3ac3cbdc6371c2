// Mode neighbor: one neighbourhood collective on a distributed graph. Whole rounds use a persistent one (MPI-4) where the MPI has it;
// others use MPI_Ineighbor_alltoallw with the counts of the round.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/buffers.hpp"
#include "exchange/channel.hpp"
#include "exchange/mpi_bytes.hpp"

namespace halocline::core {
namespace {

/// The arguments of one direction of MPI_Neighbor_alltoallw, in the order of the graph's list.
struct Direction {
  std::vector<int> edges, ranks, counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  std::vector<ByteCount> bytes;

  void list(const Plan &plan, const ChunkBuffer &buffer) {
    for (const int e : edges) {
      ranks.push_back(plan.edges[static_cast<std::size_t>(e)].rank);
      places.push_back(static_cast<MPI_Aint>(buffer.offset(e)));
    }
    counts.resize(edges.size());
    types.resize(edges.size());
    bytes.resize(edges.size());
  }

  Status set(std::size_t i, std::int64_t size) {
    HLC_TRY(ByteCount::create(size, bytes[i]));
    counts[i] = bytes[i].count();
    types[i] = bytes[i].type();
    return Status::ok;
  }
};

class NeighborChannel final : public Channel {
 public:
  using Channel::Channel;

  ~NeighborChannel() override {
    if (persistent_ != MPI_REQUEST_NULL) MPI_Request_free(&persistent_);
    if (graph_ != MPI_COMM_NULL) MPI_Comm_free(&graph_);
  }

  Status create() override {
    HLC_TRY(prepare([this] { return create_alone(); }));
    HLC_TRY(create_graph());
    return create_persistent();
  }

  Status open() override {
    arrived_.clear();
    for (const int e : edges_)
      if (part(e).in > 0) arrived_.push_back(e);
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    *buffer = outgoing_.chunk(e);
    return Status::ok;
  }

  Status send(int) override { return Status::ok; }

  Status launched() override {
    done_ = false;
    if (plan_.whole_round && persistent_ != MPI_REQUEST_NULL) {
      running_ = persistent_;
      return check_mpi(MPI_Start(&running_), "MPI_Start");
    }
    for (std::size_t i = 0; i < edges_.size(); ++i) HLC_TRY(partial_out_.set(i, part(partial_out_.edges[i]).out));
    for (std::size_t i = 0; i < edges_.size(); ++i) HLC_TRY(partial_in_.set(i, part(partial_in_.edges[i]).in));
    return check_mpi(MPI_Ineighbor_alltoallw(outgoing_.base(), partial_out_.counts.data(), partial_out_.places.data(),
                                             partial_out_.types.data(), incoming_.base(), partial_in_.counts.data(),
                                             partial_in_.places.data(), partial_in_.types.data(), graph_, &running_),
                     "MPI_Ineighbor_alltoallw");
  }

  Status poll(int *e) override {
    HLC_TRY(test());
    if (!done_ || arrived_.empty()) return Status::again;
    *e = arrived_.back();
    arrived_.pop_back();
    return Status::ok;
  }

  const void *arrived(int e) const override { return incoming_.chunk(e); }
  Status release(int) override { return Status::ok; }

  Status close(int *rank) override {
    HLC_TRY(test());
    *rank = edges_.empty() ? plan_.topology->rank() : edge(edges_.front()).rank;
    return done_ ? Status::ok : Status::again;
  }

  bool knows_who() const override { return false; }
  std::int64_t memory_bytes() const override { return incoming_.bytes() + outgoing_.bytes(); }

 private:
  Status create_alone() {
    HLC_TRY(incoming_.create(plan_.topology->rank(), lay_out(plan_, edges_, &Edge::space_in)));
    HLC_TRY(outgoing_.create(plan_.topology->rank(), lay_out(plan_, edges_, &Edge::space_out)));
    arrived_.reserve(edges_.size());
    return list_directions();
  }

  /// MPI matches parallel edges between two ranks in the order listed, so both sides list them by the receiver's index.
  Status list_directions() {
    whole_out_.edges = whole_in_.edges = edges_;
    std::sort(whole_out_.edges.begin(), whole_out_.edges.end(), [this](int a, int b) { return edge(a).peer_edge < edge(b).peer_edge; });
    std::sort(whole_in_.edges.begin(), whole_in_.edges.end());
    partial_out_.edges = whole_out_.edges;
    partial_in_.edges = whole_in_.edges;
    for (Direction *out : {&whole_out_, &partial_out_}) out->list(plan_, outgoing_);
    for (Direction *in : {&whole_in_, &partial_in_}) in->list(plan_, incoming_);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      HLC_TRY(whole_out_.set(i, edge(whole_out_.edges[i]).out));
      HLC_TRY(whole_in_.set(i, edge(whole_in_.edges[i]).in));
    }
    return Status::ok;
  }

  Status create_graph() {
    const int n = static_cast<int>(edges_.size());
    return check_mpi(MPI_Dist_graph_create_adjacent(plan_.comm, n, whole_in_.ranks.data(), MPI_UNWEIGHTED, n, whole_out_.ranks.data(),
                                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_),
                     "MPI_Dist_graph_create_adjacent");
  }

  Status create_persistent() {
#if MPI_VERSION >= 4
    return check_mpi(MPI_Neighbor_alltoallw_init(outgoing_.base(), whole_out_.counts.data(), whole_out_.places.data(),
                                                 whole_out_.types.data(), incoming_.base(), whole_in_.counts.data(),
                                                 whole_in_.places.data(), whole_in_.types.data(), graph_, MPI_INFO_NULL, &persistent_),
                     "MPI_Neighbor_alltoallw_init");
#else
    return Status::ok;
#endif
  }

  Status test() {
    if (done_) return Status::ok;
    int flag = 0;
    HLC_TRY(check_mpi(MPI_Test(&running_, &flag, MPI_STATUS_IGNORE), "MPI_Test"));
    done_ = flag != 0;
    return Status::ok;
  }

  Direction whole_out_, whole_in_;      // of the persistent request, which may point into them
  Direction partial_out_, partial_in_;  // of rounds that move less
  ChunkBuffer incoming_, outgoing_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request persistent_ = MPI_REQUEST_NULL, running_ = MPI_REQUEST_NULL;
  std::vector<int> arrived_;
  bool done_ = true;
};

}  // namespace

std::unique_ptr<Channel> make_neighbor(Plan &plan, std::vector<int> edges) {
  return std::make_unique<NeighborChannel>(plan, std::move(edges));
}

}  // namespace halocline::core
