// A job of ranks that swap over the network and check every byte: `halocline_network_swaps [WORD...]`, launched by choices.py and fuzz.py.
//
//    rounds=N             swaps (3), or the number between two checks whether to stop
//    plans=new            the plan is made anew after each check
//    on=R:NAME=VALUE      sets a variable on rank R alone, -1: on all
//    libfabric=R:FILE     rank R, -1: all, gets FILE where the library asks for libfabric; no FILE: nothing is found
//    libucp=R:FILE        the same, of UCX
//    files=R:N            rank R, -1: all, may open N more files once the library is open
//    network=yes          the status is not 0 if an edge goes over MPI
//    requests=yes         each swap also adds one to a number in the segment of the next rank
//    folder=DIRECTORY     continues until there is a file DIRECTORY/stop, and stands still between two swaps while there is a file
//                         DIRECTORY/hold. When the first plan exists, each rank writes into DIRECTORY/<rank> its process and the addresses at which it listens since then, as /proc/net/tcp has them
//
// Each rank prints `rank R: ok` or the status and message of the call that failed. Then follow `rank R: via network N, mpi M: LINE`, with
// the line of hlc_context_network, and the numbers of swaps and of wrong bytes and requests. The status is 0 if none was wrong.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <halocline/halocline.h>
#include <halocline/segment.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "support/library.hpp"
#include "support/listening.hpp"

namespace {

constexpr std::int64_t kBytes = 20'000;

struct Wanted {
  long rounds = 3;
  long files = -1;
  bool new_plans = false, requests = false, network = false;
  std::string directory;
};

int rank = 0, size = 1;
const char *replaced = nullptr;  // the library in whose place a replacement is found: libfabric or libucp
std::string replacement;  // its file; empty: none

/// `R:REST`: whether this is for my rank, and the rest.
bool for_me(const std::string &word, std::string *rest) {
  const std::size_t colon = word.find(':');
  *rest = word.substr(colon + 1);
  const int whose = std::atoi(word.c_str());
  return whose < 0 || whose == rank;
}

void obey(const std::string &name, const std::string &value, Wanted &wanted) {
  std::string rest;
  if (name == "rounds") wanted.rounds = std::atol(value.c_str());
  if (name == "plans") wanted.new_plans = value == "new";
  if (name == "files" && for_me(value, &rest)) wanted.files = std::atol(rest.c_str());
  if (name == "network") wanted.network = value == "yes";
  if (name == "requests") wanted.requests = value == "yes";
  if (name == "folder") wanted.directory = value;
  for (const char *library : {"libfabric", "libucp"})
    if (name == library && for_me(value, &rest)) {
      replaced = library;
      replacement = rest;
    }
  if (name == "on" && for_me(value, &rest)) setenv(rest.substr(0, rest.find('=')).c_str(), rest.substr(rest.find('=') + 1).c_str(), 1);
}

Wanted read_words(int argc, char **argv) {
  Wanted wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    obey(word.substr(0, equals), word.substr(equals + 1), wanted);
  }
  return wanted;
}

/// A byte of a message: it depends on the origin, the target, the swap and its place.
unsigned char byte_of(int from, int to, std::uint64_t swap, std::int64_t place) {
  std::uint64_t mix = (static_cast<std::uint64_t>(from) * 1009 + static_cast<std::uint64_t>(to)) * 1'000'003 + swap;
  mix = (mix * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(place)) * 0xff51afd7ed558ccdu;
  return static_cast<unsigned char>(mix >> 56);
}

/// What the callbacks need of the swaps.
struct Job {
  std::vector<hlc_neighbour> neighbours;
  hlc_segment *segment = nullptr;  // null: no requests
  std::uint64_t swap = 0;
  long wrong = 0;
};

void pack(int entry, void *buffer, void *user) {
  const Job &job = *static_cast<Job *>(user);
  auto *bytes = static_cast<unsigned char *>(buffer);
  for (std::int64_t i = 0; i < kBytes; ++i) bytes[i] = byte_of(rank, job.neighbours[static_cast<std::size_t>(entry)].rank, job.swap, i);
}

void unpack(int entry, const void *buffer, void *user) {
  Job &job = *static_cast<Job *>(user);
  const auto *bytes = static_cast<const unsigned char *>(buffer);
  for (std::int64_t i = 0; i < kBytes; ++i)
    if (bytes[i] != byte_of(job.neighbours[static_cast<std::size_t>(entry)].rank, rank, job.swap, i)) job.wrong += 1;
}

hlc_status swap_often(hlc_exchange *exchange, Job &job, long rounds) {
  for (long round = 0; round < rounds; ++round) {
    job.swap += 1;
    if (hlc_status status = hlc_exchange_start(exchange)) return status;
    if (hlc_status status = hlc_exchange_finish(exchange)) return status;
    if (!job.segment) continue;
    if (hlc_status status = hlc_atomic_fetch_add({job.segment, (rank + 1) % size, 0}, HLC_NUMBER_INT64, 1, nullptr)) return status;
  }
  // Inside MPI a rank serves no requests: wait until all ranks have made theirs.
  return job.segment ? hlc_barrier(job.segment) : HLC_OK;
}

hlc_status make_segment(hlc_context *context, const Wanted &wanted, Job &job) {
  const hlc_segment_spec spec{sizeof(std::int64_t), 0, 0};
  return wanted.requests ? hlc_segment_create(context, &spec, &job.segment) : HLC_OK;
}

/// Every request has been carried out once.
hlc_status check_requests(Job &job) {
  if (!job.segment) return HLC_OK;
  const std::int64_t counted = *static_cast<const std::int64_t *>(hlc_segment_data(job.segment));
  job.wrong += std::labs(counted - static_cast<std::int64_t>(job.swap));
  return hlc_segment_free(&job.segment);
}

void write_file(const Wanted &wanted, const std::string &text) {
  if (wanted.directory.empty()) return;
  const std::string name = wanted.directory + "/" + std::to_string(rank);
  std::ofstream(name + ".part") << text << "\n";
  std::filesystem::rename(name + ".part", name);
}

void tell_where(const Wanted &wanted, const std::set<std::string> &before) {
  std::string text = std::to_string(getpid());
  for (const std::string &address : halocline::test::find_listening())
    if (before.count(address) == 0) text += " " + address;
  write_file(wanted, text);
}

/// Rank 0 decides whether to continue, and when.
bool go_on(const Wanted &wanted) {
  while (rank == 0 && std::filesystem::exists(wanted.directory + "/hold")) usleep(10'000);
  int more = !wanted.directory.empty() && !std::filesystem::exists(wanted.directory + "/stop") ? 1 : 0;
  MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return more != 0;
}

/// One plan, with as many swaps of it as are wanted.
hlc_status play_plan(hlc_context *context, const hlc_exchange_spec &spec, const Wanted &wanted, hlc_plan_info *info) {
  Job &job = *static_cast<Job *>(spec.user);
  const std::set<std::string> before = halocline::test::find_listening();
  hlc_exchange *exchange = nullptr;
  if (hlc_status status = hlc_exchange_create(context, &spec, &exchange)) return status;
  if (job.swap == 0) {
    if (hlc_status status = make_segment(context, wanted, job)) return status;
    tell_where(wanted, before);
  }
  hlc_status status = hlc_exchange_info(exchange, info);
  do {
    if (status == HLC_OK) status = swap_often(exchange, job, wanted.rounds);
  } while (status == HLC_OK && !wanted.new_plans && go_on(wanted));
  const std::string message = hlc_error_message();
  if (status != HLC_OK) std::printf("rank %d: %s\n", rank, message.c_str());
  std::fflush(stdout);  // the end may have to wait
  const hlc_status ended = hlc_exchange_destroy(&exchange);
  return status == HLC_OK ? ended : status;
}

/// The limit is on numbers, of which the lowest free ones are taken.
void limit_files(long more) {
  std::vector<int> taken;
  rlimit limit{};
  for (long i = 0; i <= more; ++i) taken.push_back(open("/dev/null", O_RDONLY));
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(taken.back());
  for (const int file : taken) close(file);
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Says whose code has failed: the frame below this one and the kernel's. Then the process ends as it would have.
void name_fault(int number) {
  std::array<void *, 3> frames{};
  if (backtrace(frames.data(), static_cast<int>(frames.size())) == static_cast<int>(frames.size())) {
    constexpr char text[] = "segmentation fault in ";
    static_cast<void>(!write(STDERR_FILENO, text, sizeof text - 1));
    backtrace_symbols_fd(&frames.back(), 1, STDERR_FILENO);
  }
  signal(number, SIG_DFL);
  raise(number);
}

/// Each rank swaps with each other rank.
hlc_status play(hlc_context *context, const Wanted &wanted, Job &job, hlc_plan_info *info) {
  hlc_exchange_spec spec{};
  for (int r = 0; r < size; ++r)
    if (r != rank) job.neighbours.push_back({r, 0, 0, kBytes, kBytes});
  spec.nneighbours = static_cast<int>(job.neighbours.size());
  spec.neighbours = job.neighbours.data();
  spec.pack = pack;
  spec.unpack = unpack;
  spec.user = &job;
  spec.mode = HLC_MODE_NOTIFY;
  do {
    if (hlc_status status = play_plan(context, spec, wanted, info)) return status;
  } while (wanted.new_plans && go_on(wanted));
  return check_requests(job);
}

}  // namespace

#ifndef HALOCLINE_SWAPS_WITHOUT_REPLACEMENT
/// The library's calls of dlopen for libfabric and UCX arrive here, because a program's own functions are found first. Those of libfabric do,
/// too, and lose the search path of its file, by which it finds providers that are files of their own.
extern "C" __attribute__((visibility("default"))) void *dlopen(const char *file, int flags) noexcept {
  static const auto next = reinterpret_cast<void *(*)(const char *, int)>(dlsym(RTLD_NEXT, "dlopen"));
  Dl_info caller;
  const bool asked = replaced && file && std::strstr(file, replaced) && dladdr(__builtin_return_address(0), &caller) &&
                     halocline::test::is_halocline(caller.dli_fname);
  if (!asked) return next(file, flags);
  return replacement.empty() ? nullptr : next(replacement.c_str(), flags);
}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Wanted wanted = read_words(argc, argv);
  signal(SIGSEGV, name_fault);
  hlc_context *context = nullptr;
  hlc_plan_info info{};
  Job job;
  hlc_status status = hlc_init(MPI_COMM_WORLD, &context);
  if (wanted.files >= 0) limit_files(wanted.files);
  if (status == HLC_OK) status = play(context, wanted, job, &info);
  const std::string said = status == HLC_OK ? "ok" : std::string(hlc_status_name(status)) + ": " + hlc_error_message();
  std::printf("rank %d: %s\nrank %d: via network %d, mpi %d: %s\nrank %d: %llu swaps, %ld wrong\n", rank, said.c_str(), rank,
              info.via_network, info.via_mpi, context ? hlc_context_network(context) : "no context", rank,
              static_cast<unsigned long long>(job.swap), job.wrong);
  std::fflush(stdout);
  if (context && hlc_finalise(&context) != HLC_OK) std::printf("rank %d: %s\n", rank, hlc_error_message());
  MPI_Finalize();
  const bool as_wanted = !wanted.network || (status == HLC_OK && info.via_mpi == 0);
  return job.wrong == 0 && as_wanted ? 0 : 1;
}
