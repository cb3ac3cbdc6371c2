// Mode pscw: MPI_Put between start and complete, exposed between post and wait, for the group of my neighbours. With early epochs the
// next pair is opened as soon as the last one ended, so that start never blocks. Source: Brown et al., sections IV-B2 and IV-C.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/modes/window_leg.hpp"

namespace halocline {
namespace {

class PscwLeg final : public WindowLeg {
 public:
  using WindowLeg::WindowLeg;

  ~PscwLeg() override {
    if (window_ != MPI_WIN_NULL && accessed_ && exposed_) {
      MPI_Win_complete(window_);
      MPI_Win_wait(window_);
    }
    if (peers_ != MPI_GROUP_NULL) MPI_Group_free(&peers_);
  }

  Status create() {
    HLC_TRY(create_window());
    HLC_TRY(create_group());
    return early() ? open_epochs() : Status::ok;
  }

  Status open() override {
    HLC_TRY(WindowLeg::open());
    arrived_all_ = false;
    return early() ? Status::ok : open_epochs();
  }

  Status poll(int *e) override {
    const Status status = end_epochs();
    return status == Status::ok ? next_arrival(e) : status;
  }

  Status close(int *rank) override {
    *rank = some_peer();
    const Status status = end_epochs();
    if (status != Status::ok || !early() || accessed_) return status;
    return start();
  }

 private:
  bool early() const { return plan_.options.epoch == HLC_EPOCH_EARLY; }
  bool alone() const { return edges_.empty(); }

  Status create_group() {
    std::vector<int> ranks;
    for (const int e : edges_) ranks.push_back(edge(e).rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    MPI_Group all = MPI_GROUP_NULL;
    HLC_TRY(check_mpi(MPI_Comm_group(plan_.comm, &all), "MPI_Comm_group"));
    const Status status = check_mpi(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &peers_), "MPI_Group_incl");
    MPI_Group_free(&all);
    return status;
  }

  Status open_epochs() {
    HLC_TRY(post());
    return start();
  }

  Status post() {
    if (alone()) return Status::ok;
    exposed_ = true;
    return check_mpi(MPI_Win_post(peers_, 0, window_), "MPI_Win_post");
  }

  Status start() {
    if (alone()) return Status::ok;
    accessed_ = true;
    return check_mpi(MPI_Win_start(peers_, 0, window_), "MPI_Win_start");
  }

  /// Ends both epochs; `again` until all peers have ended theirs. With early epochs the next exposure starts here, before the unpacking:
  /// the peers may write the other slots at once.
  Status end_epochs() {
    if (arrived_all_ || alone()) return Status::ok;
    if (accessed_) {
      accessed_ = false;
      HLC_TRY(check_mpi(MPI_Win_complete(window_), "MPI_Win_complete"));
    }
    int flag = 0;
    HLC_TRY(check_mpi(MPI_Win_test(window_, &flag), "MPI_Win_test"));
    if (!flag) return Status::again;
    exposed_ = false;
    arrived_all_ = true;
    return early() ? post() : Status::ok;
  }

  MPI_Group peers_ = MPI_GROUP_NULL;
  bool accessed_ = false, exposed_ = false, arrived_all_ = true;
};

}  // namespace

Status make_pscw(Plan &plan, std::vector<int> edges, std::unique_ptr<Leg> &leg) {
  auto made = std::make_unique<PscwLeg>(plan, std::move(edges));
  HLC_TRY(made->create());
  leg = std::move(made);
  return Status::ok;
}

}  // namespace halocline
