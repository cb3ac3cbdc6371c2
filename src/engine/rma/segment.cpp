// Making and ending a segment.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/segment.hpp"

#include <array>
#include <string>
#include <string_view>

#include "base/rounds.hpp"
#include "base/types.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/memory/node_memory.hpp"
#include "engine/memory/ptrace_permission.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/rma/exposed_memory.hpp"

namespace halocline::core {
namespace {

/// Bytes of a part before its data, with this number of notifications; `barrier_words`: one per round.
std::int64_t bytes_before_data(int notifications, int barrier_words) {
  return SharedMemory::rounded(static_cast<std::int64_t>(sizeof(PartHeader)) + NotificationWords::bytes_of(notifications, barrier_words) +
                               kDummyTarget);
}

/// The file stays open where a helper process serves the memory to other nodes.
ObjectFile file_of(const Communicator &communicator) {
  return communicator.nodes() > 1 && communicator.progress() == Progress::helper ? ObjectFile::kept : ObjectFile::closed;
}

/// A member of the spec of which all ranks must have the same value.
struct Common {
  const char *name;
  std::int64_t mine;
};

Status disagreement(const char *call, Communicator &communicator, const Common &one, std::int64_t least, std::int64_t most) {
  std::int64_t first[2] = {one.mine == least ? communicator.rank() : communicator.size(),
                           one.mine == most ? communicator.rank() : communicator.size()};
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, first, 2));
  const CallWord made_in = communicator.call();  // of a face: no call that has a name here
  const std::string who = std::string_view(name_of(made_in.name)) == call ? made_in.text() : call;
  return fail(Status::mismatch, "%s: ranks disagree on %s: rank %d has %lld, rank %d has %lld", who.c_str(), one.name,
              static_cast<int>(first[0]), static_cast<long long>(least), static_cast<int>(first[1]), static_cast<long long>(most));
}

Status same_on_all_ranks(const char *call, Communicator &communicator, const std::array<Common, 2> &common) {
  std::int64_t ends[4];  // of each the least, the most
  for (std::size_t i = 0; i < common.size(); ++i) ends[2 * i] = common[i].mine, ends[2 * i + 1] = -common[i].mine;
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, ends, 4));
  for (std::size_t i = 0; i < common.size(); ++i)
    if (ends[2 * i] != -ends[2 * i + 1]) return disagreement(call, communicator, common[i], ends[2 * i], -ends[2 * i + 1]);
  return Status::ok;
}

}  // namespace

Segment::Segment(Network &network) : network_(network), communicator_(network.communicator()) {}

Segment::~Segment() = default;

Status Segment::flush_outgoing(const char *call) const {
  return communicator_.nodes() > 1 ? network_.requests()->flush_outgoing(call) : Status::ok;
}

Status Segment::check_network(const char *call) const {
  return communicator_.nodes() > 1 ? network_.requests()->failures().look_for_failure(call) : Status::ok;
}

Status Segment::check(const char *call, const SegmentSpec &spec) const {
  if (spec.bytes < 0 || spec.bytes > kMaxBytes)
    return fail(Status::argument, "%s on rank %d: bytes is %lld but must be 0 or more, and no more than memory holds", call, rank(),
                static_cast<long long>(spec.bytes));
  if (spec.notifications < 0 || spec.notifications > HLC_MAX_NOTIFICATIONS)
    return fail(Status::argument, "%s on rank %d: notifications is %d but must be 0 to %d", call, rank(), spec.notifications,
                HLC_MAX_NOTIFICATIONS);
  return Status::ok;
}

Status Segment::create(const char *call, const SegmentSpec &spec) {
  char *user_memory = spec.bytes > 0 ? spec.memory : nullptr;  // no network registers 0 bytes
  plan_ = communicator_.next_plan() - 1;
  notifications_ = spec.notifications;
  shared_ = spec.shared;
  HLC_TRY(same_on_all_ranks(call, communicator_, {{{"notifications", notifications_}, {"shared", shared_ ? 1 : 0}}}));
  HLC_TRY(make_memory(spec, user_memory));
  list_memory(user_memory);
  return communicator_.nodes() > 1 ? connect(user_memory != nullptr, spec.pauses_queries) : Status::ok;
}

/// `user_memory`: the application's memory of this rank, if it provides some.
Status Segment::make_memory(const SegmentSpec &spec, const char *user_memory) {
  const std::int64_t bytes = bytes_before_data(notifications_, doubling_rounds(communicator_.size())) + (user_memory ? 0 : spec.bytes);
  const Status listed = alone(communicator_, [&] {
    node_.resize(static_cast<std::size_t>(communicator_.members()));
    if (user_memory) permit_node_to_trace(communicator_);
    return Status::ok;
  });
  // A network registers all pages, so they are there from the beginning.
  const bool is_late = communicator_.nodes() == 1 && spec.pages == Pages::reserved;
  const Status made = create_shared_memory(communicator_, bytes, object_, file_of(communicator_), is_late ? Pages::promised : spec.pages);
  if (!failed(made)) {
    PartHeader &header = *reinterpret_cast<PartHeader *>(object_.part(communicator_.member()));
    header.bytes = spec.bytes;
    header.memory = reinterpret_cast<std::uint64_t>(user_memory);
  }
  // All ranks have written their headers before any rank reads them.
  return agree(communicator_, communicator_.comm(), last_failure(listed, made));
}

void Segment::list_memory(char *user_memory) {
  const int barrier_words = doubling_rounds(communicator_.size());
  const std::int64_t before = bytes_before_data(notifications_, barrier_words);
  const Doorbell &doorbell = communicator_.doorbell();
  for (Member member = 0; member < communicator_.members(); ++member) {
    char *part = object_.part(member);
    const PartHeader &header = *reinterpret_cast<const PartHeader *>(part);
    NotificationWords words(part + sizeof(PartHeader), notifications_, barrier_words);
    if (shared_ && member > 0) words.notifications = of(0).words().notifications;
    MemoryOnNode memory{communicator_.rank_of(member), member, header.bytes, part + before, words, shared_};
    if (header.memory != 0) {
      memory.data = member == communicator_.member() ? user_memory : nullptr;
      memory.lock = {part + sizeof(PartHeader) + NotificationWords::bytes_of(notifications_, barrier_words), doorbell,
                     communicator_.member()};
      memory.process = doorbell.process_of(member);
      memory.address = header.memory;
    }
    node_[static_cast<std::size_t>(member)] = RemoteMemory(network_, memory);
  }
}

Status Segment::connect(bool user_memory, bool pauses_queries) {
  HLC_TRY(network_.open());
  HLC_TRY(network_.requests()->open());
  if (shared_) counted_.count(communicator_);
  RemoteDescriptor descriptor;
  const Status exposed = alone(communicator_, [&] {
    exposed_ = std::make_unique<ExposedMemory>(network_, network_.requests()->served().next_segment(), user_memory);
    const bool is_alone = pauses_queries && communicator_.members() == 1;
    Served served{mine().data(), mine().bytes(), mine().words(), nullptr, mine().lock(), is_alone};
    // Immediate data are taken in whenever any thread polls, and take no lock.
    if (!user_memory && !is_alone)
      served.words.numbers = {reinterpret_cast<std::uint64_t *>(served.data), SignalledNumbers::count_in(served.bytes)};
    return exposed_->open(served, object_, communicator_.member(), &descriptor);
  });
  HLC_TRY(descriptors_.share(communicator_, network_.leaders(), descriptor, ObjectFile::closed, exposed));
  object_.close();
  return Status::ok;
}

Status Segment::end(bool broken) {
  int largest = 0;
  return agree_on_largest(communicator_, communicator_.comm(), broken || barriers.failed ? 1 : 0, &largest);
}

WaitStatus Segment::check_failure(const Wait &wait) const {
  if (const int dead = communicator_.find_dead(); dead >= 0) return {Status::peer_died, dead};
  return {wait.timed_out() ? Status::timeout : Status::ok, -1};
}

std::string Segment::name_of(int rank) const {
  return member_of(rank) == kNotOnNode ? network_.requests()->name_of(rank) : "rank " + std::to_string(rank);
}

const RemoteMemory *Segment::find_memory(const char *call, int rank, std::optional<RemoteMemory> &made) const {
  if (rank < 0 || rank >= communicator_.size()) {
    static_cast<void>(fail(Status::argument, "%s on rank %d: rank is %d but must be 0 to %d", call, communicator_.rank(), rank,
                           communicator_.size() - 1));
    return nullptr;
  }
  const Member member = member_of(rank);
  return member != kNotOnNode ? &of(member) : &made.emplace(remote(rank));
}

}  // namespace halocline::core
