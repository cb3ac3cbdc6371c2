// One launch of context_death.py: `context_death VICTIM DIRECTORY`. All ranks have a context, those but VICTIM another one, and all are
// nodes of their own. VICTIM dies. The others use the context of all until a call fails, and close it. Before, between and after that they
// use their own context, and then a new one. Each writes into DIRECTORY/<rank> what was wrong, or `right` and how the context of all ended.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "engine/test_context.hpp"
#include "failure/report.hpp"
#include "support/listening.hpp"

namespace {

using halocline::test::TestContext;

constexpr int kRounds = 30;

std::string fault_of(const TestContext &each, const char *when) {
  if (!each.well()) return std::string(when) + ": " + hlc_status_name(each.status()) + ": " + hlc_error_message();
  return each.wrong() == 0 ? "" : std::string(when) + ": " + std::to_string(each.wrong()) + " bytes are wrong";
}

/// What goes wrong for a survivor; "" if nothing does.
std::string survive(MPI_Comm survivors, TestContext &all, TestContext &ours, std::string *how) {
  std::size_t listening = halocline::test::find_listening().size();
  std::string fault;
  while (all.well()) {
    ours.pass(1);
    all.pass(1);
  }
  *how = std::string(hlc_status_name(all.status())) + ": " + hlc_error_message();
  ours.pass(kRounds);
  if (fault = fault_of(ours, "beside a context that is broken"); !fault.empty()) return fault;
  ours.begin();
  static_cast<void>(all.close());
  ours.end();
  ours.pass(kRounds);
  if (fault = fault_of(ours, "after a broken context was closed"); !fault.empty()) return fault;
  TestContext late(survivors, 3);
  late.pass(kRounds);
  ours.pass(kRounds);
  if (fault = fault_of(late, "a new context"); !fault.empty()) return fault;
  if (fault = fault_of(ours, "beside a new context"); !fault.empty()) return fault;
  if (halocline::test::find_listening().size() != listening) return "there is more than one endpoint";
  static_cast<void>(late.close());
  return fault_of(late, "closing a new context");
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int victim = std::atoi(argv[1]);
  int rank = 0, size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const halocline::test::Report report(argv[2], rank);
  MPI_Comm survivors = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == victim ? 1 : 0, rank, &survivors);
  TestContext all(MPI_COMM_WORLD, 1), ours(survivors, 2);
  all.pass(3);
  ours.pass(3);
  if (!all.well() || !ours.well()) report.write("no contexts: " + std::string(hlc_error_message()));
  if (rank == victim) kill(getpid(), SIGKILL);
  std::string how, fault = survive(survivors, all, ours, &how);
  report.write(fault.empty() ? "right, " + how : fault);
  report.await_others(size, victim);
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
