// The program that plays random scenarios. It reads one JSON text per line from a pipe and plays it on all ranks. It writes one line with
// what was wrong to another pipe. It lives for many scenarios; tests/random/random_specs.py makes them, watches it, and starts it anew if
// it ends.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "random/play.hpp"

namespace halocline::test {
namespace {

constexpr int most_nodes = 3;

/// Sends rank 0's text to all. Waiting ranks sleep: the cores are for the process that makes the next scenario.
std::string broadcast(std::string text, MPI_Comm comm) {
  long length = static_cast<long>(text.size());
  MPI_Request request;
  MPI_Ibcast(&length, 1, MPI_LONG, 0, comm, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(200);
  }
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm);
  return text;
}

/// Concatenates the ranks' texts on rank 0.
std::string gather(const std::string &mine, const Stage &stage, MPI_Comm comm) {
  if (stage.rank != 0) {
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, 0, 0, comm);
    return {};
  }
  std::string all = mine;
  for (int r = 1; r < stage.size; ++r) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(r, 0, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), ' ');
    MPI_Recv(text.data(), length, MPI_CHAR, r, 0, comm, MPI_STATUS_IGNORE);
    all += text;
  }
  return all;
}

/// One context per number of emulated nodes, because a context finds its nodes when it is opened.
std::vector<hlc_context *> open_contexts(int size) {
  std::vector<hlc_context *> contexts;
  for (int nodes = 1; nodes <= std::min(most_nodes, size); ++nodes) {
    setenv("HALOCLINE_FAKE_NODES", std::to_string(nodes).c_str(), 1);
    contexts.push_back(nullptr);
    if (hlc_init(MPI_COMM_WORLD, &contexts.back()) == HLC_OK) continue;
    std::fprintf(stderr, "hlc_init: %s\n", hlc_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return contexts;
}

/// Plays scenarios until the pipe is closed. False if the last one left something behind, so that a new process is needed.
bool serve(std::istream &requests, std::ostream &answers, Stage stage, const std::vector<hlc_context *> &contexts) {
  while (true) {
    std::string line;
    if (stage.rank == 0) std::getline(requests, line);
    line = broadcast(line, MPI_COMM_WORLD);
    if (line.empty()) return true;
    const Json scenario = Json::parse(line);
    stage.context = contexts.at(scenario.at("nodes").get<std::size_t>() - 1);
    const Outcome outcome = play(stage, MPI_COMM_WORLD, scenario);

    std::string text;
    for (const std::string &complaint : outcome.complaints) text += "rank " + std::to_string(stage.rank) + ": " + complaint + "\n";
    text = gather(text, stage, MPI_COMM_WORLD);
    int usable = outcome.usable ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (stage.rank == 0)
      answers << Json{{"complaints", text}, {"usable", usable == 1}}.dump(-1, ' ', true, Json::error_handler_t::replace) << std::endl;
    if (!usable) return false;
  }
}

int run(const char *requests, const char *answers) {
  Stage stage;
  MPI_Comm_rank(MPI_COMM_WORLD, &stage.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &stage.size);
  std::vector<hlc_context *> contexts = open_contexts(stage.size);
  std::ifstream in;
  std::ofstream out;
  if (stage.rank == 0) {
    in.open(requests);
    out.open(answers);
  }
  if (!serve(in, out, stage, contexts)) MPI_Abort(MPI_COMM_WORLD, 1);
  int failures = 0;
  for (hlc_context *&context : contexts)
    if (hlc_finalise(&context) != HLC_OK) {
      std::fprintf(stderr, "rank %d: hlc_finalise: %s\n", stage.rank, hlc_error_message());
      failures = 1;
    }
  return failures;
}

}  // namespace
}  // namespace halocline::test

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s REQUESTS ANSWERS (two named pipes, opened by rank 0)\n", argv[0]);
    return 2;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = halocline::test::run(argv[1], argv[2]);
  MPI_Finalize();
  return status;
}
