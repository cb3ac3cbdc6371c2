// Mode passive: MPI_Put in one lock_all epoch that lasts as long as the exchange. After flush_all an empty message announces its data to
// each neighbour. Every edge of a round has such a message in both directions, because it also announces that the slot may be reused.
// Source: Brown et al., section IV-B3.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "base/test_all.hpp"
#include "exchange/modes/window_channel.hpp"

namespace halocline::core {
namespace {

class PassiveChannel final : public WindowChannel {
 public:
  using WindowChannel::WindowChannel;

  ~PassiveChannel() override {
    for (auto *requests : {&empty_receives_, &empty_sends_})
      for (MPI_Request &request : *requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    if (locked_) MPI_Win_unlock_all(window());
  }

  Status create() override {
    HLC_TRY(prepare([this] { return create_empty_messages(); }));
    HLC_TRY(create_windows(1));
    int *model = nullptr, flag = 0;
    HLC_TRY(check_mpi(MPI_Win_get_attr(window(), MPI_WIN_MODEL, &model, &flag), "MPI_Win_get_attr"));
    separate_ = !flag || *model != MPI_WIN_UNIFIED;
    locked_ = true;
    return check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window()), "MPI_Win_lock_all");
  }

  Status open() override {
    HLC_TRY(WindowChannel::open());
    flushed_ = false;
    missing_ = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      receives_[i] = sends_[i] = MPI_REQUEST_NULL;
      if (!part(edges_[i]).active()) continue;
      missing_ += 1;
      receives_[i] = empty_receives_[i];
      HLC_TRY(check_mpi(MPI_Start(&receives_[i]), "MPI_Start"));
    }
    return Status::ok;
  }

  Status poll(int *e) override {
    HLC_TRY(flush_and_notify());
    int index = MPI_UNDEFINED, flag = 0;
    HLC_TRY(check_mpi(MPI_Testany(static_cast<int>(receives_.size()), receives_.data(), &index, &flag, MPI_STATUS_IGNORE), "MPI_Testany"));
    if (!flag || index == MPI_UNDEFINED) return Status::again;
    missing_ -= 1;
    receives_[static_cast<std::size_t>(index)] = MPI_REQUEST_NULL;
    *e = edges_[static_cast<std::size_t>(index)];
    // Over an edge that only sends, the empty message is the peer's permission to continue, and announces no data.
    if (part(*e).in == 0) return poll(e);
    if (separate_) return check_mpi(MPI_Win_sync(window()), "MPI_Win_sync");
    // SYNC flush-before-empty-message (pairs with flush_and_notify)
    std::atomic_thread_fence(std::memory_order_acquire);
    return Status::ok;
  }

  Status close(int *rank) override {
    int unused = 0, done = 0;
    *rank = some_peer();
    if (missing_ > 0) {
      HLC_TRY(poll(&unused));
      if (missing_ > 0) return Status::again;
    }
    HLC_TRY(flush_and_notify());
    HLC_TRY(test_all(static_cast<int>(sends_.size()), sends_.data(), &done));
    return done ? Status::ok : Status::again;
  }

 private:
  Status create_empty_messages() {
    empty_receives_.assign(edges_.size(), MPI_REQUEST_NULL);
    empty_sends_ = receives_ = sends_ = empty_receives_;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const Edge &mine = edge(edges_[i]);
      HLC_TRY(check_mpi(MPI_Recv_init(nullptr, 0, MPI_BYTE, mine.rank, edges_[i], plan_.comm, &empty_receives_[i]), "MPI_Recv_init"));
      HLC_TRY(check_mpi(MPI_Send_init(nullptr, 0, MPI_BYTE, mine.rank, mine.peer_edge, plan_.comm, &empty_sends_[i]), "MPI_Send_init"));
    }
    return Status::ok;
  }

  Status flush_and_notify() {
    if (flushed_) return Status::ok;
    flushed_ = true;
    // SYNC flush-before-empty-message (pairs with poll): remote completion of the puts precedes the message that announces them.
    HLC_TRY(check_mpi(MPI_Win_flush_all(window()), "MPI_Win_flush_all"));
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (!part(edges_[i]).active()) continue;
      sends_[i] = empty_sends_[i];
      HLC_TRY(check_mpi(MPI_Start(&sends_[i]), "MPI_Start"));
    }
    return Status::ok;
  }

  std::vector<MPI_Request> empty_receives_, empty_sends_;  // persistent
  std::vector<MPI_Request> receives_, sends_;              // of the running round
  int missing_ = 0;                                        // empty messages of the round that have not arrived
  bool flushed_ = true, locked_ = false, separate_ = false;
};

}  // namespace

std::unique_ptr<Channel> make_passive(Plan &plan, std::vector<int> edges) {
  return std::make_unique<PassiveChannel>(plan, std::move(edges));
}

}  // namespace halocline::core
