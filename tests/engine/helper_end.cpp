// Ends by one of several methods while each node has a helper process, for helper_end.py to see what is left. Run on 2 emulated nodes of 2
// ranks.
//
// Usage: halocline_helper_end finalise|exit|abort|kill|starter FOLDER
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

constexpr int kStarter = 2, kOther = 3;  // of the second node; the first of them has started the helper

void require(hlc_status status) {
  if (status == HLC_OK) return;
  std::fprintf(stderr, "%s\n", hlc_error_message());
  _exit(1);
}

void wait_until_there(const std::filesystem::path &file) {
  const std::timespec time{0, 10'000'000};
  while (!std::filesystem::exists(file)) nanosleep(&time, nullptr);
}

/// The first rank of the second node ends without notice; rank 0 continues with the other, which computes.
[[noreturn]] void end_the_starter(hlc_segment *segment, int rank, const std::filesystem::path &folder) {
  const std::int64_t word = 17;
  std::int64_t back = 0;
  if (rank == kStarter) kill(getpid(), SIGKILL);
  if (rank == 0) {
    wait_until_there(folder / "ended");  // written by the script, which has seen the end
    require(hlc_put({segment, kOther, 8}, &word, sizeof word));
    require(hlc_flush(segment, kOther));
    require(hlc_atomic_fetch_add({segment, kOther, 8}, HLC_NUMBER_INT64, 1, &back));
    std::ofstream(folder / "answer") << back;
  }
  wait_until_there(folder / "over");
  _exit(0);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const std::string end = argv[1];
  const std::filesystem::path folder = argv[2];
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  hlc_context *context = nullptr;
  hlc_segment *segment = nullptr;
  const hlc_segment_spec spec{64, 1, 0};
  require(hlc_init(MPI_COMM_WORLD, &context));
  require(hlc_segment_create(context, &spec, &segment));
  require(hlc_barrier(segment));
  std::ofstream(folder / ("rank" + std::to_string(rank))) << getpid();
  MPI_Barrier(MPI_COMM_WORLD);
  if (end == "starter") end_the_starter(segment, rank, folder);
  if (end == "exit") _exit(0);
  if (end == "abort" && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (end == "kill" && rank == kStarter) kill(getpid(), SIGKILL);
  if (end != "finalise") pause();
  require(hlc_segment_free(&segment));
  require(hlc_finalise(&context));
  return MPI_Finalize();
}
