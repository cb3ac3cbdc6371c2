// Each mode's own pattern of epochs, in the modes' own windows: assertions, early epochs, flush and empty messages, barrier and lock. If one
// of these is not right, the mode that stands on it cannot be. The last ones no mode stands on: some MPI hangs or crashes in them.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdint>

#include "../errors.hpp"
#include "../watchdog.hpp"
#include "slots.hpp"

namespace doctor {
namespace {

template <class Body>
void rounds(Bench &bench, const Slots &slots, const Body &body) {
  for (int i = 0; i < Slots::kRounds; ++i) {
    const unsigned round = bench.next_round();
    slots.be_late(round);
    body(round);
  }
}

void probe_fence_early(Bench &bench) {
  Slots slots(bench, 1);
  CALL(MPI_Win_fence, MPI_MODE_NOPRECEDE, slots.window(0));
  rounds(bench, slots, [&](unsigned round) {
    slots.put(round);
    CALL(MPI_Win_fence, MPI_MODE_NOSTORE, slots.window(0));
    slots.look(round, "put between fences that open the next epoch");
  });
  CALL(MPI_Win_fence, MPI_MODE_NOSUCCEED, slots.window(0));
  slots.end();
}

void probe_fence_late(Bench &bench) {
  Slots slots(bench, 1);
  rounds(bench, slots, [&](unsigned round) {
    CALL(MPI_Win_fence, MPI_MODE_NOPRECEDE, slots.window(0));
    slots.put(round);
    CALL(MPI_Win_fence, MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, slots.window(0));
    slots.look(round, "put between two fences");
  });
  slots.end();
}

void probe_fence_get(Bench &bench) {
  Slots slots(bench, 1);
  rounds(bench, slots, [&](unsigned round) {
    slots.expose(round);
    CALL(MPI_Win_fence, MPI_MODE_NOPUT, slots.window(0));
    slots.get(round);
    CALL(MPI_Win_fence, MPI_MODE_NOSUCCEED, slots.window(0));
    slots.look_got(round, "get between two fences");
  });
  slots.end();
}

void wait_exposure(MPI_Win window) {
  for (int done = 0; !done;) POLL(MPI_Win_test, window, &done);
}

/// Two windows in turn: the next round's exposure is posted before this round's access is completed.
void probe_pscw_early(Bench &bench) {
  Slots slots(bench, 2);
  CALL(MPI_Win_post, slots.group(), 0, slots.window(bench.next_round() + 1));
  unsigned last = 0;
  const auto begin = [&](unsigned round) { CALL(MPI_Win_start, slots.group(), 0, slots.window(round)); };
  rounds(bench, slots, [&](unsigned round) {
    if (last == 0) begin(round);
    slots.put(round);
    CALL(MPI_Win_post, slots.group(), 0, slots.window(round + 1));
    CALL(MPI_Win_complete, slots.window(round));
    wait_exposure(slots.window(round));
    slots.look(round, "put with the next exposure posted early");
    begin(round + 1);
    last = round;
  });
  CALL(MPI_Win_complete, slots.window(last + 1));
  CALL(MPI_Win_wait, slots.window(last + 1));
  slots.end();
}

void post_put_test(Bench &bench, int assertion) {
  Slots slots(bench, 1);
  rounds(bench, slots, [&](unsigned round) {
    CALL(MPI_Win_post, slots.group(), assertion, slots.window(0));
    // Who asserts that all have posted must know it.
    if (assertion) CALL(MPI_Barrier, bench.comm());
    CALL(MPI_Win_start, slots.group(), assertion, slots.window(0));
    slots.put(round);
    CALL(MPI_Win_complete, slots.window(0));
    wait_exposure(slots.window(0));
    slots.look(round, "put between post and test");
  });
  slots.end();
}

void probe_pscw_late(Bench &bench) { post_put_test(bench, 0); }
void probe_pscw_nocheck(Bench &bench) { post_put_test(bench, MPI_MODE_NOCHECK); }

/// Persistent empty messages over the edges of the slots.
class EmptyMessages {
 public:
  EmptyMessages(Bench &bench, const Slots &slots) : sends_(Slots::kEdges), receives_(Slots::kEdges) {
    for (std::size_t e = 0; e < Slots::kEdges; ++e) {
      const int tag = static_cast<int>(e);
      CALL(MPI_Recv_init, nullptr, 0, MPI_BYTE, slots.from(e), tag, bench.comm(), &receives_[e]);
      CALL(MPI_Send_init, nullptr, 0, MPI_BYTE, slots.to(e), tag, bench.comm(), &sends_[e]);
    }
  }
  void exchange() {
    for (auto *requests : {&receives_, &sends_})
      for (MPI_Request &request : *requests) CALL(MPI_Start, &request);
    for (auto *requests : {&receives_, &sends_})
      CALL(MPI_Waitall, static_cast<int>(requests->size()), requests->data(), MPI_STATUSES_IGNORE);
  }
  void end() {
    for (auto *requests : {&receives_, &sends_})
      for (MPI_Request &request : *requests) CALL(MPI_Request_free, &request);
  }

 private:
  std::vector<MPI_Request> sends_, receives_;
};

bool is_separate(MPI_Win window) {
  int *model = nullptr, flag = 0;
  CALL(MPI_Win_get_attr, window, MPI_WIN_MODEL, &model, &flag);
  return !flag || *model != MPI_WIN_UNIFIED;
}

/// One lock_all epoch for all rounds; in the unified model nothing but the message comes between flush and load.
void probe_passive(Bench &bench) {
  Slots slots(bench, 1);
  EmptyMessages messages(bench, slots);
  const bool separate = is_separate(slots.window(0));
  CALL(MPI_Win_lock_all, MPI_MODE_NOCHECK, slots.window(0));
  rounds(bench, slots, [&](unsigned round) {
    slots.put(round);
    CALL(MPI_Win_flush_all, slots.window(0));
    messages.exchange();
    if (separate) CALL(MPI_Win_sync, slots.window(0));
    std::atomic_thread_fence(std::memory_order_acquire);
    slots.look(round, "put, flush_all and an empty message");
  });
  CALL(MPI_Win_unlock_all, slots.window(0));
  messages.end();
  slots.end();
}

void probe_passive_naive(Bench &bench) {
  Slots slots(bench, 1);
  rounds(bench, slots, [&](unsigned round) {
    CALL(MPI_Win_lock_all, 0, slots.window(0));
    slots.put(round);
    CALL(MPI_Win_unlock_all, slots.window(0));
    MPI_Request barrier = MPI_REQUEST_NULL;
    CALL(MPI_Ibarrier, bench.comm(), &barrier);
    for (int done = 0; !done;) POLL(MPI_Test, &barrier, &done, MPI_STATUS_IGNORE);
    CALL(MPI_Win_lock, MPI_LOCK_SHARED, bench.rank(), 0, slots.window(0));
    CALL(MPI_Win_sync, slots.window(0));
    CALL(MPI_Win_unlock, bench.rank(), slots.window(0));
    slots.look(round, "put, unlock_all and a barrier");
  });
  slots.end();
}

/// Many small puts, and the window is freed as soon as the epoch has ended: nothing of it may be touched afterwards.
void probe_free_at_once(Bench &bench) {
  constexpr int kWindows = 8, kPuts = 4000;
  std::int64_t memory = 0;
  for (int i = 0; i < kWindows; ++i) {
    const std::int64_t value = bench.next_round();
    MPI_Win window = MPI_WIN_NULL;
    CALL(MPI_Win_create, &memory, sizeof memory, 1, MPI_INFO_NULL, bench.comm(), &window);
    return_window_errors(window);
    CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, bench.next(), 0, window);
    for (int put = 0; put < kPuts; ++put) CALL(MPI_Put, &value, 1, MPI_INT64_T, bench.next(), 0, 1, MPI_INT64_T, window);
    CALL(MPI_Win_unlock, bench.next(), window);
    CALL(MPI_Win_free, &window);
    bench.expect(memory == value, "put before MPI_Win_free: found " + std::to_string(memory) + ", expected " + std::to_string(value));
  }
}

}  // namespace

std::vector<Probe> epoch_probes() {
  return {{"epochs/fence_early", "MPI_Win_fence (NOPRECEDE, NOSTORE, NOSUCCEED)", probe_fence_early},
          {"epochs/fence_late", "MPI_Win_fence (NOPRECEDE, NOSTORE | NOSUCCEED)", probe_fence_late},
          {"epochs/fence_get", "MPI_Win_fence (NOPUT, NOSUCCEED), MPI_Get", probe_fence_get},
          {"epochs/pscw_early", "MPI_Win_post, complete, test, start in two windows", probe_pscw_early},
          {"epochs/pscw_late", "MPI_Win_post, start, complete, test", probe_pscw_late},
          {"epochs/passive", "MPI_Win_lock_all (NOCHECK), flush_all, empty messages", probe_passive},
          {"epochs/passive_naive", "MPI_Win_lock_all, unlock_all, MPI_Ibarrier, MPI_Win_sync", probe_passive_naive}};
}

std::vector<Probe> risky_probes() {
  return {{"epochs/pscw_nocheck", "MPI_Win_post, start (MPI_MODE_NOCHECK), test", probe_pscw_nocheck},
          {"epochs/free_at_once", "MPI_Win_lock, many MPI_Put, MPI_Win_unlock, MPI_Win_free", probe_free_at_once}};
}

}  // namespace doctor
