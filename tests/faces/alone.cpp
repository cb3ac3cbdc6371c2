// Two faces in a program that does not start MPI: the first to begin starts it, the last to end ends it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <memory>

#include "base/mpi_use.hpp"
#include "plain_face.hpp"

namespace {

using halocline::core::failed;
using halocline::core::Status;
namespace core = halocline::core;

int passed = 0, wrong = 0;

void expect(bool holds, const char *sentence) {
  ++(holds ? passed : wrong);
  if (!holds) std::printf("FAIL %s (%s)\n", sentence, core::error_message());
}

bool runs() {
  int running = 0, over = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&over);
  return running && !over;
}

}  // namespace

int main() {
  expect(!runs(), "MPI does not run at first");
  expect(core::runtime.start("begin") == Status::ok && runs(), "a face starts MPI");
  expect(core::begin_mpi_use("the other face") == Status::ok, "another face uses it");
  expect(core::runtime.begin(std::make_unique<halocline::test::PlainJob>()) == Status::ok, "a job begins");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expect(halocline::test::end_job() == Status::ok, "the job ends");
  expect(runs(), "MPI runs on for the other face");
  core::end_mpi_use();
  expect(!runs(), "MPI ends with its last user");
  expect(failed(core::runtime.start("begin")), "a face cannot begin after MPI");
  if (rank == 0) std::printf("%d passed, %d failed, 0 skipped\n", passed, wrong);
  return wrong == 0 ? 0 : 1;
}
