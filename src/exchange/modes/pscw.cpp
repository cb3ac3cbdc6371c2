// Mode pscw: MPI_Put in an access epoch between start and complete, and an exposure epoch between post and wait, for the group of
// neighbours. With early epochs there are two windows, used in turn, and the exposure of the next round is posted before this round's
// access is completed. So a peer that has waited for this rank's round finds the next one posted, and its start never blocks.
// MPI_MODE_NOCHECK would assert the same to MPI, but Open MPI 5.0 never ends an exposure that was posted with it (docs/known-mpi-bugs.md).
// Source: Brown et al., sections IV-B2 and IV-C; the two windows are ours (docs/design/001-two-slots.md).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/modes/window_channel.hpp"

namespace halocline::core {
namespace {

class PscwChannel final : public WindowChannel {
 public:
  using WindowChannel::WindowChannel;

  /// Ends the open epochs: with early epochs the access and the exposure of a round that was never started.
  ~PscwChannel() override {
    if (posted_ && started_ && !alone()) {
      MPI_Win_complete(next_window());
      MPI_Win_wait(next_window());
    }
    if (peers_ != MPI_GROUP_NULL) MPI_Group_free(&peers_);
  }

  Status create() override {
    HLC_TRY(prepare([this] { return create_group(); }));
    HLC_TRY(create_windows(early() ? 2 : 1));
    if (!early()) return Status::ok;
    HLC_TRY(post(next_window()));
    return start(next_window());
  }

  Status open() override {
    HLC_TRY(WindowChannel::open());
    completed_ = waited_ = false;
    if (early()) return Status::ok;
    HLC_TRY(post(window()));
    return start(window());
  }

  Status poll(int *e) override {
    const Status status = end_round();
    return status == Status::ok ? next_arrival(e) : status;
  }

  Status close(int *rank) override {
    *rank = some_peer();
    const Status status = end_round();
    if (status != Status::ok || !early() || started_) return status;
    return start(next_window());
  }
  bool knows_who() const override { return false; }
  BlockingSteps blocks() const override { return {.open = !early()}; }

 private:
  bool early() const { return plan_.options.epoch == HLC_EPOCH_EARLY; }
  bool alone() const { return edges_.empty(); }

  Status create_group() {
    std::vector<int> ranks;
    ranks.reserve(edges_.size());
    for (const int e : edges_) ranks.push_back(edge(e).rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    MPI_Group all = MPI_GROUP_NULL;
    HLC_TRY(check_mpi(MPI_Comm_group(plan_.comm, &all), "MPI_Comm_group"));
    const Status status = check_mpi(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &peers_), "MPI_Group_incl");
    MPI_Group_free(&all);
    return status;
  }

  Status post(MPI_Win window) {
    posted_ = true;
    return alone() ? Status::ok : check_mpi(MPI_Win_post(peers_, 0, window), "MPI_Win_post");
  }

  Status start(MPI_Win window) {
    started_ = true;
    // SYNC post-before-complete (pairs with end_round)
    return alone() ? Status::ok : check_mpi(MPI_Win_start(peers_, 0, window), "MPI_Win_start");
  }

  /// Completes this rank's access epoch, then tests its exposure epoch; `again` until all peers have completed their access.
  Status end_round() {
    if (!completed_) {
      completed_ = true;
      // SYNC post-before-complete (pairs with close): the next exposure is posted before the peers can see this round complete.
      if (early()) HLC_TRY(post(next_window()));
      started_ = false;
      if (!alone()) HLC_TRY(check_mpi(MPI_Win_complete(window()), "MPI_Win_complete"));
    }
    if (waited_ || alone()) return Status::ok;
    int flag = 0;
    HLC_TRY(check_mpi(MPI_Win_test(window(), &flag), "MPI_Win_test"));
    waited_ = flag != 0;
    return waited_ ? Status::ok : Status::again;
  }

  MPI_Group peers_ = MPI_GROUP_NULL;
  bool posted_ = false, started_ = false;      // with early epochs: the next round's exposure and access are open
  bool completed_ = true, waited_ = true;      // of the running round
};

}  // namespace

std::unique_ptr<Channel> make_pscw(Plan &plan, std::vector<int> edges) { return std::make_unique<PscwChannel>(plan, std::move(edges)); }

}  // namespace halocline::core
