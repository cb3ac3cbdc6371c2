// Opening a context: communicators, nodes (real or emulated), cores.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/context/context.hpp"

#include <halocline/halocline.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "base/variable_table.hpp"
#include "base/variables.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/tracing.hpp"
#include "engine/memory/node_memory.hpp"
#include "trace/recorder.hpp"
#include "transport/shm/xpmem.hpp"

namespace halocline::core {

namespace {

constexpr int kMaxCores = 16384;  // that a host may number
constexpr long kLongestTimeout_s = 100'000'000;  // three years

/// An environment variable's value as text, for error messages; of HALOCLINE_TRACE only whether it is set.
struct Value {
  Value(const char *name, std::int64_t value) {
    if (std::strcmp(name, "PROGRESS") == 0)
      std::snprintf(text, sizeof text, "%s", name_of(static_cast<Progress>(value)));
    else if (std::strcmp(name, "TRACE") == 0)
      std::snprintf(text, sizeof text, "%s", value ? "a folder" : "none");
    else
      std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  }
  char text[24];
};

/// The version, and a number to raise within it with every change of messages or shared memory layouts.
constexpr std::int64_t kBuild = ((HLC_VERSION_MAJOR * 1000LL + HLC_VERSION_MINOR) * 1000 + HLC_VERSION_PATCH) * 1000 + 12;

std::string name_of_build(std::int64_t build) {
  return std::to_string(build / 1'000'000'000) + "." + std::to_string(build / 1'000'000 % 1000) + "." +
         std::to_string(build / 1000 % 1000) + " (" + std::to_string(build % 1000) + ")";
}

/// A variable's text, or the beginning of a long one, with a hash of all of it.
struct Wording {
  explicit Wording(const char *value) {
    for (const char *c = value; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
    std::snprintf(text, sizeof text, "%s", value);
  }
  std::uint64_t hash = 0xcbf29ce484222325;
  char text[sizeof(AgreementBuffer::all) - sizeof(std::uint64_t)] = "";
};
static_assert(sizeof(Wording) == sizeof(AgreementBuffer::all));

/// Whether a text in words of 64 bits, rank 0's, is mine.
Status compare_wordings(const char *name, const std::int64_t *of_first, const Wording &mine, int rank) {
  Wording first("");
  std::memcpy(static_cast<void *>(&first), of_first, sizeof first);
  if (first.hash == mine.hash) return Status::ok;
  return fail(Status::mismatch, "hlc_init: ranks disagree on HALOCLINE_%s: rank 0 has '%s', rank %d has '%s'", name, first.text, rank,
              mine.text);
}

/// Reports what is set and has no effect.
void report_environment() {
  report_unknown_variables();
  if (const char *trouble = transport::shm::xpmem_trouble(); *trouble != '\0')
    report_once("xpmem", "library", "HALOCLINE_XPMEM is '%s', which cannot be used: %s", environment("XPMEM"), trouble);
}

/// The same ranks, without attributes and topology: MPI_Comm_dup would call the copy callbacks of the program's attributes.
Status copy_ranks(MPI_Comm comm, MPI_Comm *made) {
  MPI_Group all = MPI_GROUP_NULL;
  HLC_TRY(check_mpi(MPI_Comm_group(comm, &all), "MPI_Comm_group"));
  const Status status = check_mpi(MPI_Comm_create(comm, all, made), "MPI_Comm_create");
  MPI_Group_free(&all);
  return status;
}

}  // namespace

Status Context::open(MPI_Comm comm, Status mine) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  const Call in_call(*this, CallName::init);
  const Status environment = read_environment();
  // Two meetings on the caller's communicator, because MPI_Comm_create cannot be bounded (engine/communicator/collective.hpp).
  HLC_TRY(agree(*this, comm, mine));
  HLC_TRY(agree(*this, comm, environment));
  HLC_TRY(compare_builds(comm));
  HLC_TRY(compare_environment(comm));
  HLC_TRY(copy_ranks(comm, &comm_));
  HLC_TRY(agree(*this, comm, watch_end_of_mpi()));
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  HLC_TRY(split_nodes());
  HLC_TRY(number_nodes());
  HLC_TRY(open_doorbell());
  if (rank_ == 0) report_environment();
  HLC_TRY(open_trace(*this));
  return open_post();
}

Status Context::read_environment() {
  long timeout_s = default_number("TIMEOUT");
  char who[32];
  std::snprintf(who, sizeof who, "hlc_init on rank %d", rank_);
  const Status status = environment_number(who, "TIMEOUT", timeout_s);
  timeout_ns_ = std::min(timeout_s, kLongestTimeout_s) * 1'000'000'000;
  HLC_TRY(status);
  HLC_TRY(environment_number(who, "FAKE_NODES", fake_nodes_));
  HLC_TRY(check_word(who, "CHECK", {"0", "1"}));
  HLC_TRY(check_word(who, "SUMMARY", {"0", "1"}));
  HLC_TRY(check_word(who, "HUGE_PAGES", {"0", "1"}));
  checks_ = *environment("CHECK") == '1' ? 1 : 0;
  return read_progress(rank_, progress_);
}

/// Hosts may have different versions installed, and ranks understand only what their own version sends.
Status Context::compare_builds(MPI_Comm comm) {
  agreement_.all[0] = kBuild;
  HLC_TRY(check_mpi(MPI_Ibcast(agreement_.all, 1, MPI_INT64_T, 0, comm, &agreement_.request), "MPI_Ibcast"));
  HLC_TRY(await(*this, 1, &agreement_.request));
  const std::int64_t first = agreement_.all[0];
  Status same = Status::ok;
  if (first != kBuild)
    same = fail(Status::mismatch, "hlc_init: rank 0 has Halocline %s, rank %d has %s; install one version for all ranks",
                name_of_build(first).c_str(), rank_, name_of_build(kBuild).c_str());
  return agree(*this, comm, same);
}

/// A launcher may set a variable on some ranks only, or differently: all ranks compare their values with those of rank 0.
Status Context::compare_environment(MPI_Comm comm) {
  const char *names[] = {"TIMEOUT", "FAKE_NODES", "CHECK", "PROGRESS", "TRACE", "SUMMARY"};
  std::string folder;
  const unsigned uses = trace::wanted(&folder);
  const std::int64_t mine[] = {
      timeout_ns_ / 1'000'000'000,   fake_nodes_, checks_, static_cast<std::int64_t>(progress_), uses & trace::kTrace ? 1 : 0,
      uses & trace::kSummary ? 1 : 0};
  std::copy(std::begin(mine), std::end(mine), agreement_.all);
  HLC_TRY(
      check_mpi(MPI_Ibcast(agreement_.all, static_cast<int>(std::size(mine)), MPI_INT64_T, 0, comm, &agreement_.request), "MPI_Ibcast"));
  HLC_TRY(await(*this, 1, &agreement_.request));
  Status same = Status::ok;
  for (std::size_t i = 0; i < std::size(mine); ++i)
    if (mine[i] != agreement_.all[i])
      same = fail(Status::mismatch, "hlc_init: ranks disagree on HALOCLINE_%s: rank 0 has %s, rank %d has %s", names[i],
                  Value(names[i], agreement_.all[i]).text, rank_, Value(names[i], mine[i]).text);
  HLC_TRY(agree(*this, comm, same));
  return compare_texts(comm);
}

/// What mode auto heeds: ranks that read other things would predict and try other modes.
Status Context::compare_texts(MPI_Comm comm) {
  Status same = Status::ok;
  for (const char *name : {"AUTO_MODES", "AUTO_PERIOD", "CARD", "DOCTOR"}) {
    const Wording mine(environment(name));
    std::memcpy(agreement_.all, &mine, sizeof mine);
    HLC_TRY(check_mpi(MPI_Ibcast(agreement_.all, AgreementBuffer::kNumbers, MPI_INT64_T, 0, comm, &agreement_.request), "MPI_Ibcast"));
    HLC_TRY(await(*this, 1, &agreement_.request));
    if (const Status equal = compare_wordings(name, agreement_.all, mine, rank_); failed(equal)) same = equal;
  }
  return agree(*this, comm, same);
}

Status Context::split_nodes() {
  MPI_Comm shared = MPI_COMM_NULL;
  HLC_TRY(check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &shared), "MPI_Comm_split_type"));

  MPI_Comm_size(shared, &of_host_);
  one_host_ = of_host_ == size_;
  // Emulated nodes split the real ones into blocks of consecutive ranks.
  const long blocks = fake_nodes_ > 0 ? std::min<long>(fake_nodes_, size_) : 1;
  const int block = static_cast<int>(rank_ * blocks / size_);
  const Status status = check_mpi(MPI_Comm_split(shared, block, rank_, &node_comm_), "MPI_Comm_split"),
               counted = failed(status) ? status : count_cores(shared, &cores_of_host_);
  if (!lost()) MPI_Comm_free(&shared);
  HLC_TRY(counted);
  MPI_Comm_set_errhandler(node_comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(node_comm_, &member_);
  MPI_Comm_size(node_comm_, &members_);
  MPI_Comm_group(comm_, &group_);
  MPI_Comm_group(node_comm_, &node_group_);
  cores_ = cores_of_host_;
  return members_ < of_host_ ? count_cores(node_comm_, &cores_) : Status::ok;
}

/// Nodes are numbered in the order of their first ranks.
Status Context::number_nodes() {
  const std::int64_t first = member_ == 0 ? 1 : 0;
  std::int64_t nodes = first, before = first;
  HLC_TRY(reduce(*this, comm_, MPI_SUM, &nodes, 1));
  agreement_.mine[0] = first;
  const Status begun =
      check_mpi(MPI_Iscan(agreement_.mine, agreement_.all, 1, MPI_INT64_T, MPI_SUM, comm_, &agreement_.request), "MPI_Iscan");
  if (failed(begun)) return lose(begun);
  HLC_TRY(await(*this, 1, &agreement_.request));
  before = agreement_.all[0];
  // The number of a node is that of its first rank: the smallest, because the others count no node of their own.
  HLC_TRY(reduce(*this, node_comm_, MPI_MIN, &before, 1));
  nodes_ = static_cast<int>(nodes);
  node_ = static_cast<int>(before) - 1;
  return Status::ok;
}

/// The union of the cores that the ranks are bound to: a launcher may bind each rank to one core, or each to all.
Status Context::count_cores(MPI_Comm ranks, int *cores) {
  constexpr int kStep = AgreementBuffer::kNumbers;
  std::array<std::int64_t, kMaxCores / 64> words{};
  if (sched_getaffinity(0, sizeof words, reinterpret_cast<cpu_set_t *>(words.data())) != 0) words[0] = 1;
  std::int64_t used = std::find_if(words.rbegin(), words.rend(), [](std::int64_t word) { return word != 0; }).base() - words.begin();
  HLC_TRY(reduce(*this, ranks, MPI_MAX, &used, 1));
  int all = 0;
  for (std::int64_t first = 0; first < used; first += kStep) {
    HLC_TRY(reduce(*this, ranks, MPI_BOR, words.data() + first, kStep));
    for (int i = 0; i < kStep; ++i) all += std::popcount(static_cast<std::uint64_t>(words[static_cast<std::size_t>(first + i)]));
  }
  *cores = std::max(1, all);
  return Status::ok;
}

/// All ranks have entered their processes into the doorbells before any rank looks at another's.
Status Context::open_doorbell() {
  SharedMemory segment;
  HLC_TRY(agree(*this, comm_,
                create_shared_memory(*this, sizeof(transport::shm::DoorbellState), segment,
                                     progress_ == Progress::helper ? ObjectFile::kept : ObjectFile::closed)));
  Doorbell doorbell;
  doorbell.attach(std::move(segment), member_);
  HLC_TRY(agree(*this, comm_, Status::ok));
  doorbell_ = std::move(doorbell);
  return Status::ok;
}

Status Context::open_post() {
  if (!checks_) return Status::ok;
  if (rank_ == 0)
    report_once("check", "on", "HALOCLINE_CHECK=1: every swap and every access to a window is checked, which takes much longer");
  HLC_TRY(prepare(*this, comm_, [this] {
    check_mailbox_ = std::make_unique<CheckMailbox>();
    return Status::ok;
  }));
  return check_mailbox_->open(comm_);
}

void Context::give_up() {
  fields_.clear();
  network_.close();
  abandon();
}

}  // namespace halocline::core
