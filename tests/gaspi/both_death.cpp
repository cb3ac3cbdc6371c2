// One launch of context_death.py: `both_death VICTIM DIRECTORY`. All ranks have a GASPI job and a context. All but VICTIM have a second
// context, and all are nodes of their own. VICTIM dies. The job and the context of all report it to the others. They use the other context
// before, between and after, and end the job before the last context. Each writes its faults into DIRECTORY/<rank>, or `right` and how the
// context of all ended.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "engine/test_context.hpp"
#include "failure/report.hpp"
#include "support/listening.hpp"

namespace {

using halocline::test::TestContext;

constexpr int kRounds = 20;
constexpr gaspi_queue_id_t kQueue = 2;
std::size_t listening_before = 0;  // at so many addresses, before there is an endpoint
std::string fault;  // the first

void expect(bool right, const std::string &what) {
  if (!right && fault.empty()) fault = what;
}

void expect(gaspi_return_t expected, gaspi_return_t code, const std::string &what) {
  expect(code == expected, what + " has come to " + std::to_string(code));
}

void expect_well(const TestContext &each, const char *when) {
  expect(each.well(), std::string(when) + ": " + hlc_status_name(each.status()) + ": " + hlc_error_message());
  expect(each.wrong() == 0, std::string(when) + ": bytes are wrong");
}

void start_job() {
  expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init");
  expect(GASPI_SUCCESS, gaspi_segment_create(0, 4096, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED), "gaspi_segment_create");
}

/// A notified write to a rank, and one from a rank.
void pass(gaspi_rank_t to, int from) {
  gaspi_notification_id_t id = 0;
  gaspi_notification_t value = 0;
  gaspi_rank_t me = 0;
  expect(GASPI_SUCCESS, gaspi_proc_rank(&me), "gaspi_proc_rank");
  expect(GASPI_SUCCESS, gaspi_write_notify(0, 0, to, 0, 64, 8, me, 1, kQueue, GASPI_BLOCK), "gaspi_write_notify");
  expect(GASPI_SUCCESS, gaspi_notify_waitsome(0, static_cast<gaspi_notification_id_t>(from), 1, &id, GASPI_BLOCK), "gaspi_notify_waitsome");
  expect(GASPI_SUCCESS, gaspi_notify_reset(0, id, &value), "gaspi_notify_reset");
  expect(GASPI_SUCCESS, gaspi_wait(kQueue, GASPI_BLOCK), "gaspi_wait");
}

/// The job is told of the death by what it sends, and mends its queue.
void be_told(gaspi_rank_t victim) {
  gaspi_return_t code = GASPI_SUCCESS;
  while (code == GASPI_SUCCESS && fault.empty()) {
    expect(GASPI_SUCCESS, gaspi_write(0, 0, victim, 0, 8, 8, kQueue, GASPI_BLOCK), "a write to the dead");
    code = gaspi_wait(kQueue, GASPI_BLOCK);
  }
  expect(GASPI_ERROR, code, "waiting for a write to the dead");
  expect(GASPI_SUCCESS, gaspi_queue_purge(kQueue, GASPI_BLOCK), "gaspi_queue_purge");
}

/// What a survivor meets. The other one is `partner`.
void survive(TestContext &all, TestContext &ours, gaspi_rank_t victim, gaspi_rank_t partner) {
  while (all.well()) {
    ours.pass(1);
    all.pass(1);
  }
  be_told(victim);
  for (int i = 0; i < kRounds; ++i) {
    ours.begin();
    pass(partner, partner);
    ours.end();
  }
  expect_well(ours, "beside a context that is broken");
  static_cast<void>(all.close());
  pass(partner, partner);
  ours.pass(kRounds);
  expect_well(ours, "after a broken context was closed");
  expect(halocline::test::find_listening().size() == listening_before + 1, "there is more than one endpoint");
  expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term");
  ours.pass(kRounds);
  expect_well(ours, "after the job");
  static_cast<void>(ours.close());
  expect_well(ours, "closing the last context");
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int victim = std::atoi(argv[1]);
  int rank = 0, size = 1, provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const halocline::test::Report report(argv[2], rank);
  MPI_Comm survivors = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == victim ? 1 : 0, rank, &survivors);
  listening_before = halocline::test::find_listening().size();
  start_job();
  TestContext all(MPI_COMM_WORLD, 1), ours(survivors, 2);
  for (int i = 0; i < 3; ++i) {
    all.pass(1);
    pass(static_cast<gaspi_rank_t>((rank + 1) % size), (rank + size - 1) % size);
  }
  ours.pass(3);
  if (!all.well() || !ours.well()) report.write("no contexts: " + std::string(hlc_error_message()));
  if (rank == victim) kill(getpid(), SIGKILL);
  // Three ranks, of which two are left.
  survive(all, ours, static_cast<gaspi_rank_t>(victim), static_cast<gaspi_rank_t>(3 - victim - rank));
  report.write(fault.empty() ? std::string("right, ") + hlc_status_name(all.status()) : fault);
  report.await_others(size, victim);
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
