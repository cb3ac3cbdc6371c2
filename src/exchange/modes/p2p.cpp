// Mode p2p: persistent sends and receives, one message per edge, taken in order of arrival. Also carries the edges to other nodes for
// notify and direct. A round that moves less than the whole edge uses plain messages of the size it needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/buffers.hpp"
#include "exchange/leg.hpp"
#include "exchange/mpi_bytes.hpp"

namespace halocline {
namespace {

class P2pLeg final : public Leg {
 public:
  using Leg::Leg;

  ~P2pLeg() override {
    free_all(persistent_receives_);
    free_all(persistent_sends_);
  }

  Status create() override {
    return prepare([this] { return create_alone(); });
  }

  Status open() override {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      receives_[i] = MPI_REQUEST_NULL;
      sends_[i] = MPI_REQUEST_NULL;
      if (part(edges_[i]).in > 0) HLC_TRY(receive(i));
    }
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    *buffer = outgoing_.chunk(e);
    return Status::ok;
  }

  Status send(int e) override {
    const auto i = static_cast<std::size_t>(slot_[static_cast<std::size_t>(e)]);
    if (part(e).out == edge(e).out) {
      sends_[i] = persistent_sends_[i];
      return check_mpi(MPI_Start(&sends_[i]), "MPI_Start");
    }
    ByteCount bytes;
    HLC_TRY(ByteCount::create(part(e).out, bytes));
    return check_mpi(MPI_Isend(outgoing_.chunk(e), bytes.count(), bytes.type(), edge(e).rank, edge(e).peer_edge, plan_.comm, &sends_[i]),
                     "MPI_Isend");
  }

  Status poll(int *e) override {
    int index = MPI_UNDEFINED, flag = 0;
    const int code = MPI_Testany(static_cast<int>(receives_.size()), receives_.data(), &index, &flag, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS && index >= 0) *e = edges_[static_cast<std::size_t>(index)];
    HLC_TRY(check_mpi(code, "MPI_Testany"));
    if (!flag || index == MPI_UNDEFINED) return Status::again;
    // A persistent request stays valid; it must not be found a second time.
    receives_[static_cast<std::size_t>(index)] = MPI_REQUEST_NULL;
    *e = edges_[static_cast<std::size_t>(index)];
    return Status::ok;
  }

  const void *arrived(int e) const override { return incoming_.chunk(e); }
  Status release(int) override { return Status::ok; }

  Status close(int *rank) override {
    int done = 0;
    HLC_TRY(check_mpi(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall"));
    if (done) return Status::ok;
    *rank = edge(edges_.front()).rank;
    return Status::again;
  }

  std::int64_t memory_bytes() const override { return incoming_.bytes() + outgoing_.bytes(); }

 private:
  Status create_alone() {
    HLC_TRY(incoming_.create(plan_.context->rank(), lay_out(plan_, edges_, &Edge::space_in)));
    HLC_TRY(outgoing_.create(plan_.context->rank(), lay_out(plan_, edges_, &Edge::space_out)));
    slot_.assign(plan_.edges.size(), -1);
    for (std::size_t i = 0; i < edges_.size(); ++i) slot_[static_cast<std::size_t>(edges_[i])] = static_cast<int>(i);
    receives_.assign(edges_.size(), MPI_REQUEST_NULL);
    sends_ = persistent_receives_ = persistent_sends_ = receives_;
    for (std::size_t i = 0; i < edges_.size(); ++i) HLC_TRY(create_edge(i));
    return Status::ok;
  }

  Status create_edge(std::size_t i) {
    const Edge &mine = edge(edges_[i]);
    ByteCount in, out;
    HLC_TRY(ByteCount::create(mine.in, in));
    HLC_TRY(ByteCount::create(mine.out, out));
    HLC_TRY(check_mpi(
        MPI_Recv_init(incoming_.chunk(edges_[i]), in.count(), in.type(), mine.rank, edges_[i], plan_.comm, &persistent_receives_[i]),
        "MPI_Recv_init"));
    return check_mpi(
        MPI_Send_init(outgoing_.chunk(edges_[i]), out.count(), out.type(), mine.rank, mine.peer_edge, plan_.comm, &persistent_sends_[i]),
        "MPI_Send_init");
  }

  Status receive(std::size_t i) {
    const int e = edges_[i];
    if (part(e).in == edge(e).in) {
      receives_[i] = persistent_receives_[i];
      return check_mpi(MPI_Start(&receives_[i]), "MPI_Start");
    }
    ByteCount bytes;
    HLC_TRY(ByteCount::create(part(e).in, bytes));
    return check_mpi(MPI_Irecv(incoming_.chunk(e), bytes.count(), bytes.type(), edge(e).rank, e, plan_.comm, &receives_[i]), "MPI_Irecv");
  }

  static void free_all(std::vector<MPI_Request> &requests) {
    for (MPI_Request &request : requests)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

  ChunkBuffer incoming_, outgoing_;
  std::vector<int> slot_;                                       // edge -> position in edges_
  std::vector<MPI_Request> receives_, sends_;                   // of the running round
  std::vector<MPI_Request> persistent_receives_, persistent_sends_;
};

}  // namespace

std::unique_ptr<Leg> make_p2p(Plan &plan, std::vector<int> edges) { return std::make_unique<P2pLeg>(plan, std::move(edges)); }

}  // namespace halocline
