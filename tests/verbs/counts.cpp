// What operations between two hosts send over an RDMA device, of the library or of the MPI: packets and bytes, as the device and its interface
// count them. `halocline_verbs_counts library|mpi DEVICE INTERFACE`, with 2 ranks on a host each; tests/verbs/counts.py makes the table.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <halocline/segment.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int kBytes = 4000;
constexpr int kTimes = 50;
constexpr int kRepetitions = 2;
constexpr useconds_t kQuiet = 50'000;  // until acknowledgements have arrived

int rank = 0, other = 0;
std::string packets_file, bytes_file;
std::vector<char> mine(kBytes, 'x'), theirs(kBytes);
std::vector<double> numbers(kBytes / sizeof(double), 1.0);

/// What this host has sent.
struct Sent {
  double packets, bytes;
};

double number_in(const std::string &file) {
  double number = -1;
  std::ifstream(file) >> number;
  return number;
}

Sent sent() { return {number_in(packets_file), number_in(bytes_file)}; }

void require(bool true_, const char *what) {
  if (true_) return;
  std::fprintf(stderr, "rank %d: %s failed: %s\n", rank, what, hlc_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REQUIRE(call) require((call) == 0, #call)

using Call = std::function<void()>;

/// What both hosts send from one meeting of the ranks to the next, with so many calls between.
Sent sent_during(int times, const Call &call, const Call &meet) {
  meet();
  usleep(kQuiet);
  const Sent before = sent();
  usleep(kQuiet);  // neither begins before the other has read
  meet();
  for (int i = 0; i < times; ++i) call();
  meet();
  usleep(kQuiet);
  const Sent after = sent();
  usleep(kQuiet);
  std::array<double, 2> mine_sent{after.packets - before.packets, after.bytes - before.bytes}, all{};
  MPI_Allreduce(mine_sent.data(), all.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {all[0], all[1]};
}

/// The least of some repetitions: a probe of the other rank may be among them.
Sent least_during(int times, const Call &call, const Call &meet) {
  Sent least = sent_during(times, call, meet);
  for (int i = 1; i < kRepetitions; ++i) {
    const Sent again = sent_during(times, call, meet);
    least = {std::min(least.packets, again.packets), std::min(least.bytes, again.bytes)};
  }
  return least;
}

/// Per call and rank, without the meetings.
void count(const char *name, const Call &call, const Call &meet) {
  for (int i = 0; i < 3; ++i) call();
  const Sent none = least_during(0, call, meet), some = least_during(kTimes, call, meet);
  if (rank == 0)
    std::printf("counted: %s: %.1f packets, %.0f bytes\n", name, (some.packets - none.packets) / (2 * kTimes),
                (some.bytes - none.bytes) / (2 * kTimes));
  std::fflush(stdout);
}

void do_nothing(int, void *, void *) {}
void read_nothing(int, const void *, void *) {}

void count_swap_of_library(hlc_context *context, const Call &meet) {
  const hlc_neighbour neighbour{other, 0, 0, kBytes, kBytes};
  hlc_exchange_spec spec{};
  spec.nneighbours = 1;
  spec.neighbours = &neighbour;
  spec.pack = do_nothing;
  spec.unpack = read_nothing;
  spec.mode = HLC_MODE_NOTIFY;
  hlc_exchange *exchange = nullptr;
  REQUIRE(hlc_exchange_create(context, &spec, &exchange));
  const auto swap = [&] {
    REQUIRE(hlc_exchange_start(exchange));
    REQUIRE(hlc_exchange_finish(exchange));
  };
  count("swap", swap, meet);
  REQUIRE(hlc_exchange_destroy(&exchange));
}

void count_library() {
  hlc_context *context = nullptr;
  REQUIRE(hlc_init(MPI_COMM_WORLD, &context));
  hlc_segment *segment = nullptr;
  const hlc_segment_spec spec{3 * kBytes, 4, 0};
  REQUIRE(hlc_segment_create(context, &spec, &segment));
  if (rank == 0) std::printf("network: %s\n", hlc_context_network(context));
  const Call meet = [&] { REQUIRE(hlc_barrier(segment)); };
  count_swap_of_library(context, meet);
  const hlc_target to{segment, other, 0}, numbers_of_other{segment, other, kBytes}, number{segment, other, 2 * kBytes};
  const auto flush = [&] { REQUIRE(hlc_flush(segment, other)); };
  std::uint32_t value = 0;
  // Two ids in turn: the other rank may notify again before this one has taken the first one.
  const auto put_notify = [&] {
    const int turn = static_cast<int>(++value % 2);
    int id = 0;
    REQUIRE(hlc_put_notify(to, mine.data(), kBytes, {turn, value}));
    REQUIRE(hlc_notify_wait(segment, {turn, 1}, &id));
    std::uint32_t got = 0;
    REQUIRE(hlc_notify_reset(segment, turn, &got));
    REQUIRE(hlc_flush_local(segment, other));
  };
  count("put with notification", put_notify, meet);
  count(
      "put",
      [&] {
        REQUIRE(hlc_put(to, mine.data(), kBytes));
        flush();
      },
      meet);
  count(
      "get",
      [&] {
        REQUIRE(hlc_get(to, theirs.data(), kBytes));
        flush();
      },
      meet);
  const hlc_action add{HLC_OP_SUM, HLC_NUMBER_FLOAT64};
  const auto accumulate = [&] {
    REQUIRE(hlc_accumulate(numbers_of_other, add, numbers.data(), static_cast<std::int64_t>(numbers.size())));
    flush();
  };
  count("accumulate", accumulate, meet);
  std::int64_t old = 0;
  count(
      "fetch and add",
      [&] {
        REQUIRE(hlc_atomic_fetch_add(number, HLC_NUMBER_INT64, 1, &old));
        flush();
      },
      meet);
  count("barrier", meet, meet);
  REQUIRE(hlc_segment_free(&segment));
  REQUIRE(hlc_finalise(&context));
}

void swap_by_mpi() {
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(theirs.data(), kBytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(mine.data(), kBytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
}

void count_mpi() {
  char *memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(MPI_Aint{3} * kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  const Call meet = [] { MPI_Barrier(MPI_COMM_WORLD); };
  const auto flush = [&] { MPI_Win_flush(other, window); };
  const auto put = [&] {
    MPI_Put(mine.data(), kBytes, MPI_CHAR, other, 0, kBytes, MPI_CHAR, window);
    flush();
  };
  count("swap", swap_by_mpi, meet);
  // A message says that the bytes are there.
  const auto put_and_say = [&] {
    put();
    MPI_Sendrecv(nullptr, 0, MPI_CHAR, other, 1, nullptr, 0, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  count("put with notification", put_and_say, meet);
  count("put", put, meet);
  const auto get = [&] {
    MPI_Get(theirs.data(), kBytes, MPI_CHAR, other, 0, kBytes, MPI_CHAR, window);
    flush();
  };
  count("get", get, meet);
  const int entries = static_cast<int>(numbers.size());
  const auto accumulate = [&] {
    MPI_Accumulate(numbers.data(), entries, MPI_DOUBLE, other, kBytes, entries, MPI_DOUBLE, MPI_SUM, window);
    flush();
  };
  count("accumulate", accumulate, meet);
  std::int64_t one = 1, old = 0;
  const auto fetch_add = [&] {
    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, other, MPI_Aint{2} * kBytes, MPI_SUM, window);
    flush();
  };
  count("fetch and add", fetch_add, meet);
  count("barrier", meet, meet);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  other = 1 - rank;
  if (argc != 4 || size != 2) {
    if (rank == 0) std::fprintf(stderr, "usage: mpiexec -n 2 halocline_verbs_counts library|mpi DEVICE INTERFACE, on two hosts\n");
    MPI_Finalize();
    return 2;
  }
  packets_file = std::string("/sys/class/infiniband/") + argv[2] + "/ports/1/hw_counters/sent_pkts";
  bytes_file = std::string("/sys/class/net/") + argv[3] + "/statistics/tx_bytes";
  require(sent().packets >= 0 && sent().bytes >= 0, "reading the counters of the device");
  if (std::string(argv[1]) == "mpi")
    count_mpi();
  else
    count_library();
  MPI_Finalize();
  return 0;
}
